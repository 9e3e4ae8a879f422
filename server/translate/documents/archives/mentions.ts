/**
 * Comments of Excel that are answered in threads and name people: where a name stands is noted beside the text, as the
 * number of characters before it, and is counted anew in a translation.
 */

import { applyEdits } from '../edits.ts';
import { type MarkupPart, markupPiece, readable } from '../markup.ts';
import type { Piece } from '../piece.ts';
import {
	childElements,
	contentOf,
	localName,
	type XmlElement,
	type XmlNode,
	xmlAttributes,
	xmlCode,
	xmlWords,
} from '../xmlTree.ts';

interface Mention {
	/** Offset in the words of the comment. */
	readonly start: number;
	readonly end: number;
	/** Offsets of the number in the source code that says where it stands. */
	readonly place: { readonly start: number; readonly end: number };
}

const mentionsOf = (words: XmlElement): XmlElement | undefined =>
	words.parent?.children.find(
		(child: XmlNode): child is XmlElement =>
			child.kind === 'element' && localName(child) === 'mentions' && child.start >= words.end,
	);

/** Whether people are named in a comment. */
export const hasMentions = (words: XmlElement): boolean => mentionsOf(words) !== undefined;

/** @returns nothing where the names do not stand where it is said */
export function mentioningText(text: string, words: XmlElement): Piece[] {
	const above = mentionsOf(words);
	const said = xmlWords(contentOf(text, words));
	const found = above && placesIn(text, above, said.length);
	if (!above || !found) return [];
	const parts: MarkupPart[] = [];
	const add = (from: number, to: number) => {
		for (const [at, part] of said
			.slice(from, to)
			.split(/(\r?\n)/)
			.entries())
			if (part !== '')
				parts.push({ raw: xmlCode(part.replaceAll('&', '&amp;')), fixed: at % 2 === 1 });
	};
	let next = 0;
	for (const [index, { start, end }] of found.entries()) {
		add(next, start);
		parts.push({ raw: `\u0001${index}\u0002`, fixed: true });
		next = end;
	}
	add(next, said.length);
	const [start, end] = [words.content, above.end];
	const piece = markupPiece(parts, start, end, { read: readable, write: xmlCode });
	if (!piece) return [];
	const encode: Piece['encode'] = (made) => {
		let code = '';
		let length = 0;
		const edits = piece
			.encode(made)
			.split(/\u0001(\d+)\u0002/)
			.flatMap((part, at) => {
				const mention = at % 2 === 1 ? found[Number(part)] : undefined;
				const own = mention
					? xmlCode(said.slice(mention.start, mention.end).replaceAll('&', '&amp;'))
					: part;
				const before = length;
				code += own;
				length += xmlWords(own).length;
				if (!mention) return [];
				const { start: from, end: to } = mention.place;
				return [{ start: from - words.contentEnd, end: to - words.contentEnd, text: `${before}` }];
			});
		return code + applyEdits(text.slice(words.contentEnd, end), edits).text;
	};
	return [{ ...piece, encode }];
}

/** Where people are named, in the order of the text; `undefined` where that cannot be. */
function placesIn(text: string, above: XmlElement, length: number): Mention[] | undefined {
	const found: Mention[] = [];
	for (const element of childElements(above)) {
		const attributes = xmlAttributes(text, element);
		const place = attributes.find(({ name }) => name === 'startIndex');
		const size = Number(attributes.find(({ name }) => name === 'length')?.value);
		const start = Number(place?.value);
		if (!place || !Number.isSafeInteger(start) || !Number.isSafeInteger(size)) return undefined;
		found.push({ start, end: start + size, place });
	}
	found.sort((a, b) => a.start - b.start);
	const isOrdered = found.every(
		({ start, end }, at) => start >= (found[at - 1]?.end ?? 0) && end > start && end <= length,
	);
	return isOrdered ? found : undefined;
}
