/** *Translate Missing Messages*: which files are meant; what is new is then looked through on a page of its own. */

import * as vscode from 'vscode';
import { inReadersLanguage, type MessageFamily } from '../../server/protocol/index.ts';
import { familyPath } from '../../server/protocol/translatedFileName.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { familiesIn, relativeTo } from '../messages/messageFiles.ts';
import { pickLanguages } from '../targetLanguage.ts';
import type { MessageReviews } from './review/messageReviews.ts';
import type { ReviewTarget } from './review/reviewSession.ts';

/** Runs for the folder or file of the explorer's menu, or for the active editor. */
export async function translateMissingMessages(
	languageServer: LanguageServerClient,
	reviews: MessageReviews,
	given: unknown,
): Promise<void> {
	const uri = givenUri(given) ?? vscode.window.activeTextEditor?.document.uri;
	const folder = uri && vscode.workspace.getWorkspaceFolder(uri);
	if (!uri || !folder)
		throw inReadersLanguage(
			'invalid_request',
			vscode.l10n.t('Open a message file of the workspace, or choose a folder in the explorer.'),
		);
	const families = await familiesAt(languageServer, folder, uri);
	const family = await pickFamily(families);
	if (!family) return;
	const targets = await pickTargets(languageServer, family);
	if (targets && targets.length > 0) reviews.show(folder, family, targets);
}

/** A file of the explorer, or a row of the tree of messages. */
function givenUri(given: unknown): vscode.Uri | undefined {
	if (given instanceof vscode.Uri) return given;
	const node = given as { folder?: vscode.WorkspaceFolder; family?: MessageFamily } | undefined;
	return node?.folder && node.family
		? vscode.Uri.joinPath(node.folder.uri, node.family.source)
		: undefined;
}

async function familiesAt(
	languageServer: LanguageServerClient,
	folder: vscode.WorkspaceFolder,
	uri: vscode.Uri,
): Promise<readonly MessageFamily[]> {
	const families = await familiesIn(languageServer, folder);
	const own = relativeTo(folder, uri);
	const isIn = (path: string) => own === '' || path === own || path.startsWith(`${own}/`);
	const found = families.filter(
		({ source, targets }) => isIn(source) || targets.some(({ path }) => isIn(path)),
	);
	if (found.length === 0)
		throw inReadersLanguage(
			'invalid_request',
			vscode.l10n.t(
				'No message files here: JSON, ARB, YAML, .properties or .po files with a language in their path, such as locales/en.json.',
			),
		);
	return found;
}

async function pickFamily(families: readonly MessageFamily[]): Promise<MessageFamily | undefined> {
	if (families.length < 2) return families[0];
	const items = families.map((family) => ({
		label: family.source,
		description: family.targets.map(({ to }) => to).join(', '),
		family,
	}));
	const chosen = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Translate missing messages of'),
	});
	return chosen?.family;
}

/** The files there are; asks for languages only when there are none yet. */
async function pickTargets(
	languageServer: LanguageServerClient,
	{ targets, from, pattern }: MessageFamily,
): Promise<readonly ReviewTarget[] | undefined> {
	if (targets.length > 0) return targets;
	const codes = await pickLanguages(languageServer, from ? [from] : []);
	return codes?.map((to) => ({ path: familyPath(pattern, to), to }));
}
