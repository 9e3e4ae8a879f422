/**
 * What fields show of words that stand elsewhere too: references to headings repeat them, so that they are translated
 * as these are, and a list of choices shows one of its choices.
 */

import { readable } from '../markup.ts';
import type { Piece } from '../piece.ts';
import {
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlAttribute,
	xmlCode,
	xmlWords,
} from '../xmlTree.ts';

/** A reference to words, not to the number or the place of a paragraph. */
const isWordReference = (code: string): boolean =>
	/^\s*REF\s+[^\s\\]/i.test(code) && !/\\[nrwp#]/i.test(code);

interface OpenField {
	readonly above: XmlElement | undefined;
	code: string;
	separated: boolean;
	/** Elements with the words of its result; `undefined` where it is made of more. */
	result: XmlElement[] | undefined;
}

/** Results of references in a Word document. */
export function wordFieldTexts(text: string): Piece[] {
	if (!/REF\s/i.test(text)) return [];
	const found: { readonly above: XmlElement | undefined; readonly pieces: readonly Piece[] }[] = [];
	/** What has runs with words beside the marks of a field: all of it is read as sentences. */
	const mixed = new Set<XmlElement | undefined>();
	const open: OpenField[] = [];
	const add = (
		above: XmlElement | undefined,
		code: string,
		[words, ...more]: readonly XmlElement[],
	) => {
		if (words && more.length === 0 && isWordReference(code))
			found.push({ above, pieces: wordsOf(text, words) });
	};
	for (const element of elementsIn(readXml(text))) {
		const name = localName(element);
		const top = open.at(-1);
		if (/^(?:fldChar|instrText)$/.test(name) && hasWords(element.parent))
			mixed.add(element.parent?.parent);
		if (name === 'fldSimple')
			add(
				undefined,
				xmlWords(attribute(text, element, 'instr')),
				[...elementsIn(element)].filter((inner) => localName(inner) === 't'),
			);
		else if (name === 't' && top?.separated) top.result?.push(element);
		else if (name === 'instrText' && top && !top.separated) top.code += contentOf(text, element);
		else if (name === 'fldChar') {
			const type = attribute(text, element, 'fldCharType');
			const above = element.parent?.parent;
			for (const one of open) if (type === 'begin' || one.above !== above) one.result = undefined;
			if (type === 'begin') open.push({ above, code: '', separated: false, result: [] });
			else if (type === 'separate' && top) top.separated = true;
			else if (type === 'end') {
				const done = open.pop();
				if (done?.result) add(above, done.code, done.result);
			}
		}
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

const hasWords = (run: XmlElement | undefined): boolean =>
	run?.children.some((child) => child.kind === 'element' && localName(child) === 't') === true;

const attribute = (text: string, element: XmlElement, name: string): string =>
	xmlAttribute(text, element, element.name.slice(0, element.name.lastIndexOf(':') + 1) + name) ??
	'';

const wordsOf = (text: string, { content, contentEnd }: XmlElement): Piece[] =>
	textPiece(text, content, contentEnd);

function textPiece(text: string, start: number, end: number): Piece[] {
	const raw = text.slice(start, end);
	if (!/\p{L}{2}/u.test(xmlWords(raw))) return [];
	return [{ start, end, text: readable(raw), encode: xmlCode }];
}
