/** Message files that are lists of entries: `.properties` and gettext `.po`. */

import { isFilled, poEntries } from './poEntries.ts';
import { headerForms, poHeaderOf, withoutFuzzy } from './poHeader.ts';
import { propertyEntries } from './propertyEntries.ts';

/** One message with the source code it is copied by. */
export interface MessageLine {
	readonly key: string;
	readonly text: string;
	/** Its texts, where it has several or none for translators. */
	readonly parts?: readonly string[];
	/** Whether it has a translation, read as a file of the target language. */
	readonly isFilled: boolean;
	/** Offsets of the whole entry with its comments. */
	readonly start: number;
	readonly end: number;
	/** Source code without a translation of its own. */
	readonly code: string;
	/** Where its value stands, when a value is replaced rather than filled. */
	readonly valueAt?: readonly [start: number, end: number];
	/** What stands around a value that is put there: an element in its short form is opened by it. */
	readonly around?: readonly [before: string, after: string];
	/** Plural forms, or what a list is made of. */
	readonly items?: readonly LineItem[];
	readonly isList?: boolean;
}

/** A plural form, or one of the texts of a list. */
export interface LineItem {
	/** Category of the form, or place in the list from 0. */
	readonly key: string;
	readonly text: string;
	/** Its texts for translators. */
	readonly parts: readonly string[];
	readonly isFilled: boolean;
	readonly start: number;
	readonly end: number;
	readonly code: string;
	readonly valueAt: readonly [start: number, end: number];
}

/** Messages of a `.po` file, perhaps in a language (BCP 47); a copy has no translation yet. */
export function poLines(text: string, to?: string): MessageLine[] {
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const entries = poEntries(text);
	const count = headerForms(poHeaderOf(entries), to)?.count;
	return entries
		.filter(({ id, context }) => id.text !== '' || context)
		.map((entry) => {
			const at = entry.strings[0]?.start ?? entry.end;
			const strings = entry.plural ? [`msgstr[0] ""`, `msgstr[1] ""`] : [`msgstr ""`];
			const head = withoutFuzzy(text.slice(entry.start, at));
			return {
				key: entry.context ? `${entry.context.text}\u0004${entry.id.text}` : entry.id.text,
				text: entry.plural ? `${entry.id.text} / ${entry.plural.text}` : entry.id.text,
				isFilled: isFilled(entry, count),
				start: entry.start,
				end: entry.end,
				code: `${head}${strings.join(eol)}`,
			};
		});
}

/** Where the comments right above an offset at the start of a line begin; the offset when there are none. */
function startOfComments(text: string, start: number): number {
	let from = start;
	while (from > 0 && text[from - 1] === '\n') {
		const line = text.lastIndexOf('\n', from - 2) + 1;
		if (!/^[ \t\f]*[#!]/.test(text.slice(line, from - 1))) break;
		from = line;
	}
	return from;
}

/** Messages of a `.properties` file, each with the comments right above it. */
export function propertiesLines(text: string): MessageLine[] {
	return propertyEntries(text).map(({ key, value, start, valueStart, end }) => {
		const from = startOfComments(text, start);
		return {
			key,
			text: value,
			isFilled: value.trim() !== '',
			start: from,
			end,
			code: text.slice(from, end),
			valueAt: [valueStart, end],
		};
	});
}
