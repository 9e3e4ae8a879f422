/** Into which language a command translates: the setting, or what the user picks. */

import * as vscode from 'vscode';
import type { LanguageServerClient } from './languageServerClient.ts';
import { setting, storeSetting } from './settings.ts';

/** The setting's language; asks (and remembers the answer) when there is none. */
export async function targetLanguage(
	languageServer: LanguageServerClient,
	scope?: vscode.ConfigurationScope,
): Promise<string | undefined> {
	return setting('translate.targetLanguage', scope) || chooseTargetLanguage(languageServer);
}

/** Lets the user choose from the languages the models know and stores the choice. */
export async function chooseTargetLanguage(
	languageServer: LanguageServerClient,
): Promise<string | undefined> {
	const code = await pickLanguage(languageServer);
	if (code !== undefined) await storeSetting('translate.targetLanguage', code);
	return code;
}

/** Name of a language in the language of the editor. */
export function languageLabel(code: string): string {
	try {
		const names = new Intl.DisplayNames([vscode.env.language, 'en'], { type: 'language' });
		return names.of(code) ?? code;
	} catch {
		return code;
	}
}

/** Lets the user choose a language; the preferred ones come first. */
export async function pickLanguage(
	languageServer: LanguageServerClient,
): Promise<string | undefined> {
	return (await pickLanguages(languageServer, [], false))?.[0];
}

/** Lets the user choose languages, but for some. */
export async function pickLanguages(
	languageServer: LanguageServerClient,
	without: readonly string[],
	isMany = true,
): Promise<string[] | undefined> {
	const preferred = setting('translate.languages');
	const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { code: string }>();
	pick.placeholder = vscode.l10n.t('Translate to');
	pick.matchOnDescription = true;
	pick.canSelectMany = isMany;
	pick.busy = true;
	pick.show();
	const chosen = new Promise<string[] | undefined>((resolve) => {
		pick.onDidAccept(() => resolve(pick.selectedItems.map(({ code }) => code)));
		pick.onDidHide(() => resolve(undefined));
	});
	try {
		const { languages } = await languageServer.request('nearglot/languages', {
			displayLanguage: vscode.env.language,
		});
		const rank = (code: string) => {
			const place = preferred.indexOf(code);
			return place === -1 ? preferred.length : place;
		};
		pick.items = languages
			.filter(({ code }) => !without.includes(code))
			.map(({ code, name, nativeName }) => ({
				code,
				label: name,
				description: nativeName === name ? code : `${nativeName} · ${code}`,
			}))
			.sort((a, b) => rank(a.code) - rank(b.code) || a.label.localeCompare(b.label));
		pick.busy = false;
		return await chosen;
	} finally {
		pick.dispose();
	}
}
