/** Asks what is to become of a part of a text: words of the user's own, one of the last instructions, or a translation. */

import * as vscode from 'vscode';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { setting } from '../settings.ts';
import { languageLabel, pickLanguage } from '../targetLanguage.ts';

/** What the user wants: a change in words, or another language in a tone. */
export type ChangeRequest =
	| { readonly words: string }
	| { readonly to: string; readonly tone?: 'formal' | 'informal' };

interface ChangeItem extends vscode.QuickPickItem {
	readonly change?: ChangeRequest;
	readonly needsLanguage?: boolean;
}

const key = 'nearglot.edit.instructions';
/** Instructions that are offered again. */
const maxInstructions = 5;

/** The change of a part; `undefined` when the user turned away. */
export async function pickChange(
	languageServer: LanguageServerClient,
	memory: vscode.Memento,
	place: string,
	document: vscode.TextDocument,
): Promise<ChangeRequest | undefined> {
	const last = memory.get<readonly string[]>(key, []);
	const fixed = [...last.map(again), ...translations(document)];
	const pick = vscode.window.createQuickPick<ChangeItem>();
	pick.title = vscode.l10n.t('Edit in Place: {0}', place);
	pick.placeholder = vscode.l10n.t('What is to change, for example: handle an empty list');
	pick.items = fixed;
	pick.onDidChangeValue((value) => {
		const words = value.trim();
		const own: ChangeItem = { label: `$(edit) ${words}`, alwaysShow: true, change: { words } };
		pick.items = words === '' ? fixed : [own, ...fixed];
	});
	const chosen = await new Promise<ChangeItem | undefined>((resolve) => {
		pick.onDidAccept(() => resolve(pick.selectedItems[0]));
		pick.onDidHide(() => resolve(undefined));
		pick.show();
	});
	pick.dispose();
	if (chosen?.needsLanguage) {
		const to = await pickLanguage(languageServer);
		return to === undefined ? undefined : { to };
	}
	const { change } = chosen ?? {};
	if (change && 'words' in change) {
		const { words } = change;
		const instructions = [words, ...last.filter((one) => one !== words)].slice(0, maxInstructions);
		await memory.update(key, instructions);
	}
	return change;
}

const again = (words: string): ChangeItem => ({ label: `$(history) ${words}`, change: { words } });

/** Translations of the part: a tone only where a system was chosen that knows tones. */
function translations(document: vscode.TextDocument): ChangeItem[] {
	const to = setting('translate.targetLanguage', document);
	const language = languageLabel(to);
	const into: ChangeItem[] = [
		{ label: `$(globe) ${vscode.l10n.t('Translate into {0}', language)}`, change: { to } },
	];
	if (setting('translate.system', document) !== '')
		into.push(
			{
				label: `$(globe) ${vscode.l10n.t('Translate into {0}, formal', language)}`,
				change: { to, tone: 'formal' },
			},
			{
				label: `$(globe) ${vscode.l10n.t('Translate into {0}, informal', language)}`,
				change: { to, tone: 'informal' },
			},
		);
	return [
		{ label: '', kind: vscode.QuickPickItemKind.Separator },
		...(to === '' ? [] : into),
		{ label: `$(globe) ${vscode.l10n.t('Translate into …')}`, needsLanguage: true },
	];
}
