/** Plural messages whose forms are elements or entries beside each other, each named by its CLDR category. */

import { applyEdits } from '../edits.ts';
import type { MessageEdit, MessageEntry } from '../messageTree.ts';
import type { Branches } from '../piece.ts';
import { categoryBranches, entriesFor, pluralKey, siblingsOf } from '../pluralKeys.ts';

/** The forms of one message, in order. */
export interface PluralItems {
	readonly items: readonly PluralItem[];
	/** Source code of a form under another category. */
	readonly renamed: (code: string, category: string) => string;
}

export interface PluralItem {
	readonly category: string;
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** A text in which the messages have the categories of a language, with texts of the source. */
export function withCategories(text: string, groups: readonly PluralItems[], to: string): string {
	const edits = groups.flatMap(({ items, renamed }): MessageEdit[] => {
		const [first, second] = items;
		const last = items.at(-1);
		if (!first || !last || !items.some(({ category }) => category === 'other')) return [];
		const entries = items.map(({ category, start, end, text: value }): MessageEntry => {
			return { key: category, start, end, value: { start, end, value } };
		});
		const tree = { start: first.start, end: last.end, value: undefined, entries };
		// A message with one form alone is no map of categories to the others.
		const alone = items.length === 1;
		const wanted = alone
			? entriesFor(
					{ ...tree, entries: [{ ...(entries[0] as MessageEntry), key: 'one' }, ...entries] },
					to,
				)
			: entriesFor(tree, to);
		const isSame =
			wanted.map(({ key }) => key).join() === items.map(({ category }) => category).join() &&
			wanted.every(({ start }, at) => items[at]?.start === start);
		if (isSame) return [];
		const line = text.slice(text.lastIndexOf('\n', first.start) + 1, first.start);
		const gap = second
			? text.slice(first.end, second.start)
			: line.trim() === ''
				? `\n${line}`
				: '';
		const rows = wanted.map(({ key, start, end }) => renamed(text.slice(start, end), key));
		return [{ start: first.start, end: last.end, text: rows.join(gap) }];
	});
	return applyEdits(text, edits).text;
}

/** How one form is translated, with a number of its category in it. */
export function itemBranches(
	{ category, text }: Pick<PluralItem, 'category' | 'text'>,
	categories: readonly string[],
	to: string | undefined,
): Branches | undefined {
	const plural = pluralKey(category, siblingsOf(categories));
	return plural && to !== undefined ? categoryBranches(text, plural, to) : undefined;
}
