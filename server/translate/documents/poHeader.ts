/** What the header of a gettext file says of its language and of its plural forms. */

import { type PluralForms, parsePluralForms } from './pluralForms.ts';
import type { PoEntry } from './poEntries.ts';

/** The header among the entries of a file. */
export const poHeaderOf = (entries: readonly PoEntry[]): PoEntry | undefined =>
	entries.find(({ id, context }) => id.text === '' && !context);

/** What stands before the strings of an entry, without the mark that nobody has looked at them. */
export const withoutFuzzy = (head: string): string =>
	head
		.replace(/^#,[ \t]*fuzzy[ \t]*\r?\n/m, '')
		.replace(/^#,[ \t]{0,8}fuzzy,[ \t]{0,8}/m, '#, ')
		.replace(/^(#,.{0,1000}?),[ \t]{0,8}fuzzy\b/m, '$1');

/** The language that the header names, perhaps none yet. */
export const poLanguage = (header: PoEntry | undefined): string | undefined =>
	/^Language:[ \t]*([\w-]*)/m.exec(header?.strings[0]?.text ?? '')?.[1];

/** Forms the header states, unless they are a template's or of another language. */
export function headerForms(
	header: PoEntry | undefined,
	to: string | undefined,
): PluralForms | undefined {
	const lines = header?.strings[0]?.text ?? '';
	const language = poLanguage(header) ?? '';
	const isOther = language !== '' && to !== undefined && !sameBase(language, to);
	const value = /^Plural-Forms:(.*)$/m.exec(lines)?.[1];
	return isOther || value === undefined ? undefined : parsePluralForms(value);
}

export const sameBase = (a: string, b: string) =>
	a.toLowerCase().split(/[-_]/)[0] === b.toLowerCase().split(/[-_]/)[0];
