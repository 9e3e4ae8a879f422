/**
 * Charts: their titles, and what they keep of the cells they are made from. A chart in a text or in slides shows what it
 * keeps; one in a workbook says again what its cells say.
 */

import { gateRules } from '../../gate/gateRules.ts';
import { readable } from '../markup.ts';
import type { Extract, Piece } from '../piece.ts';
import {
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlCode,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';
import type { ComparedWords } from './comparedWords.ts';
import { isCellProse } from './sheetTexts.ts';
import { extractSlide } from './slideParagraphs.ts';

/** What holds texts of cells, and never numbers. */
const holders = new Set(
	'strCache strLit multiLvlStrCache dlblRangeCache strDim tx txData'.split(' '),
);

/** @param kept words that cells of its workbook keep */
export function extractChart(kept?: ComparedWords): Extract {
	return Object.assign(
		(text: string, to?: string): Piece[] =>
			[...extractSlide(text, to), ...keptTexts(text, kept)].sort((a, b) => a.start - b.start),
		{ faultOf: xmlFault, rules: gateRules.office, ...before },
	);
}

const before = extractSlide.before ? { before: extractSlide.before } : {};

function keptTexts(text: string, kept: ComparedWords | undefined): Piece[] {
	return [...elementsIn(readXml(text))].flatMap((element): Piece[] => {
		const isValue =
			/^(?:v|pt)$/.test(localName(element)) &&
			element.content < element.contentEnd &&
			element.children.every(({ kind }) => kind === 'text');
		if (!isValue || !isTextOfCell(element)) return [];
		const raw = contentOf(text, element);
		const words = xmlWords(raw).trim();
		if (!isCellProse(words) || kept?.has(words)) return [];
		const { content: start, contentEnd: end } = element;
		return [{ start, end, text: readable(raw), encode: xmlCode }];
	});
}

function isTextOfCell({ parent }: XmlElement): boolean {
	for (let above = parent; above; above = above.parent) {
		const name = localName(above);
		if (holders.has(name)) return true;
		if (/^(?:numCache|numLit|numDim|ser|chart|rich)$/.test(name)) return false;
	}
	return false;
}
