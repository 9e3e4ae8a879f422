/** New messages to choose among before they are put into files: all are chosen at first. */

import * as vscode from 'vscode';
import { languageLabel } from '../targetLanguage.ts';
import type { FilledMessages } from './filledMessages.ts';

interface MessageItem extends vscode.QuickPickItem {
	readonly file?: FilledMessages;
	readonly source?: string;
}

/**
 * The files with what was left chosen of their messages; those without any are not among them.
 * `undefined`: the list was closed. Messages of one file with one text are one row.
 */
export async function chooseMessages(
	filled: readonly FilledMessages[],
): Promise<FilledMessages[] | undefined> {
	const items = filled.flatMap((file) => rowsOf(file));
	const picked = await vscode.window.showQuickPick<MessageItem>(items, {
		canPickMany: true,
		ignoreFocusOut: true,
		matchOnDescription: true,
		matchOnDetail: true,
		title: vscode.l10n.t('New messages'),
		placeHolder: vscode.l10n.t('What stays chosen is put into the files. Nothing is saved.'),
	});
	if (!picked) return undefined;
	const chosen: FilledMessages[] = [];
	for (const file of filled) {
		const kept = new Set(picked.filter((item) => item.file === file).map(({ source }) => source));
		const without = file.added.map(({ text }) => text).filter((text) => !kept.has(text));
		if (without.length === file.added.length) continue;
		chosen.push(without.length === 0 ? file : { ...file, ...(await file.fillWithout(without)) });
	}
	return chosen;
}

function rowsOf(file: FilledMessages): MessageItem[] {
	const byText = new Map<string, FilledMessages['added'][number][]>();
	for (const message of file.added)
		byText.set(message.text, [...(byText.get(message.text) ?? []), message]);
	const rows = [...byText].map(
		([text, messages]): MessageItem => ({
			label: messages.map(({ path }) => path.join('.')).join(', '),
			description: oneLine(text),
			detail: `${languageLabel(file.to)}: ${oneLine(messages[0]?.translation ?? '…')}`,
			picked: true,
			file,
			source: text,
		}),
	);
	if (rows.length === 0) return [];
	return [{ label: file.path, kind: vscode.QuickPickItemKind.Separator }, ...rows];
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
