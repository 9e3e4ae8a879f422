/** *Translate File*: a whole document beside its source, as an unsaved one. */

import * as vscode from 'vscode';
import { archiveEndingOf } from '../../server/protocol/archiveTypes.ts';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { withDelayedProgress } from '../notify.ts';
import { languageLabel, targetLanguage } from '../targetLanguage.ts';
import { showStayed } from './showStayed.ts';
import { translateArchiveFile } from './translateArchiveFile.ts';

/** Translates the file of the explorer's menu or of the active editor and shows the difference. */
export async function translateOpenFile(
	languageServer: LanguageServerClient,
	uri: unknown,
): Promise<void> {
	if (uri instanceof vscode.Uri && archiveEndingOf(uri.path))
		return translateArchiveFile(languageServer, uri);
	const document =
		uri instanceof vscode.Uri
			? await vscode.workspace.openTextDocument(uri)
			: vscode.window.activeTextEditor?.document;
	if (!document) throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
	const to = await targetLanguage(languageServer, document);
	if (to === undefined) return;
	const fileName = document.uri.path.split('/').at(-1) ?? '';
	const made = await withDelayedProgress(vscode.l10n.t('Translating {0}', fileName), (token) =>
		languageServer.request(
			'nearglot/translateDocument',
			{
				fileName,
				languageId: document.languageId,
				text: document.getText(),
				to,
				uri: document.uri.toString(),
			},
			token,
		),
	);
	const { text, refused, language, left } = made;
	if (text === document.getText() && left.length === 0 && refused.length === 0) {
		const name = languageLabel(language);
		void vscode.window.showInformationMessage(
			vscode.l10n.t('{0} is in {1} already; nothing was changed.', fileName, name),
		);
		return;
	}
	const { languageId } = document;
	const content = { content: text, language: languageId };
	const translated = await vscode.workspace.openTextDocument(content);
	const title = `${fileName} ↔ ${to}`;
	await vscode.commands.executeCommand('vscode.diff', document.uri, translated.uri, title);
	showStayed(made);
}
