/** *Name This Symbol in English*: renames what is under the cursor, everywhere it is used. */

import * as vscode from 'vscode';
import { type AppError, inReadersLanguage } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { withDelayedProgress } from '../notify.ts';
import { textFor } from '../schemes.ts';

/** What a code action hands over: the place and the name it has found already. */
interface Given {
	readonly uri: string;
	readonly position: { readonly line: number; readonly character: number };
	readonly newName: string;
}

/**
 * Proposes an English name in the same case style and renames the symbol: by the rename provider of
 * its language, or in this file where there is none. One undo step.
 */
export async function renameSymbolInEnglish(
	languageServer: LanguageServerClient,
	given?: unknown,
): Promise<void> {
	const place = isGiven(given) ? given : undefined;
	const editor = vscode.window.activeTextEditor;
	const document = place
		? await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri))
		: editor?.document;
	const at = place
		? new vscode.Position(place.position.line, place.position.character)
		: editor?.selection.start;
	if (!document || !at)
		throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
	const version = document.version;
	const found = await withDelayedProgress(vscode.l10n.t('Translating'), (token) =>
		languageServer.request(
			'nearglot/nameSymbol',
			{
				uri: document.uri.toString(),
				languageId: document.languageId,
				...textFor(document),
				position: { line: at.line, character: at.character },
			},
			token,
		),
	);
	const newName = await vscode.window.showInputBox({
		title: vscode.l10n.t('Name “{0}” in English', found.name),
		value: place?.newName ?? found.suggestion,
		prompt: vscode.l10n.t('Enter renames the symbol wherever it is used.'),
		validateInput: (value) =>
			/^[\p{L}_$@#][\p{L}\p{M}\p{N}_$!?-]*$/u.test(value)
				? undefined
				: vscode.l10n.t('This is no name.'),
	});
	if (newName === undefined || newName === found.name) return;
	if (document.version !== version)
		throw inReadersLanguage(
			'conflict',
			vscode.l10n.t('The text has changed meanwhile; nothing was replaced.'),
		);
	const start = toPosition(found.range.start);
	const edit = await providerEdit(document.uri, start, newName);
	if (edit.size > 0) {
		if (!(await vscode.workspace.applyEdit(edit))) throw refused();
		return;
	}
	const own = new vscode.WorkspaceEdit();
	for (const { start: from, end } of found.occurrences)
		own.replace(document.uri, new vscode.Range(toPosition(from), toPosition(end)), newName);
	if (!(await vscode.workspace.applyEdit(own))) throw refused();
}

/** The edit of the language's own rename; empty when there is none. */
async function providerEdit(
	uri: vscode.Uri,
	position: vscode.Position,
	newName: string,
): Promise<vscode.WorkspaceEdit> {
	try {
		const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
			'vscode.executeDocumentRenameProvider',
			uri,
			position,
			newName,
		);
		return edit ?? new vscode.WorkspaceEdit();
	} catch {
		// It refuses what it does not know, such as a word in a language without rename.
		return new vscode.WorkspaceEdit();
	}
}

function toPosition({ line, character }: { line: number; character: number }): vscode.Position {
	return new vscode.Position(line, character);
}

function refused(): AppError {
	return inReadersLanguage(
		'conflict',
		vscode.l10n.t('The editor refused the change. Is the file read-only?'),
	);
}

function isGiven(value: unknown): value is Given {
	if (typeof value !== 'object' || value === null) return false;
	const { uri, position, newName } = value as Partial<Given>;
	return (
		typeof uri === 'string' && typeof newName === 'string' && typeof position?.line === 'number'
	);
}
