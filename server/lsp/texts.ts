/** Sentences of the language server in the language of the editor; translations are in l10n/. */

import { config, t } from '@vscode/l10n';

/** English texts; the value is what is translated. */
export const editingStrings = {
	comment: 'Translate comment to {0}',
	docstring: 'Translate docstring to {0}',
	string: 'Translate string to {0}',
	text: 'Translate paragraph to {0}',
	selection: 'Translate selection to {0}',
	name: 'Name this symbol in {0}',
	translating: 'Translating',
	translatingInto: 'Translating into {0}',
	glossary: 'Nearglot: add “{0}”',
	newMessages: 'New messages ({0})',
	changed: 'The text has changed meanwhile; nothing was replaced.',
	refused: 'The editor refused the change.',
	head: 'The first line must name at least two languages, separated by tabs, such as “en”, tab, “de”.',
	language: '“{0}” is no language code, or it stands there twice.',
	cells: 'There are more cells than languages ({0}).',
	single: 'A term needs words in at least two languages, separated by tabs.',
	conflict: '“{0}” has another translation in line {1}, which is the one that is used.',
	doubtful: 'estimated quality {0} %',
	betterModel: 'Better model …',
	quote: 'Terms must not have < or >.',
	lost: '{0} is missing',
	added: '{0} is not in the source',
	conversions: 'its conversions have another order or number',
	noIcu: 'it is no ICU message any more',
} as const;

/** Names of the sentences; `{0}`, `{1}` … are filled in. */
export type TextName = keyof typeof editingStrings;

type Bundle = { readonly default: Record<string, string> };

const bundles: ReadonlyMap<string, () => Promise<Bundle>> = new Map(
	Object.entries<() => Promise<Bundle>>({
		de: () => import('../../l10n/bundle.l10n.de.json', { with: { type: 'json' } }),
		es: () => import('../../l10n/bundle.l10n.es.json', { with: { type: 'json' } }),
		fr: () => import('../../l10n/bundle.l10n.fr.json', { with: { type: 'json' } }),
	}),
);

/**
 * Chooses the language of the process: that of a locale (BCP 47), or English where there are no
 * translations for it.
 */
export async function loadMessageTexts(locale: string | undefined): Promise<void> {
	const load = bundles.get((locale ?? 'en').toLowerCase().split(/[-_]/)[0] ?? 'en');
	config({ contents: load ? (await load()).default : {} });
}

/** Any text that is in l10n/, in that language. */
export const localise = (english: string, ...values: string[]): string =>
	t({ message: english, args: values, comment: [] });

/** A sentence in the language that {@link loadMessageTexts} has chosen. */
export const messageText = (name: TextName, ...values: string[]): string =>
	t({ message: editingStrings[name], args: values, comment: [] });
