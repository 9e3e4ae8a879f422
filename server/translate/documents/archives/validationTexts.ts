/** What cells of a workbook say before something is typed into them, and when it does not go there. */

import { escapeMarkup, readable } from '../markup.ts';
import type { Piece } from '../piece.ts';
import { elementsIn, localName, readXml, xmlAttributes } from '../xmlTree.ts';

/** Attribute → letters that Excel opens without a repair. */
const longest: ReadonlyMap<string, number> = new Map([
	['error', 255],
	['errorTitle', 32],
	['prompt', 255],
	['promptTitle', 32],
]);

export const hasValidationTexts = (text: string): boolean =>
	/<(?:\w{1,20}:)?dataValidation\s[^<>]*\s(?:prompt|error)(?:Title)?="[^"]/.test(text);

export function validationTexts(text: string): Piece[] {
	if (!hasValidationTexts(text)) return [];
	const pieces: Piece[] = [];
	for (const element of elementsIn(readXml(text))) {
		if (localName(element) !== 'dataValidation') continue;
		for (const { name, value, start, end, quote } of xmlAttributes(text, element)) {
			const most = longest.get(name);
			if (most === undefined || !/\p{L}{2}/u.test(value)) continue;
			pieces.push({
				start,
				end,
				text: readable(text.slice(start, end)).trim(),
				isWhole: (made) => made.length <= most,
				encode: (made) => escapeMarkup(made).replaceAll(quote, quote === '"' ? '&quot;' : '&apos;'),
			});
		}
	}
	return pieces;
}
