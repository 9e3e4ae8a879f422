/**
 * Android string resources: strings, arrays and plurals. Names, what is marked `translatable="false"`, references
 * and `xliff:g` stay; apostrophes and quotes are escaped as the format wants it.
 */

import { defined } from '../../../protocol/defined.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { htmlSentencesIn } from '../htmlDocument.ts';
import { isProse } from '../isProse.ts';
import { escapeMarkup, type MarkupPart, markupPiece, readable } from '../markup.ts';
import type { Extract, Fault, Piece } from '../piece.ts';
import { asksToKeep } from '../remarks.ts';
import {
	childElements,
	contentOf,
	readXml,
	type XmlElement,
	type XmlNode,
	xmlAttribute,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';
import { itemBranches, type PluralItems, withCategories } from './pluralItems.ts';

export const extractAndroid: Extract = Object.assign(extract, {
	faultOf,
	rules: gateRules.android,
	prepare: (text: string, to: string) =>
		withCategories(
			text,
			messages(text).flatMap(({ element }) =>
				element.name === 'plurals' ? [pluralItems(text, element)] : [],
			),
			to,
		),
});

function faultOf(text: string): Fault | undefined {
	const fault = xmlFault(text);
	if (fault) return fault;
	const root = childElements(readXml(text))[0];
	if (root?.name === 'resources') return undefined;
	return { at: root?.start ?? 0, what: 'these are no string resources of Android' };
}

/** A message that is for translators. */
interface Message {
	readonly element: XmlElement;
	/** What stands right above it. */
	readonly comment?: string;
}

function messages(text: string): Message[] {
	const root = childElements(readXml(text))[0];
	const found: Message[] = [];
	let remarks: string[] = [];
	for (const child of root?.children ?? []) {
		const code = text.slice(child.start, child.end);
		if (child.kind === 'other') remarks.push(code);
		// What stands above an empty line is said of more than one.
		if (child.kind === 'text' && /\n[ \t]*\r?\n/.test(code)) remarks = remarks.filter(asksToKeep);
		if (child.kind !== 'element') continue;
		const isKept =
			remarks.some(asksToKeep) || xmlAttribute(text, child, 'translatable') === 'false';
		const comment = remarks
			.join(' ')
			.replace(/<!--|-->/g, '')
			.replace(/\s+/g, ' ')
			.trim();
		remarks = [];
		if (!isKept && /^(?:string|string-array|plurals)$/.test(child.name))
			found.push({ element: child, ...(comment === '' ? {} : { comment }) });
	}
	return found;
}

function pluralItems(text: string, element: XmlElement): PluralItems {
	return {
		items: childElements(element, 'item').map((item) => ({
			category: xmlAttribute(text, item, 'quantity') ?? '',
			start: item.start,
			end: item.end,
			text: unescaped(readable(contentOf(text, item))),
		})),
		renamed: (code, category) =>
			code.replace(/^(<item\s[^<>]{0,200}?quantity=["'])[^"'<>]{0,20}/, `$1${category}`),
	};
}

function extract(text: string, to?: string): Piece[] {
	return messages(text).flatMap(({ element, comment }) =>
		piecesOf(text, element, to).map((piece) => ({ ...piece, ...defined({ comment }) })),
	);
}

function piecesOf(text: string, element: XmlElement, to: string | undefined): Piece[] {
	if (element.name === 'string') return valuePieces(text, element);
	const items = childElements(element, 'item');
	if (element.name !== 'plurals') return items.flatMap((item) => valuePieces(text, item));
	if (to === undefined) return [];
	const categories = items.map((item) => xmlAttribute(text, item, 'quantity') ?? '');
	return items.flatMap((item, at) =>
		valuePieces(text, item).map((piece) => {
			const category = categories[at] ?? '';
			const branches = piece.delimiters
				? undefined
				: itemBranches({ category, text: piece.text }, categories, to);
			return branches ? { ...piece, branches } : piece;
		}),
	);
}

function valuePieces(text: string, element: XmlElement): Piece[] {
	const raw = contentOf(text, element);
	// References to other resources.
	if (/^\s*[@?][\w+:./]+\s*$/.test(raw) || !isProse(xmlWords(raw).trim())) return [];
	const said = element.children.filter(
		(child) => child.kind !== 'text' || text.slice(child.start, child.end).trim() !== '',
	);
	const [only] = said;
	if (only?.kind === 'cdata' && said.length === 1) return markupIn(text, only);
	const quoted = /^\s*"[\s\S]*"\s*$/.test(raw);
	const inside = quoted ? raw.slice(raw.indexOf('"') + 1, raw.lastIndexOf('"')) : raw;
	const first = element.content + (quoted ? raw.indexOf('"') + 1 : 0);
	const start = first + writtenSpaceBefore(inside);
	const end = first + inside.length - writtenSpaceAfter(inside);
	const parts: MarkupPart[] = [];
	const add = (from: number, to: number, fixed: boolean) => {
		const part = text.slice(Math.max(from, start), Math.min(to, end));
		if (part !== '') parts.push({ raw: part, fixed });
	};
	const visit = (child: XmlNode): void => {
		if (child.kind !== 'element') add(child.start, child.end, child.kind !== 'text');
		else if (child.name === 'xliff:g' || child.content === child.end)
			add(child.start, child.end, true);
		else {
			add(child.start, child.content, true);
			for (const inner of child.children) visit(inner);
			add(child.contentEnd, child.end, true);
		}
	};
	for (const child of element.children) visit(child);
	const code = {
		read: (words: string) => unescaped(readable(words)),
		write: (words: string) => escapeMarkup(escaped(words)),
	};
	const piece = markupPiece(parts, start, end, code);
	if (!piece) return [];
	const encode = (made: string) => piece.encode(made).replace(/^[@?]/, '\\$&');
	return [{ ...piece, encode }];
}

/** Characters of white space that a text begins with, written as escapes or not. */
function writtenSpaceBefore(raw: string): number {
	return /^(?:\s|\\[nt]|\\u0020|\\u00[aA]0)*/.exec(raw)?.[0].length ?? 0;
}

/** Characters of white space that a text ends with, written as escapes or not. */
function writtenSpaceAfter(raw: string): number {
	let end = raw.length;
	for (;;) {
		const tail = raw.slice(Math.max(0, end - '\\\\u0020'.length), end);
		const found = /(?:\s|(?<!\\)\\(?:[nt]|u0020|u00[aA]0))$/.exec(tail);
		if (!found) return raw.length - end;
		end -= found[0].length;
	}
}

/** HTML in a CDATA section, where apostrophes are escaped, too. */
function markupIn(text: string, { start, end }: XmlNode): Piece[] {
	const [from, to] = [start + '<![CDATA['.length, end - ']]>'.length];
	return htmlSentencesIn(text.slice(from, to)).map((piece) => ({
		...piece,
		start: from + piece.start,
		end: from + piece.end,
		text: piece.text.replaceAll("\\'", "'"),
		encode: (made: string) => piece.encode(made).replace(/(?<!\\)'/g, "\\'"),
	}));
}

const letters: ReadonlyMap<string, string> = new Map([
	['n', '\n'],
	['t', '\t'],
]);

function unescaped(text: string): string {
	return text.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_, hex?: string, letter = '') =>
		hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (letters.get(letter) ?? letter),
	);
}

function escaped(text: string): string {
	return text
		.replace(/[\\'"]/g, '\\$&')
		.replaceAll('\n', '\\n')
		.replaceAll('\t', '\\t');
}
