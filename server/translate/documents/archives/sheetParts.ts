/** Sheets of a workbook as parts with words: without their cells where these have none of their own, for a sheet may have a million. */

import type { DocumentPart } from '../parts.ts';
import { hasPageTexts } from './sheetHeaders.ts';
import { hasValidationTexts } from './validationTexts.ts';

/** @returns `undefined` when all words of the sheet are those that its cells share */
export function sheetPart(
	name: string,
	text: string,
	extract: DocumentPart['extract'],
): DocumentPart | undefined {
	if (/\st="(?:inlineStr|str)"/.test(text)) return { name, text, extract };
	const cells = cellsOf(text);
	const rest = text.slice(0, cells.start) + text.slice(cells.end);
	if (!/\stooltip="/.test(rest) && !hasValidationTexts(rest) && !hasPageTexts(rest))
		return undefined;
	return {
		name,
		text: rest,
		extract,
		// Nothing in front of the cells has words.
		completed: (made) =>
			made.slice(0, cells.start) + text.slice(cells.start, cells.end) + made.slice(cells.start),
	};
}

/** What is in the element with the cells; nothing where it is not found. */
function cellsOf(text: string): { readonly start: number; readonly end: number } {
	const [tag, prefix] = /<(\w{1,20}:)?sheetData>/.exec(text) ?? [];
	const start = tag === undefined ? 0 : text.indexOf(tag) + tag.length;
	const end = tag === undefined ? 0 : text.indexOf(`</${prefix ?? ''}sheetData>`, start);
	return end < start ? { start: 0, end: 0 } : { start, end };
}
