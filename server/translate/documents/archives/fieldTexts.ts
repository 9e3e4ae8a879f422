/**
 * What fields show of words that stand elsewhere too: references to headings repeat them, so that they are translated
 * as these are, and a list of choices shows one of its choices.
 */

import { trailingSpace } from '../../whiteSpace.ts';
import { readable } from '../markup.ts';
import type { Piece } from '../piece.ts';
import {
	childElements,
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	type XmlNode,
	xmlAttribute,
	xmlCode,
	xmlWords,
} from '../xmlTree.ts';

/** A reference to words, not to the number or the place of a paragraph. */
const isWordReference = (code: string): boolean =>
	/^\s*REF\s+[^\s\\]/i.test(code) && !/\\[nrwp#]/i.test(code);

/** What may lie between the runs of words that are one text: signs without a width, and their own elements. */
const joining = new Set(
	'r t rPr proofErr lastRenderedPageBreak bookmarkStart bookmarkEnd softHyphen smartTag'.split(' '),
);

interface OpenField {
	readonly above: XmlElement | undefined;
	code: string;
	separated: boolean;
	/** Elements with the words of its result, in texts of one or several; `undefined` where it is made of more. */
	result: XmlElement[][] | undefined;
}

/** Adds an element of a result to its texts. */
function addTo(result: XmlElement[][], element: XmlElement): void {
	const name = localName(element);
	if (name === 't') {
		const last = result.at(-1);
		if (last) last.push(element);
		else result.push([element]);
	} else if (!joining.has(name)) result.push([]);
}

/** A list of choices among the words of a paragraph: what it shows is one of them, whatever is around it. */
export function isChoice(element: XmlElement): boolean {
	const { children } = element;
	const [properties, content] = ['sdtPr', 'sdtContent'].map((name) =>
		children.find((child) => child.kind === 'element' && localName(child) === name),
	);
	const has = (above: XmlNode | undefined, names: RegExp) =>
		above?.kind === 'element' && childElements(above).some((one) => names.test(localName(one)));
	return (
		localName(element) === 'sdt' &&
		has(properties, /^(?:dropDownList|comboBox)$/) &&
		!has(content, /^(?:p|tbl|tr|tc|sdt)$/)
	);
}

/** The result of a field that is one element. */
function resultOf(field: XmlElement): XmlElement[][] {
	const result: XmlElement[][] = [];
	let formatEnd = 0;
	for (const element of elementsIn(field)) {
		const name = localName(element);
		if (name === 'fldChar' || name === 'fldSimple') return [];
		if (element.start < formatEnd) continue;
		if (name === 'rPr') formatEnd = element.end;
		addTo(result, element);
	}
	return result;
}

/** Results of references in a Word document. */
export function wordFieldTexts(text: string): Piece[] {
	if (!/REF\s|<(?:\w{1,20}:)?(?:dropDownList|comboBox)\b/i.test(text)) return [];
	const found: { readonly above: XmlElement | undefined; readonly pieces: readonly Piece[] }[] = [];
	/** What has runs with words beside the marks of a field: all of it is read as sentences. */
	const mixed = new Set<XmlElement | undefined>();
	const wordedRuns = new Map<XmlElement | undefined, boolean>();
	const hasWords = (run: XmlElement | undefined): boolean => {
		const known = wordedRuns.get(run);
		if (known !== undefined) return known;
		const isSo = run?.children.some(
			(child) => child.kind === 'element' && localName(child) === 't',
		);
		wordedRuns.set(run, isSo === true);
		return isSo === true;
	};
	const open: OpenField[] = [];
	const add = (
		above: XmlElement | undefined,
		code: string,
		result: readonly (readonly XmlElement[])[],
	) => {
		if (isWordReference(code))
			found.push({ above, pieces: result.flatMap((words) => wordsOf(text, words)) });
	};
	/** Where properties end, whose elements are no part of a text. */
	let formatEnd = 0;
	for (const element of elementsIn(readXml(text))) {
		const name = localName(element);
		if (element.start < formatEnd) continue;
		if (name === 'rPr') formatEnd = element.end;
		const top = open.at(-1);
		if (/^(?:fldChar|instrText)$/.test(name) && hasWords(element.parent))
			mixed.add(element.parent?.parent);
		if (isChoice(element))
			for (const words of resultOf(element))
				found.push({ above: undefined, pieces: wordsOf(text, words) });
		if (name === 'fldSimple') {
			// What is around another field is made of more.
			if (top?.separated) top.result = undefined;
			add(undefined, xmlWords(attribute(text, element, 'instr')), resultOf(element));
		} else if (name === 'instrText' && top && !top.separated) top.code += contentOf(text, element);
		else if (name === 'fldChar') {
			const type = attribute(text, element, 'fldCharType');
			const above = element.parent?.parent;
			// Those around the innermost one are made of more already.
			if (top && (type === 'begin' || top.above !== above)) top.result = undefined;
			if (type === 'begin') open.push({ above, code: '', separated: false, result: [] });
			else if (type === 'separate' && top) top.separated = true;
			else if (type === 'end') {
				const done = open.pop();
				if (done?.result) add(above, done.code, done.result);
			}
		} else if (top?.separated && top.result) addTo(top.result, element);
	}
	return found.flatMap(({ above, pieces }) => (above && mixed.has(above) ? [] : pieces));
}

/** References to words, and lists of choices, of an OpenDocument file. */
export function openFieldTexts(text: string): Piece[] {
	if (!/<text:(?:drop-down|bookmark-ref|reference-ref)\b/.test(text)) return [];
	return [...elementsIn(readXml(text))].flatMap((element) => {
		const isReference =
			/^(?:bookmark|reference)-ref$/.test(localName(element)) &&
			xmlAttribute(text, element, 'text:reference-format') === 'text';
		if (!isReference && element.name !== 'text:drop-down') return [];
		return element.children.flatMap((child) =>
			child.kind === 'text' ? textPiece(text, child.start, child.end) : [],
		);
	});
}

const attribute = (text: string, element: XmlElement, name: string): string =>
	xmlAttribute(text, element, element.name.slice(0, element.name.lastIndexOf(':') + 1) + name) ??
	'';

/** The words of one or several elements as one text, which the first of them gets. */
function wordsOf(text: string, elements: readonly XmlElement[]): Piece[] {
	const words = elements.filter(({ content, contentEnd }) => content < contentEnd);
	const [first, ...more] = words;
	if (!first) return [];
	if (more.length === 0) return textPiece(text, first.content, first.contentEnd);
	const raw = words.map((element) => contentOf(text, element)).join('');
	if (!/\p{L}{2}/u.test(xmlWords(raw))) return [];
	const start = first.content;
	const end = more.at(-1)?.contentEnd ?? start;
	const encode = (made: string) => {
		let [out, at] = [xmlCode(made.trimEnd()), first.contentEnd];
		for (const [index, { content, contentEnd }] of more.entries()) {
			out += text.slice(at, content);
			// Blanks at the end stay where they are kept.
			if (index === more.length - 1) out += trailingSpace(made);
			at = contentEnd;
		}
		return out;
	};
	return [{ start, end, text: readable(raw), encode }];
}

function textPiece(text: string, start: number, end: number): Piece[] {
	const raw = text.slice(start, end);
	if (!/\p{L}{2}/u.test(xmlWords(raw))) return [];
	return [{ start, end, text: readable(raw), encode: xmlCode }];
}
