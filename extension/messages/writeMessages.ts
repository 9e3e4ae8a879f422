/** Puts single messages into translated files, as one step of undo. Nothing is saved. */

import * as vscode from 'vscode';
import { inReadersLanguage, type MessageFamily } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { changedPart } from './changedPart.ts';
import { messageFileText, recordFile, textIfThere } from './messageFiles.ts';

/** Texts for one file. */
export interface FileMessages {
	/** Path in the folder. */
	readonly path: string;
	/** BCP 47 */
	readonly to: string;
	readonly messages: readonly { readonly key: string; readonly text: string }[];
}

/**
 * Writes them, into new files where there are none.
 *
 * @returns path and key of those that could not be put in
 * @throws AppError `conflict` when a file has changed meanwhile or cannot be written
 */
export async function writeMessages(
	languageServer: LanguageServerClient,
	folder: vscode.WorkspaceFolder,
	{ source }: Pick<MessageFamily, 'source'>,
	files: readonly FileMessages[],
): Promise<readonly { readonly path: string; readonly key: string }[]> {
	const at = (path: string) => vscode.Uri.joinPath(folder.uri, path);
	const sourceText = await messageFileText(at(source));
	const edit = new vscode.WorkspaceEdit();
	const refused: { path: string; key: string }[] = [];
	const record = await textIfThere(at(recordFile));
	let recorded = record;
	for (const { path, to, messages } of files) {
		const uri = at(path);
		const before = await textIfThere(uri);
		const made = await languageServer.request('nearglot/setMessages', {
			...{ fileName: source, source: sourceText, target: before ?? '', to, messages },
			...(recorded === undefined ? {} : { recorded: { text: recorded, path } }),
		});
		recorded = made.recorded ?? recorded;
		for (const key of made.refused) refused.push({ path, key });
		if (made.text === before || made.refused.length === messages.length) continue;
		if (before === undefined) {
			edit.createFile(uri, { contents: new TextEncoder().encode(made.text), overwrite: false });
			continue;
		}
		await replaceIn(edit, uri, before, made.text);
	}
	if (record !== undefined && recorded !== undefined && recorded !== record)
		await replaceIn(edit, at(recordFile), record, recorded);
	if (edit.size > 0 && !(await vscode.workspace.applyEdit(edit)))
		throw inReadersLanguage(
			'conflict',
			vscode.l10n.t('The editor refused the change of {0}. Is the file read-only?', source),
		);
	return refused;
}

/** Adds the change of a file to an edit. @throws AppError `conflict` when the file is not what it was */
async function replaceIn(
	edit: vscode.WorkspaceEdit,
	uri: vscode.Uri,
	before: string,
	after: string,
): Promise<void> {
	const document = await vscode.workspace.openTextDocument(uri);
	if (document.getText() !== before)
		throw inReadersLanguage(
			'conflict',
			vscode.l10n.t('The text has changed meanwhile; nothing was replaced.'),
		);
	const { start, end, insert } = changedPart(before, after);
	edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), insert);
}
