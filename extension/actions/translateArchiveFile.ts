/** *Translate File* of a file that no editor shows as text: the translation lies beside it. */

import * as vscode from 'vscode';
import { maxArchiveBytes } from '../../server/protocol/archiveTypes.ts';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import { translatedFileName } from '../../server/protocol/translatedFileName.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { withDelayedProgress } from '../notify.ts';
import { languageLabel, targetLanguage } from '../targetLanguage.ts';
import { showStayed } from './showStayed.ts';

/** Translates a file and writes it beside its source; what is there already is only replaced when asked for. */
export async function translateArchiveFile(
	languageServer: LanguageServerClient,
	uri: vscode.Uri,
): Promise<void> {
	const { size } = await vscode.workspace.fs.stat(uri);
	const fileName = uri.path.split('/').at(-1) ?? '';
	if (size > maxArchiveBytes)
		throw inReadersLanguage(
			'payload_too_large',
			vscode.l10n.t('{0} is larger than {1} MiB.', fileName, maxArchiveBytes / 2 ** 20),
		);
	const to = await targetLanguage(languageServer, uri);
	if (to === undefined) return;
	const content = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('base64');
	const made = await withDelayedProgress(vscode.l10n.t('Translating {0}', fileName), (token) =>
		languageServer.request(
			'nearglot/translateFile',
			{ fileName, content, to, uri: uri.toString() },
			token,
		),
	);
	if (made.content === content && made.left.length === 0 && made.refused.length === 0) {
		const name = languageLabel(made.language);
		void vscode.window.showInformationMessage(
			vscode.l10n.t('{0} is in {1} already; nothing was changed.', fileName, name),
		);
		return;
	}
	const target = await placeFor(uri.with({ path: translatedFileName(uri.path, to) }));
	if (target === undefined) return;
	await vscode.workspace.fs.writeFile(target, Buffer.from(made.content, 'base64'));
	showStayed(made);
	const open = vscode.l10n.t('Open');
	const chosen = await vscode.window.showInformationMessage(
		vscode.l10n.t('The translation is in {0}.', vscode.workspace.asRelativePath(target)),
		open,
	);
	if (chosen === open) await vscode.env.openExternal(target);
}

/** A place where nothing is lost, or one that the user says. */
async function placeFor(target: vscode.Uri): Promise<vscode.Uri | undefined> {
	const isThere = await vscode.workspace.fs.stat(target).then(
		() => true,
		() => false,
	);
	return isThere ? vscode.window.showSaveDialog({ defaultUri: target }) : target;
}
