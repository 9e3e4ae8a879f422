/** *Translate Selection*: every selection at once, one undo step, in place or below. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { withDelayedProgress } from '../notify.ts';
import { textFor } from '../schemes.ts';
import { targetLanguage } from '../targetLanguage.ts';

export type TranslationPlacement = 'replace' | 'below' | 'clipboard';

/** Translates what is selected in the active editor; the current line when nothing is. */
export async function translateSelection(
	languageServer: LanguageServerClient,
	placement: TranslationPlacement,
	to?: string,
): Promise<void> {
	const editor = vscode.window.activeTextEditor;
	if (!editor)
		throw inReadersLanguage(
			'invalid_request',
			vscode.l10n.t('Open a text and select a passage first.'),
		);
	const { document } = editor;
	const ranges = rangesOf(editor);
	const language = to ?? (await targetLanguage(languageServer, document));
	if (language === undefined) return;
	const version = document.version;
	const { texts } = await withDelayedProgress(vscode.l10n.t('Translating'), (token) =>
		languageServer.request(
			'nearglot/translateRanges',
			{
				uri: document.uri.toString(),
				languageId: document.languageId,
				...textFor(document),
				ranges: ranges.map(({ start, end }) => ({ start: plain(start), end: plain(end) })),
				to: language,
			},
			token,
		),
	);
	if (placement === 'clipboard') {
		await vscode.env.clipboard.writeText(texts.join('\n'));
		return;
	}
	if (document.version !== version) {
		throw inReadersLanguage(
			'conflict',
			vscode.l10n.t('The text has changed meanwhile; nothing was replaced.'),
		);
	}
	const applied = await editor.edit((edit) => {
		ranges.forEach((range, index) => {
			const text = texts[index] ?? '';
			if (placement === 'replace') edit.replace(range, text);
			else edit.insert(document.lineAt(range.end.line).range.end, below(document, range, text));
		});
	});
	if (!applied) {
		throw inReadersLanguage(
			'conflict',
			vscode.l10n.t('The editor refused the change. Is the file read-only?'),
		);
	}
	await vscode.commands.executeCommand('setContext', 'nearglot.translated', true);
}

/** A sentence in a text of its own, selected and translated: for whoever has no text at hand. */
export async function translateSample(languageServer: LanguageServerClient): Promise<void> {
	const content = '// The file could not be opened. Check its name and try again.\n';
	const document = await vscode.workspace.openTextDocument({ content, language: 'javascript' });
	const editor = await vscode.window.showTextDocument(document);
	editor.selection = new vscode.Selection(document.positionAt(3), document.lineAt(0).range.end);
	await translateSelection(languageServer, 'replace');
}

function rangesOf(editor: vscode.TextEditor): vscode.Range[] {
	const chosen = editor.selections.filter((selection) => !selection.isEmpty);
	if (chosen.length > 0) return chosen.map(({ start, end }) => new vscode.Range(start, end));
	const lines = new Set(editor.selections.map((selection) => selection.active.line));
	return [...lines].map((line) => editor.document.lineAt(line).range);
}

/** The translation as lines of their own, with the indent of the line they follow. */
function below(document: vscode.TextDocument, range: vscode.Range, text: string): string {
	const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
	const first = document.lineAt(range.start.line).text;
	const indent = range.start.character > 0 ? (/^\s*/.exec(first)?.[0] ?? '') : '';
	return eol + indent + text;
}

function plain(position: vscode.Position): { line: number; character: number } {
	return { line: position.line, character: position.character };
}
