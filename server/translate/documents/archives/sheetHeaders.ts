/** Headers and footers of a sheet's pages: words between codes, such as `&L&"Arial,Bold"Sales&RPage &P`. */

import { type MarkupPart, markupPiece } from '../markup.ts';
import type { Piece } from '../piece.ts';
import { contentOf, elementsIn, localName, readXml, xmlCodeOfWords, xmlWords } from '../xmlTree.ts';

const names = /^(?:odd|even|first)(?:Header|Footer)$/;
/** What Excel opens without a repair. */
const longest = 255;

export const hasPageTexts = (text: string): boolean =>
	/<(?:\w{1,20}:)?(?:odd|even|first)(?:Header|Footer)[\s>]/.test(text);

/** Codes in source code: of places, fonts, sizes and colours, of what is calculated, and an ampersand. */
const code =
	/(&amp;(?:&amp;|&quot;[^&"<]{0,200}&quot;|"[^&"<]{0,200}"|\d{1,3}|K(?:[\dA-Fa-f]{6}|\d\d[+-]\d{3})|[A-Za-z+-])?)/;

/** Programs write line breaks as they are, as references, or in the way of strings of cells. */
const lineBreak = /(\r?\n|&#(?:10|13|x0?[ad]);|_x000[ad]_)/i;

export function pageTexts(text: string): Piece[] {
	if (!hasPageTexts(text)) return [];
	const pieces: Piece[] = [];
	for (const element of elementsIn(readXml(text))) {
		if (!names.test(localName(element))) continue;
		const raw = contentOf(text, element);
		const sections = sectionsOf(raw);
		const room = Math.floor((longest - xmlWords(raw).length) / sections.length);
		for (const { parts, start } of sections) {
			const source = parts.map((part) => part.raw).join('');
			const from = element.content + start;
			const piece = markupPiece(parts, from, from + source.length, { read, write: xmlCodeOfWords });
			if (!piece) continue;
			const most = xmlWords(source).length + Math.max(0, room);
			const codes = codesOf(source);
			pieces.push({
				...piece,
				isWhole: (made) => {
					if (!(piece.isWhole?.(made) ?? true)) return false;
					return codesOf(piece.encode(made)) === codes;
				},
				fault: (made) =>
					xmlWords(piece.encode(made)).length <= most
						? undefined
						: `it would be longer than the ${longest} characters that Excel opens`,
			});
		}
	}
	return pieces;
}

/** Left, centre and right, each with the code in front of it. */
function sectionsOf(raw: string): { readonly parts: MarkupPart[]; readonly start: number }[] {
	const sections: { parts: MarkupPart[]; start: number }[] = [{ parts: [], start: 0 }];
	let at = 0;
	raw.split(code).forEach((part, index) => {
		if (/^&amp;[LCR]$/i.test(part)) sections.push({ parts: [], start: at });
		// A line break is a border of words as well as a code is.
		const pieces = index % 2 === 1 ? [part] : part.split(lineBreak);
		for (const [place, own] of pieces.entries())
			if (own !== '')
				sections.at(-1)?.parts.push({ raw: own, fixed: index % 2 === 1 || place % 2 === 1 });
		at += part.length;
	});
	return sections.filter(({ parts }) => parts.length > 0);
}

/** A number that comes after a size would be a part of it, and an ampersand of what comes after it. */
const codesOf = (source: string): string =>
	source
		.split(code)
		.filter((_, at) => at % 2 === 1)
		.sort()
		.join(' ');

const read = (raw: string) => xmlWords(raw).replace(/\s+/g, ' ');
