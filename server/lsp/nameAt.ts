/** The name at a place of a document, as programming languages have them. */

import type { Position, Range } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { lineText } from './prose/proseFinder.ts';

/** Languages whose names may have hyphens. */
const hyphenated: ReadonlySet<string> = new Set(
	'css scss less sass stylus html xml vue svelte clojure lisp common-lisp scheme'.split(' '),
);

export interface NamePlace {
	readonly name: string;
	readonly range: Range;
}

function nameCharacters(languageId: string): string {
	return hyphenated.has(languageId) ? '\\p{L}\\p{M}\\p{N}_$-' : '\\p{L}\\p{M}\\p{N}_$';
}

/** The name that touches a position; `undefined` when there is none. */
export function nameAt(
	document: TextDocument,
	{ line, character }: Position,
): NamePlace | undefined {
	const row = lineText(document, line);
	const pattern = new RegExp(`[${nameCharacters(document.languageId)}]+`, 'gu');
	for (const match of row.matchAll(pattern)) {
		const end = match.index + match[0].length;
		if (match.index > character) return undefined;
		if (end < character) continue;
		const name = match[0].replace(/^-+|-+$/g, '');
		const start = match.index + match[0].indexOf(name);
		if (name === '' || !/^[^\p{N}]/u.test(name) || !/\p{L}/u.test(name)) return undefined;
		return {
			name,
			range: { start: { line, character: start }, end: { line, character: start + name.length } },
		};
	}
	return undefined;
}

/** Offsets at which a name stands as a whole. */
export function placesOf(document: TextDocument, name: string): number[] {
	const text = document.getText();
	const characters = new RegExp(`[${nameCharacters(document.languageId)}]`, 'u');
	const places: number[] = [];
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
		const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + name.length)];
		const last = [...before].at(-1);
		const next = [...after.slice(0, 2)][0];
		if (!(last && characters.test(last)) && !(next && characters.test(next))) places.push(at);
	}
	return places;
}
