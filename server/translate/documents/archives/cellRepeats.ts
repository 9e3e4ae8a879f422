/** Charts of a workbook repeat what cells say: in a translation they say what the cells say there. */

import { applyEdits } from '../edits.ts';
import type { MessageEdit } from '../messageTree.ts';
import {
	childElements,
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlCodeOfWords,
	xmlWords,
} from '../xmlTree.ts';

/** A part of a file as it came, and what has become of it. */
export interface MadePart {
	readonly source: string;
	readonly made: string;
}

/** What cells said → what they say now; of those that say the same, the first. */
export function cellWords(parts: readonly MadePart[]): Map<string, string> {
	const found = new Map<string, string>();
	for (const { source, made } of parts) {
		if (source === made) continue;
		const [before, now] = [cellsIn(source), cellsIn(made)];
		// Elements that have come or gone leave nobody to tell them by.
		if (before.length !== now.length) continue;
		for (const [at, words] of before.entries()) {
			const own = now[at] ?? '';
			if (words !== '' && own !== '' && words !== own && !found.has(words)) found.set(words, own);
		}
	}
	return found;
}

/** A chart that says what the cells say that it repeats. */
export function repeatedCells(
	{ source, made }: MadePart,
	cells: ReadonlyMap<string, string>,
): string {
	const [before, now] = [repeatsIn(source), repeatsIn(made)];
	if (before.length !== now.length) return made;
	const edits = now.flatMap((element, at): MessageEdit[] => {
		const own = before[at];
		const words = own && cells.get(plainWords(contentOf(source, own)));
		if (words === undefined || words === plainWords(contentOf(made, element))) return [];
		return [{ start: element.content, end: element.contentEnd, text: xmlCodeOfWords(words) }];
	});
	return applyEdits(made, edits).text;
}

/** Words of shared strings and strings in cells, and of paragraphs in cells of OpenDocument, in their order. */
function cellsIn(text: string): string[] {
	return [...elementsIn(readXml(text))].flatMap((element) => {
		const name = localName(element);
		if (name === 'si' || name === 'is') return [stringWords(text, element)];
		return isCellParagraph(element) ? [plainWords(contentOf(text, element))] : [];
	});
}

/** Words of a string without how they are read aloud. */
function stringWords(text: string, string: XmlElement): string {
	let words = '';
	for (const child of childElements(string)) {
		const own = localName(child) === 'r' ? childElements(child) : [child];
		for (const one of own) if (localName(one) === 't') words += contentOf(text, one);
	}
	return plainWords(words);
}

const plainWords = (raw: string): string =>
	xmlWords(raw.replace(/<[^<>]*>/g, ''))
		.replace(/\r\n/g, '\n')
		.trim();

const isCellParagraph = ({ name, parent }: XmlElement): boolean =>
	name === 'text:p' && parent?.name === 'table:table-cell';

/** What a chart keeps of cells, each one text. */
function repeatsIn(text: string): XmlElement[] {
	return [...elementsIn(readXml(text))].filter(
		(element) =>
			(/^(?:v|pt)$/.test(localName(element)) || isCellParagraph(element)) &&
			element.content < element.contentEnd &&
			element.children.every(({ kind }) => kind === 'text'),
	);
}
