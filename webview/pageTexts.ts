/** Translations of a page in a browser, from l10n/, in the reader's language. */

import { config } from '@vscode/l10n';

const bundles: ReadonlyMap<string, () => Promise<{ default: Record<string, string> }>> = new Map(
	Object.entries<() => Promise<{ default: Record<string, string> }>>({
		de: () => import('../l10n/bundle.l10n.de.json'),
		es: () => import('../l10n/bundle.l10n.es.json'),
		fr: () => import('../l10n/bundle.l10n.fr.json'),
	}),
);

/** Loads the texts of the first language that there are translations for, and names it. */
export async function loadPageTexts(languages: readonly string[]): Promise<string> {
	for (const language of languages.map((tag) => tag.toLowerCase().split('-')[0] ?? '')) {
		if (language === 'en') break;
		const load = bundles.get(language);
		if (!load) continue;
		config({ contents: (await load()).default });
		return language;
	}
	return 'en';
}
