/**
 * SpreadsheetML: shared strings, strings in cells, comments. Formulas, numbers, names and whatever formulas,
 * tables and filters compare with stay as they are.
 */

import { pushAll } from '../../../protocol/lists.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { readable } from '../markup.ts';
import { type Extract, type Piece, padded } from '../piece.ts';
import {
	childElements,
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlAttribute,
	xmlCode,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';
import { altTexts, sheetAttributes } from './altTexts.ts';
import type { ComparedWords } from './comparedWords.ts';
import { hasMentions, mentioningText } from './mentions.ts';
import { type RunAtom, runPieces } from './runs.ts';
import { pageTexts } from './sheetHeaders.ts';
import { validationTexts } from './validationTexts.ts';

/** Elements with texts that are made of `t` and `r`. */
const holders = new Set(['si', 'is', 'text']);

/**
 * Texts of a part of a workbook.
 *
 * @param kept words that something compares with, which are left alone
 */
export function extractSheet(kept: ComparedWords): Extract {
	return Object.assign(
		(text: string): Piece[] => {
			const pieces: Piece[] = [];
			const elements = [...elementsIn(readXml(text))];
			const isResult = resultsIn(text, elements);
			for (const element of elements) {
				if (holders.has(localName(element))) pushAll(pieces, texts(text, element, kept));
				const words = isResult(element) ? undefined : plainText(text, element);
				if (words) pushAll(pieces, texts(text, words, kept));
			}
			pushAll(pieces, pageTexts(text));
			return pieces.sort((a, b) => a.start - b.start);
		},
		{ faultOf: xmlFault, rules: gateRules.office, before: attributeTexts },
	);
}

/** The text of a cell that is neither a shared one nor a result, as some programs write all of theirs. */
function plainText(text: string, cell: XmlElement): XmlElement | undefined {
	if (localName(cell) !== 'c' || xmlAttribute(text, cell, 't') !== 'str') return undefined;
	const children = childElements(cell);
	const [only] = children;
	return children.length === 1 && only && localName(only) === 'v' ? only : undefined;
}

/** Tells of cells whether a formula for several cells fills them. */
function resultsIn(text: string, elements: readonly XmlElement[]): (cell: XmlElement) => boolean {
	const ranges = elements.flatMap((element) => {
		if (localName(element) !== 'f' || xmlAttribute(text, element, 't') !== 'array') return [];
		const [first = '', last = first] = (xmlAttribute(text, element, 'ref') ?? '').split(':');
		const [from, to] = [placeOf(first), placeOf(last)];
		return from && to ? [{ from, to }] : [];
	});
	return (cell) => {
		const place = ranges.length === 0 ? undefined : placeOf(xmlAttribute(text, cell, 'r') ?? '');
		if (!place) return false;
		const isIn = ({ from, to }: (typeof ranges)[number], at: 0 | 1) =>
			place[at] >= from[at] && place[at] <= to[at];
		return ranges.some((range) => isIn(range, 0) && isIn(range, 1));
	};
}

/** Column and row of `AB12`. */
function placeOf(reference: string): readonly [column: number, row: number] | undefined {
	const [, letters, row] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? [];
	if (letters === undefined) return undefined;
	const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
	return [column, Number(row)];
}

const alternatives = altTexts(sheetAttributes);
const attributeTexts = (text: string): Piece[] =>
	[...alternatives(text), ...validationTexts(text)].sort((a, b) => a.start - b.start);

function texts(text: string, holder: XmlElement, kept: ComparedWords): Piece[] {
	const prefix = holder.name.slice(0, -localName(holder).length);
	const children = childElements(holder);
	const [first] = children;
	const words = wordsOf(text, holder);
	if (!isCellProse(words) || kept.has(words)) return [];
	// Comments of threads are plain text.
	if (!first) return hasMentions(holder) ? mentioningText(text, holder) : [plain(text, holder)];
	const runs = children.filter((child) => localName(child) === 'r');
	// How words are read aloud in Japanese counts the characters of words that are gone then.
	const readings = children.filter((child) => /^(?:rPh|phoneticPr)$/.test(localName(child)));
	if (runs.length === 0) {
		if (localName(first) !== 't') return [];
		const piece = plain(text, first);
		const last = readings.at(-1);
		if (!last) return [piece];
		return [{ ...piece, end: last.end, encode: (made) => `${piece.encode(made)}</${first.name}>` }];
	}
	const atoms = runs.flatMap((run): RunAtom[] => {
		const { start, end } = run;
		const [said] = childElements(run).filter((child) => localName(child) === 't');
		const [properties] = childElements(run).filter((child) => localName(child) === 'rPr');
		if (!said) return [];
		const format = properties ? text.slice(properties.start, properties.end) : '';
		const place = { format, outerStart: start, outerEnd: end };
		return [{ kind: 'text', raw: contentOf(text, said), run: place, start, end }];
	});
	const pieces = runPieces(atoms, {
		runStart: `<${prefix}r>`,
		runEnd: `</${prefix}r>`,
		textStart: `<${prefix}t xml:space="preserve">`,
		textEnd: `</${prefix}t>`,
	});
	const drop = readings.map(
		({ start, end }): Piece => ({ start, end, text: '', companion: true, encode: () => '' }),
	);
	return pieces.length === 0 ? [] : [...pieces, ...drop];
}

/** Words of an element without runs; the lines of a cell are sentences of their own. */
function plain(text: string, { content, contentEnd }: XmlElement): Piece {
	const raw = text.slice(content, contentEnd);
	const piece = { start: content, end: contentEnd, text: readable(raw), encode: xmlCode };
	const lines = raw.split(/(\r?\n)/);
	if (lines.length === 1) return piece;
	const said = lines.map((line) => /\p{L}{2}/u.test(xmlWords(line)));
	return {
		...piece,
		branches: {
			texts: lines.filter((_, at) => said[at]).map((line) => readable(line).trim()),
			join: (translations) => {
				let next = 0;
				return lines
					.map((line, at) => (said[at] ? padded(translations[next++] ?? '', readable(line)) : line))
					.join('');
			},
		},
	};
}

function wordsOf(text: string, holder: XmlElement): string {
	if (holder.children.every(({ kind }) => kind !== 'element'))
		return xmlWords(contentOf(text, holder)).trim();
	let words = '';
	for (const child of childElements(holder)) {
		if (localName(child) === 't') words += contentOf(text, child);
		else if (localName(child) === 'r')
			for (const inner of childElements(child))
				if (localName(inner) === 't') words += contentOf(text, inner);
	}
	return xmlWords(words).trim();
}

/** Whether a cell's text is for people: not a code, an address or the name of a file. */
export function isCellProse(value: string): boolean {
	if (
		!/\p{L}{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(value)
	)
		return false;
	if (/\s/.test(value)) return true;
	const isCode = /[\d_]/.test(value) && !/\p{Ll}/u.test(value);
	const isPlace =
		/^#|^[a-z][a-z\d+.-]{0,20}:\/\/|^[^@]+@|^[\w.-]+\/[\w./-]*$|^[\w-]+\.[\w.-]+$/.test(value);
	return !isCode && !isPlace;
}

/** Adds what formulas, tables, filters and lists of a workbook's part compare cells with. */
export function addComparedWords(text: string, compared: ComparedWords): void {
	for (const [, formula = ''] of text.matchAll(
		/<(?:\w{1,20}:)?(?:f|formula|formula1|formula2|definedName)(?:\s[^<>]*)?>([^<]*)</g,
	))
		compared.addFormula(xmlWords(formula));
	for (const [, name = ''] of text.matchAll(
		/<(?:\w{1,20}:)?(?:tableColumn|cacheField)\s[^<>]*?\bname="([^"<]*)"/g,
	))
		compared.add(xmlWords(name));
	for (const [, value = ''] of text.matchAll(
		/<(?:\w{1,20}:)?(?:filter|customFilter|s)\s[^<>]*?\b(?:val|v)="([^"<]*)"/g,
	))
		compared.add(xmlWords(value));
}
