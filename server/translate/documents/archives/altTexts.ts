/** What pictures of Office documents say to those who do not see them. */

import { escapeMarkup, readable } from '../markup.ts';
import type { Piece } from '../piece.ts';
import { elementsIn, localName, readXml, xmlAttributes } from '../xmlTree.ts';

/** Reads `descr` and `title` of elements by their local names. */
export function altTexts(names: readonly string[]): (text: string) => Piece[] {
	return (text) => {
		if (!/\s(?:descr|title)="[^"]/.test(text)) return [];
		const pieces: Piece[] = [];
		for (const element of elementsIn(readXml(text))) {
			if (!names.includes(localName(element))) continue;
			for (const { name, value, start, end, quote } of xmlAttributes(text, element)) {
				if (name !== 'descr' && name !== 'title') continue;
				// Programs write the name of the file there.
				if (!/\p{L}{2}/u.test(value) || /^\S+\.\w{2,4}$/.test(value.trim())) continue;
				pieces.push({
					start,
					end,
					text: readable(text.slice(start, end)).trim(),
					encode: (made) =>
						escapeMarkup(made).replaceAll(quote, quote === '"' ? '&quot;' : '&apos;'),
				});
			}
		}
		return pieces;
	};
}
