/**
 * OpenDocument: paragraphs and headings with their words among tags. Notes, comments and text boxes inside of a
 * paragraph are done before it and stand in its place; fields keep their results.
 */

import { gateRules } from '../../gate/gateRules.ts';
import { type MarkupPart, markupPiece } from '../markup.ts';
import type { Extract, Piece } from '../piece.ts';
import {
	childElements,
	contentOf,
	readXml,
	type XmlElement,
	xmlAttribute,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';
import { altTexts, openAttributes } from './altTexts.ts';
import type { IsCodeStyle } from './codeStyles.ts';
import type { ComparedWords } from './comparedWords.ts';
import { openFieldTexts } from './fieldTexts.ts';
import { withOpenLanguage } from './openLanguage.ts';
import { isCellProse } from './sheetTexts.ts';

const paragraphs = new Set(['text:p', 'text:h']);
/** Words without a paragraph: headers and footers of slides, and titles that indexes get when they are updated. */
const bare = new Set([
	'presentation:header-decl',
	'presentation:footer-decl',
	'text:index-title-template',
]);
/** Elements whose words are the sentence's own. */
const passed = new Set(['text:span', 'text:a', 'text:meta', 'text:placeholder', 'text:text-input']);
const breaks = new Set(['text:tab', 'text:line-break']);
/** Texts about pictures and objects. */
const titles = new Set(['svg:title', 'svg:desc']);
/** What is no part of the document as it is now. */
const untouched = new Set([
	'text:tracked-changes',
	'table:tracked-changes',
	'table:table-template',
]);

/**
 * @param isCodeStyle words in these styles stay
 * @param kept what formulas of a sheet compare its cells with; `undefined` of documents that are no sheets
 * @param source the language (ISO 639) that the document says it is in
 */
export function extractOpenDocument(
	isCodeStyle: IsCodeStyle,
	kept: ComparedWords | undefined,
	source: string | undefined,
): Extract {
	return Object.assign((text: string) => extract(text, false, kept, isCodeStyle), {
		faultOf: xmlFault,
		rules: gateRules.openDocument,
		before: Object.assign((text: string) => innerTexts(text, kept, isCodeStyle), {
			before: inFields,
		}),
		prepare: (text: string, to: string) => withOpenLanguage(text, source, to),
	});
}

const attributes = altTexts(openAttributes);

const inFields = (text: string): Piece[] =>
	[...attributes(text), ...openFieldTexts(text)].sort((a, b) => a.start - b.start);

const innerTexts = (text: string, kept: ComparedWords | undefined, isCodeStyle: IsCodeStyle) =>
	/<(?:text:note|office:annotation|draw:text-box|svg:title|svg:desc)\b/.test(text)
		? extract(text, true, kept, isCodeStyle)
		: [];

function extract(
	text: string,
	inner: boolean,
	kept: ComparedWords | undefined,
	isCodeStyle: IsCodeStyle,
): Piece[] {
	const isCode = (element: XmlElement) =>
		isCodeStyle(xmlAttribute(text, element, 'text:style-name'));
	const pieces: Piece[] = [];
	const visit = (above: XmlElement, within: boolean, cell: XmlElement | undefined): void => {
		for (const element of childElements(above)) {
			const { name } = element;
			if (untouched.has(name)) continue;
			const own = name === 'table:table-cell' ? element : cell;
			if (paragraphs.has(name) || bare.has(name)) {
				const isText = !isCode(element) && isWords(text, element, own, kept);
				if (within === inner && isText) addPieces(text, element, inner, isCode, pieces);
				// What is deeper is inside of a paragraph either way.
				visit(element, true, own);
			} else if (titles.has(name) && inner) addPieces(text, element, inner, isCode, pieces);
			else visit(element, within, own);
		}
	};
	visit(readXml(text), false, undefined);
	return pieces;
}

/** Whether a paragraph is not what a cell shows of a number or a formula. */
function isWords(
	text: string,
	paragraph: XmlElement,
	cell: XmlElement | undefined,
	kept: ComparedWords | undefined,
): boolean {
	if (!kept || !cell || paragraph.parent !== cell) return true;
	if (xmlAttribute(text, cell, 'table:formula') !== undefined) return false;
	const type = xmlAttribute(text, cell, 'office:value-type');
	if (type !== undefined && type !== 'string') return false;
	if (xmlAttribute(text, cell, 'office:string-value') !== undefined) return false;
	const words = xmlWords(contentOf(text, paragraph).replace(/<[^<>]*>/g, '')).trim();
	return isCellProse(words) && !kept.has(words);
}

/** What the formulas of a sheet compare its cells with. */
export function comparedInFormulas(text: string, found: ComparedWords): ComparedWords {
	const formulas = /\b(?:table:formula|table:condition|table:value|style:condition)="([^"<]*)"/g;
	for (const [, formula = ''] of text.matchAll(formulas)) found.addFormula(xmlWords(formula));
	return found;
}

/** Sentences of a paragraph, which breaks end; one that is inside of a link ends nothing. */
function addPieces(
	text: string,
	paragraph: XmlElement,
	inner: boolean,
	isCode: (element: XmlElement) => boolean,
	pieces: Piece[],
): void {
	let parts: MarkupPart[] = [];
	let start = paragraph.content;
	const close = (end: number, next: number) => {
		const piece = markupPiece(parts, start, end);
		if (piece) pieces.push(piece);
		parts = [];
		start = next;
	};
	const visit = (above: XmlElement, depth: number): void => {
		for (const child of above.children) {
			const { start: from, end } = child;
			const raw = text.slice(from, end);
			if (child.kind !== 'element') parts.push({ raw, fixed: child.kind !== 'text' });
			else if (breaks.has(child.name) && depth === 0) close(from, end);
			// Its paragraphs are pieces of the same round.
			else if (inner && depth === 0 && /<text:[ph][\s>]/.test(raw)) close(from, end);
			else if (child.name === 'text:ruby') base(child);
			else if (
				passed.has(child.name) &&
				!isCode(child) &&
				child.content < child.end &&
				child.contentEnd > child.content
			) {
				parts.push({ raw: text.slice(from, child.content), fixed: true });
				visit(child, depth + 1);
				parts.push({ raw: text.slice(child.contentEnd, end), fixed: true });
			} else parts.push({ raw, fixed: true });
		}
	};
	/** What is said above words is about words that are gone then. */
	const base = (ruby: XmlElement): void => {
		for (const words of childElements(ruby, 'text:ruby-base')) visit(words, 1);
	};
	visit(paragraph, 0);
	close(paragraph.contentEnd, paragraph.contentEnd);
}
