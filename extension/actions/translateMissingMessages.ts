/**
 * *Translate Missing Messages*: fills every language of a message folder. What is new is shown message by
 * message, all of it chosen; what is left chosen is put into the files, which are not saved.
 */

import * as vscode from 'vscode';
import { AppError, type MessageFamily, type TextsProgress } from '../../server/protocol/index.ts';
import { familyPath } from '../../server/protocol/translatedFileName.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { familiesIn, messageFileText, relativeTo } from '../messages/messageFiles.ts';
import { languageLabel, pickLanguages } from '../targetLanguage.ts';
import { chooseMessages } from './chooseMessages.ts';
import type { FilledMessages, MessageTarget } from './filledMessages.ts';

/** Runs for the folder or file of the explorer's menu, or for the active editor. */
export async function translateMissingMessages(
	languageServer: LanguageServerClient,
	log: vscode.LogOutputChannel,
	given: unknown,
): Promise<void> {
	const uri = givenUri(given) ?? vscode.window.activeTextEditor?.document.uri;
	const folder = uri && vscode.workspace.getWorkspaceFolder(uri);
	if (!uri || !folder)
		throw new AppError(
			'invalid_request',
			vscode.l10n.t('Open a message file of the workspace, or choose a folder in the explorer.'),
		);
	const families = await familiesAt(languageServer, folder, uri);
	const family = await pickFamily(families);
	if (!family) return;
	const targets = await pickTargets(languageServer, folder, family);
	if (!targets || targets.length === 0) return;
	const filled = await fill(languageServer, folder, family, targets);
	await offer(log, family, filled);
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
		throw new AppError(
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
	folder: vscode.WorkspaceFolder,
	{ targets, from, pattern }: MessageFamily,
): Promise<MessageTarget[] | undefined> {
	const at = (path: string) => vscode.Uri.joinPath(folder.uri, path);
	const there = targets.map(({ path, to }) => ({ path, to, uri: at(path), isNew: false }));
	if (there.length > 0) return there;
	const codes = await pickLanguages(languageServer, from ? [from] : []);
	return codes?.map((to) => {
		const path = familyPath(pattern, to);
		return { path, to, uri: at(path), isNew: true };
	});
}

async function fill(
	languageServer: LanguageServerClient,
	folder: vscode.WorkspaceFolder,
	{ source, from }: MessageFamily,
	targets: readonly MessageTarget[],
): Promise<FilledMessages[]> {
	const sourceUri = vscode.Uri.joinPath(folder.uri, source);
	const sourceText = await messageFileText(sourceUri);
	const title = vscode.l10n.t('Translating missing messages');
	const location = vscode.ProgressLocation.Notification;
	return vscode.window.withProgress(
		{ location, title, cancellable: true },
		async (shown, token) => {
			const filled: FilledMessages[] = [];
			for (const [index, target] of targets.entries()) {
				if (token.isCancellationRequested) break;
				const label = `${languageLabel(target.to)} (${index + 1}/${targets.length})`;
				shown.report({ message: label });
				let reached = 0;
				const onPartial = (value: unknown) => {
					const { done, total } = value as TextsProgress;
					const now = total > 0 ? done / total : 0;
					const increment = ((now - reached) * 100) / targets.length;
					reached = now;
					shown.report({ message: `${label}: ${done}/${total}`, increment });
				};
				const before = target.isNew ? '' : await messageFileText(target.uri);
				const params = {
					fileName: source,
					source: target.path === source ? before : sourceText,
					target: before,
					to: target.to,
					uri: sourceUri.toString(),
					...(from ? { from } : {}),
				};
				const made = await languageServer
					.request('nearglot/translateMissing', params, token, onPartial)
					.catch((error: unknown) => {
						// What was done before the cancel is still offered.
						if (token.isCancellationRequested) return undefined;
						throw error;
					});
				if (!made) break;
				shown.report({ increment: ((1 - reached) * 100) / targets.length });
				const { text, added, refused, kept } = made;
				const fillWithout = (without: readonly string[]) =>
					languageServer.request('nearglot/translateMissing', { ...params, without });
				filled.push({ ...target, text, before, added, refused, kept, fillWithout });
			}
			return filled;
		},
	);
}

/** Lets the user choose among the new messages until something is taken over, or nothing is wanted. */
async function offer(
	log: vscode.LogOutputChannel,
	family: MessageFamily,
	filled: readonly FilledMessages[],
): Promise<void> {
	if (filled.every(({ added }) => added.length === 0)) return summarise(log, family, filled);
	for (;;) {
		const chosen = await chooseMessages(filled);
		const count = chosen?.reduce((sum, { added }) => sum + added.length, 0) ?? 0;
		if (chosen && count > 0) {
			await write(family, chosen);
			return summarise(log, family, chosen);
		}
		const again = vscode.l10n.t('Show Again');
		const message = vscode.l10n.t('No message was chosen, and nothing was changed.');
		if ((await vscode.window.showInformationMessage(message, again)) !== again) return;
	}
}

async function write(family: MessageFamily, filled: readonly FilledMessages[]): Promise<void> {
	const edit = new vscode.WorkspaceEdit();
	for (const { uri, before, text, isNew } of filled) {
		if (text === before) continue;
		if (isNew) {
			edit.createFile(uri, { contents: new TextEncoder().encode(text), overwrite: false });
			continue;
		}
		const document = await vscode.workspace.openTextDocument(uri);
		if (document.getText() !== before)
			throw new AppError(
				'conflict',
				vscode.l10n.t('The text has changed meanwhile; nothing was replaced.'),
			);
		for (const { start, end, insert } of changedParts(before, text)) {
			const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
			edit.replace(uri, range, insert);
		}
	}
	if (edit.size > 0 && !(await vscode.workspace.applyEdit(edit)))
		throw new AppError(
			'conflict',
			vscode.l10n.t('The editor refused the change of {0}. Is the file read-only?', family.source),
		);
}

/** The one stretch in which two texts differ, in whole lines. */
function changedParts(before: string, after: string) {
	let start = 0;
	const shorter = Math.min(before.length, after.length);
	while (start < shorter && before[start] === after[start]) start++;
	let same = 0;
	while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
	// A line end of two characters stays in one piece.
	if (before[start - 1] === '\r') start--;
	const [end, newEnd] = [before.length - same, after.length - same];
	return [{ start, end, insert: after.slice(start, newEnd) }];
}

async function summarise(
	log: vscode.LogOutputChannel,
	{ source }: MessageFamily,
	filled: readonly FilledMessages[],
): Promise<void> {
	const refused = filled.flatMap(({ to, refused: texts }) => texts.map((text) => `${to}: ${text}`));
	const added = filled.reduce((sum, file) => sum + file.added.length, 0);
	for (const { path, to, added: messages } of filled)
		log.info(`${path} (${to}): ${messages.length} messages`);
	for (const text of refused) log.warn(`${source}: not translated, placeholders differ: ${text}`);
	const kept = filled.reduce((sum, file) => sum + file.kept, 0);
	const counted =
		added === 0 && refused.length === 0
			? vscode.l10n.t('Nothing is missing.')
			: vscode.l10n.t('{0} messages in {1} files.', String(added), String(filled.length));
	const message =
		kept === 0
			? counted
			: `${counted} ${vscode.l10n.t('{0} of them are in whole or in part as in the source.', String(kept))}`;
	if (refused.length === 0) {
		void vscode.window.showInformationMessage(message);
		return;
	}
	const show = vscode.l10n.t('Show Log');
	const flagged = vscode.l10n.t(
		'{0} texts were not added, because placeholders would have been lost.',
		String(refused.length),
	);
	void vscode.window.showWarningMessage(`${message} ${flagged}`, show).then((choice) => {
		if (choice === show) log.show();
	});
}
