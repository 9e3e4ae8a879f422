/** Texts of the studio page in the language of the browser; translations come from l10n/, when needed. */

import { signal } from '@preact/signals';
import { type StudioKey, studioStrings, whereModelsRun } from './studioStrings.ts';
import { modelsRunHere } from './visitor.ts';

export type { StudioKey } from './studioStrings.ts';

const bundles: Readonly<Record<string, () => Promise<{ default: Record<string, string> }>>> = {
	de: () => import('../l10n/bundle.l10n.de.json'),
	es: () => import('../l10n/bundle.l10n.es.json'),
	fr: () => import('../l10n/bundle.l10n.fr.json'),
};

/** Translations by English text; empty for English. */
export const translations = signal<Readonly<Record<string, string>>>({});

/** Loads the texts of the first language that there are translations for, and names it. */
export async function loadTexts(languages: readonly string[]): Promise<string> {
	for (const language of languages.map((tag) => tag.toLowerCase().split('-')[0] ?? '')) {
		if (language === 'en') return 'en';
		const load = bundles[language];
		if (!load) continue;
		translations.value = (await load()).default;
		return language;
	}
	return 'en';
}

/** A text in the reader's language, and true of where the models run. */
function inLanguage(text: string): string {
	const english = modelsRunHere() ? text : (whereModelsRun[text] ?? text);
	return translations.value[english] ?? english;
}

/** A text of the page; `{0}`, `{1}` … are replaced. */
export function text(key: StudioKey, ...values: (string | number)[]): string {
	return inLanguage(studioStrings[key]).replace(/\{(\d)\}/g, (_, place) =>
		String(values[Number(place)] ?? ''),
	);
}

/** Texts of the chat in the same language. */
export function translated<K extends string>(
	strings: Readonly<Record<K, string>>,
): Record<K, string> {
	const entries = Object.entries<string>(strings).map(([key, english]) => [
		key,
		inLanguage(english),
	]);
	return Object.fromEntries(entries) as Record<K, string>;
}
