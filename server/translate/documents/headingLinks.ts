/**
 * Links to headings of the same document. An address that is made of a heading's words is another one when the words
 * are translated: the links to it follow. Links are compared by the gate before that, as their source has them.
 */

import { applyEdits } from './edits.ts';
import type { DocumentAnchors } from './slugs.ts';

/** What headings are called after a translation, by what they were called; `undefined` where that is the same. */
export type HeadingNames = ReadonlyMap<
	string,
	{ readonly name: string; readonly words: string } | undefined
>;

/** The new names of a document's headings; none where the two have other headings. */
export function headingNames(source: DocumentAnchors, made: DocumentAnchors): HeadingNames {
	const names = new Map<string, { readonly name: string; readonly words: string } | undefined>();
	if (source.headings.length !== made.headings.length) return names;
	const wanted = source.links.map(({ name }) => name);
	const tables = source.slugs
		.map((slugs, at) => {
			const before = slugs(source.headings);
			const known = new Set(before);
			const count = wanted.filter((name) => known.has(name)).length;
			return { before, now: (made.slugs[at] ?? slugs)(made.headings), count };
		})
		// Which rule holds for the document, its own links say.
		.sort((a, b) => b.count - a.count);
	const given = new Map<string, number>();
	source.headings.forEach(({ id }, place) => {
		if (id && !given.has(id)) given.set(id, place);
	});
	/** Whether a link leads to a heading before it, which has been given that address. */
	const isTaken = (name: string, place: number) => (given.get(name) ?? place) < place;
	/** What a heading has an address by that its words cannot be: of its own, or by another rule. */
	const otherName = (place: number): string =>
		made.headings[place]?.id || (tables.find(({ now }) => now[place])?.now[place] ?? '');
	for (const { before, now } of tables)
		before.forEach((name, place) => {
			if (name === '' || names.has(name) || source.ids.has(name) || isTaken(name, place)) return;
			const next = now[place] || otherName(place);
			const words = made.headings[place]?.words ?? '';
			names.set(name, next === '' || next === name ? undefined : { name: next, words });
		});
	return names;
}

/** What is now in the place of a name; `undefined` where it stays, or is none of a heading. */
export const renamed = <T>(names: ReadonlyMap<string, T>, name: string): T | undefined =>
	names.get(names.has(name) ? name : name.toLowerCase());

/** A translated text whose links lead to the headings as they are called now. */
export function withHeadingLinks(
	text: string,
	source: DocumentAnchors,
	made: DocumentAnchors,
): string {
	if (made.links.length === 0) return text;
	const names = headingNames(source, made);
	const edits = made.links.flatMap(({ start, end, name, write }) => {
		const now = source.ids.has(name) ? undefined : renamed(names, name);
		return now ? [{ start, end, text: write?.(now.name, now.words) ?? now.name }] : [];
	});
	return applyEdits(text, edits).text;
}
