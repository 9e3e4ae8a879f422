/** Message files whose messages stand one after the other: `.properties`, Apple `.strings`, Android and .NET resources. */

import { indentAt } from '../whiteSpace.ts';
import { type LineItem, type MessageLine, propertiesLines } from './messageLines.ts';
import type { MessageEdit } from './messageTree.ts';
import type { Extract, Piece } from './piece.ts';
import { extractProperties } from './propertiesDocument.ts';
import { extractAndroid } from './software/androidStrings.ts';
import { appleEntries } from './software/appleEntries.ts';
import { extractAppleStrings } from './software/appleStrings.ts';
import { extractResx } from './software/resxStrings.ts';
import {
	childElements,
	contentOf,
	readXml,
	type XmlElement,
	xmlAttribute,
	xmlWords,
} from './xmlTree.ts';

export type FlatFormat = 'properties' | 'strings' | 'android' | 'resx';

export interface FlatMessages {
	readonly extract: Extract;
	/** All messages, those that are to stay as they are among them. */
	readonly lines: (text: string) => MessageLine[];
	/** Where the first message of a file without any goes. */
	readonly firstAt: (text: string) => number;
	/** Whether there is something around the messages, which a new file needs as well. */
	readonly isFramed: boolean;
	/** Declares at the root of the target what names in new messages begin with, as the source does. */
	readonly prefixes?: (
		source: string,
		target: string,
		edits: readonly MessageEdit[],
	) => MessageEdit | undefined;
}

function appleLines(text: string): MessageLine[] {
	return appleEntries(text).entries.map(({ key, raw, remark, at, start, end }) => {
		const from = at - remark.trimStart().length;
		const last = text.indexOf(';', end) + 1;
		return {
			...{ key, text: raw, isFilled: raw.trim() !== '', start: from, end: last },
			code: text.slice(from, last),
			valueAt: [start, end],
		};
	});
}

/** Elements with a name below the root, with the white space before them on their line. */
function elementLines(
	text: string,
	names: ReadonlySet<string>,
	valueIn: (element: XmlElement) => XmlElement | undefined,
	extract: Extract,
): MessageLine[] {
	const [root] = text.trim() === '' ? [] : childElements(readXml(text));
	if (!root) return [];
	const pieces = extract(text, 'en');
	let next = 0;
	return childElements(root).flatMap((element): MessageLine[] => {
		// Both are in order.
		while ((pieces[next]?.start ?? Infinity) < element.start) next++;
		const first = next;
		while ((pieces[next]?.end ?? Infinity) <= element.end) next++;
		const value = names.has(element.name) ? valueIn(element) : undefined;
		const key = xmlAttribute(text, element, 'name');
		if (!value || key === undefined) return [];
		const own = pieces.slice(first, next);
		const start = element.start - (indentAt(text, element.start)?.length ?? 0);
		const words = xmlWords(contentOf(text, value)).trim();
		return [
			{
				...{ key, start, end: element.end, isFilled: words !== '' },
				text: own.length > 0 ? own.map((piece) => piece.text.trim()).join(' ') : words,
				parts: own.map((piece) => piece.text.trim()),
				code: text.slice(start, element.end),
				...valuePlace(text, value),
				...itemsOf(text, element, own),
			},
		];
	});
}

/** Where the value of an element stands, which may be closed in its own tag. */
function valuePlace(text: string, element: XmlElement): Pick<MessageLine, 'valueAt' | 'around'> {
	const { name, content, contentEnd, end } = element;
	if (contentEnd < end) return { valueAt: [content, contentEnd] };
	const start = text.lastIndexOf('/', end);
	return { valueAt: [start, end], around: ['>', `</${name}>`] };
}

/** Plural forms and lists of Android. */
function itemsOf(
	text: string,
	element: XmlElement,
	pieces: readonly Piece[],
): Partial<Pick<MessageLine, 'items' | 'isList' | 'text'>> {
	const isList = element.name === 'string-array';
	if (!isList && element.name !== 'plurals') return {};
	const items = childElements(element, 'item').map((item, at): LineItem => {
		const own = pieces.filter(({ start, end }) => start >= item.start && end <= item.end);
		const words = xmlWords(contentOf(text, item)).trim();
		return {
			key: isList ? String(at) : (xmlAttribute(text, item, 'quantity') ?? ''),
			text: own.length === 1 ? (own[0]?.text.trim() ?? '') : words,
			parts: own.map((piece) => piece.text.trim()),
			isFilled: words !== '',
			...{ start: item.start, end: item.end, code: text.slice(item.start, item.end) },
			valueAt: [item.content, item.contentEnd],
		};
	});
	// Any form may have changed. Of a list each text counts by itself, and the first names it.
	const said = items.map((item) => item.text);
	return {
		items,
		isList,
		text: isList ? (pieces[0]?.text.trim() ?? said[0] ?? '') : said.join(' / '),
	};
}

/** Declarations of namespaces that copied messages need, as an edit of the target's root. */
function namespaces(
	source: string,
	target: string,
	edits: readonly MessageEdit[],
): MessageEdit | undefined {
	const rootOf = (text: string) =>
		text.trim() === '' ? undefined : childElements(readXml(text))[0];
	const [from, into] = [rootOf(source), rootOf(target)];
	if (!from || !into) return undefined;
	const tag = target.slice(into.start, into.content);
	const declarations = source
		.slice(from.start, from.content)
		.matchAll(/\sxmlns:([\w.-]+)\s*=\s*(?:"[^"]*"|'[^']*')/g);
	const text = [...declarations]
		.filter(
			([, prefix = '']) =>
				!new RegExp(`\\sxmlns:${prefix}\\s*=`).test(tag) &&
				edits.some((edit) => new RegExp(`[<\\s]${prefix}:`).test(edit.text)),
		)
		.map(([declaration]) => ` ${declaration.trim()}`)
		.join('');
	const at = into.start + 1 + into.name.length;
	return text === '' ? undefined : { start: at, end: at, text };
}

const beforeLastTag = (text: string): number => {
	const at = text.lastIndexOf('</');
	return at < 0 ? text.length : at;
};

export const flatMessages: Readonly<Record<FlatFormat, FlatMessages>> = {
	properties: {
		extract: extractProperties,
		lines: propertiesLines,
		firstAt: (text) => text.length,
		isFramed: false,
	},
	strings: {
		extract: extractAppleStrings,
		lines: appleLines,
		firstAt: (text) => text.length,
		isFramed: false,
	},
	android: {
		extract: extractAndroid,
		lines: (text) =>
			elementLines(
				text,
				new Set(['string', 'string-array', 'plurals']),
				(element) => element,
				extractAndroid,
			),
		firstAt: beforeLastTag,
		isFramed: true,
		prefixes: namespaces,
	},
	resx: {
		extract: extractResx,
		lines: (text) =>
			elementLines(
				text,
				new Set(['data']),
				(element) => childElements(element, 'value')[0],
				extractResx,
			),
		firstAt: beforeLastTag,
		isFramed: true,
		prefixes: namespaces,
	},
};

/** Whether a format's messages stand one after the other. */
export const isFlat = (format: string): format is FlatFormat => Object.hasOwn(flatMessages, format);

/** Whether a message has something for translators. */
export const isTranslatable = ({ parts }: Pick<MessageLine, 'parts'>): boolean =>
	parts === undefined || parts.length > 0;

/** Messages without those that have nothing for translators. */
export const translatableMessages = (lines: readonly MessageLine[]): MessageLine[] =>
	lines.filter(isTranslatable);
