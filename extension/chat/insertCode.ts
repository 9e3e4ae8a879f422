/** Code of an answer into the editor that was used last, as one step that can be undone. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import { languageIdOf } from './languageIds.ts';
import { lastTextEditor } from './lastTextEditor.ts';
import { insertedAt } from './locateEdit.ts';

/** Puts code at every cursor, or in the place of what is selected. */
export async function insertCode(code: string, replace: boolean): Promise<void> {
	const editor = lastTextEditor();
	if (!editor) throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
	const { document } = editor;
	const text = document.getText();
	await editor.edit((edit) => {
		for (const selection of editor.selections) {
			if (replace && !selection.isEmpty) {
				edit.replace(selection, code);
				continue;
			}
			const place = insertedAt(text, document.offsetAt(selection.active), code);
			edit.replace(
				new vscode.Range(document.positionAt(place.start), document.positionAt(place.end)),
				place.text,
			);
		}
	});
	await vscode.window.showTextDocument(document, editor.viewColumn);
}

/** Shows code as a new file that is not saved. */
export async function openNewFile(content: string, language: string): Promise<void> {
	const document = await vscode.workspace.openTextDocument({
		content,
		language: await languageIdOf(language),
	});
	await vscode.window.showTextDocument(document);
}
