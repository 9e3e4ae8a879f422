/** Asks what is to become of a part of a text: words of the user's own, one of the last wishes, or a translation. */

import * as vscode from 'vscode';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { setting } from '../settings.ts';
import { languageLabel, pickLanguage } from '../targetLanguage.ts';

/** What the user wants: a change in words, or another language in a tone. */
export type Wish =
	| { readonly words: string }
	| { readonly to: string; readonly tone?: 'formal' | 'informal' };

interface WishItem extends vscode.QuickPickItem {
	readonly wish?: Wish;
	readonly asksLanguage?: boolean;
}

const key = 'nearglot.edit.wishes';
/** Wishes that are offered again. */
const maxWishes = 5;

/** The wish for a part; `undefined` when the user turned away. */
export async function askWish(
	languageServer: LanguageServerClient,
	memory: vscode.Memento,
	place: string,
	document: vscode.TextDocument,
): Promise<Wish | undefined> {
	const last = memory.get<readonly string[]>(key, []);
	const fixed = [...last.map(again), ...translations(document)];
	const pick = vscode.window.createQuickPick<WishItem>();
	pick.title = vscode.l10n.t('Edit in Place: {0}', place);
	pick.placeholder = vscode.l10n.t('What is to change, for example: handle an empty list');
	pick.items = fixed;
	pick.onDidChangeValue((value) => {
		const words = value.trim();
		const own: WishItem = { label: `$(edit) ${words}`, alwaysShow: true, wish: { words } };
		pick.items = words === '' ? fixed : [own, ...fixed];
	});
	const chosen = await new Promise<WishItem | undefined>((resolve) => {
		pick.onDidAccept(() => resolve(pick.selectedItems[0]));
		pick.onDidHide(() => resolve(undefined));
		pick.show();
	});
	pick.dispose();
	if (chosen?.asksLanguage) {
		const to = await pickLanguage(languageServer);
		return to === undefined ? undefined : { to };
	}
	const { wish } = chosen ?? {};
	if (wish && 'words' in wish) {
		const { words } = wish;
		const wishes = [words, ...last.filter((one) => one !== words)].slice(0, maxWishes);
		await memory.update(key, wishes);
	}
	return wish;
}

const again = (words: string): WishItem => ({ label: `$(history) ${words}`, wish: { words } });

/** Translations of the part: a tone only where a system was chosen that knows tones. */
function translations(document: vscode.TextDocument): WishItem[] {
	const to = setting('translate.targetLanguage', document);
	const language = languageLabel(to);
	const into: WishItem[] = [
		{ label: `$(globe) ${vscode.l10n.t('Translate into {0}', language)}`, wish: { to } },
	];
	if (setting('translate.system', document) !== '')
		into.push(
			{
				label: `$(globe) ${vscode.l10n.t('Translate into {0}, formal', language)}`,
				wish: { to, tone: 'formal' },
			},
			{
				label: `$(globe) ${vscode.l10n.t('Translate into {0}, informal', language)}`,
				wish: { to, tone: 'informal' },
			},
		);
	return [
		{ label: '', kind: vscode.QuickPickItemKind.Separator },
		...(to === '' ? [] : into),
		{ label: `$(globe) ${vscode.l10n.t('Translate into …')}`, asksLanguage: true },
	];
}
