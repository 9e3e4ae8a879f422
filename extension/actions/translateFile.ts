/** *Translate File*: a whole document beside its source, as an unsaved one. */

import * as vscode from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import type { Front } from '../front.ts';
import { withPatientProgress } from '../notify.ts';
import { targetLanguage } from '../targetLanguage.ts';

/** Translates the file of the explorer's menu or of the active editor and shows the difference. */
export async function translateFile(front: Front, uri: unknown): Promise<void> {
	const document =
		uri instanceof vscode.Uri
			? await vscode.workspace.openTextDocument(uri)
			: vscode.window.activeTextEditor?.document;
	if (!document) throw new AppError('invalid_request', vscode.l10n.t('Open a text first.'));
	const to = await targetLanguage(front, document);
	if (to === undefined) return;
	const fileName = document.uri.path.split('/').at(-1) ?? '';
	const { text, refused } = await withPatientProgress(
		vscode.l10n.t('Translating {0}', fileName),
		(token) =>
			front.request(
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
	const { languageId: language } = document;
	const translated = await vscode.workspace.openTextDocument({ content: text, language });
	const title = `${fileName} ↔ ${to}`;
	await vscode.commands.executeCommand('vscode.diff', document.uri, translated.uri, title);
	if (refused.length > 0) {
		const count = String(refused.length);
		const first = (refused[0] ?? '').slice(0, 80);
		void vscode.window.showWarningMessage(
			vscode.l10n.t(
				'{0} texts were left as they are, because placeholders would have been lost: {1}',
				count,
				first,
			),
		);
	}
}
