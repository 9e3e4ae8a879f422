/**
 * XML as a tree with offsets, for readers that put translations back byte-exact. Strict: what is not
 * well-formed is said with its place. No entity is ever defined or fetched: a DTD with declarations of its own is refused.
 */

import { decodeEntities } from '../entities.ts';
import { Nesting } from '../nesting.ts';
import { escapeMarkup } from './markup.ts';
import type { Fault } from './piece.ts';

/** What is not XML, or no XML that is read here. */
export class XmlError extends Error {
	readonly fault: Fault;
	constructor(at: number, what: string) {
		super(what);
		this.fault = { at, what };
	}
}

/** An element; offsets in UTF-16 units. */
export interface XmlElement {
	readonly kind: 'element';
	/** With its prefix. */
	readonly name: string;
	readonly start: number;
	/** End of the start tag. */
	content: number;
	/** Start of the end tag; `content` of an empty tag. */
	contentEnd: number;
	end: number;
	readonly children: XmlNode[];
	readonly parent: XmlElement | undefined;
}

/** Text, or what is neither an element nor text: comments and instructions. */
export interface XmlLeaf {
	readonly kind: 'text' | 'cdata' | 'other';
	readonly start: number;
	readonly end: number;
}

export type XmlNode = XmlElement | XmlLeaf;

const nameEnd = /[\s/>=]/g;
const attributeAt = /\s+([^\s=<>"'/]+)\s*=\s*("[^"<]*"|'[^'<]*')/y;

/**
 * The document; its root element is among its children.
 *
 * @throws XmlError
 */
export function readXml(text: string): XmlElement {
	const whole = element('', 0, undefined);
	whole.end = text.length;
	whole.contentEnd = text.length;
	const nesting = new Nesting();
	let open = whole;
	let at = text.startsWith('\ufeff') ? 1 : 0;
	const leaf = (kind: XmlLeaf['kind'], start: number, end: number) => {
		open.children.push({ kind, start, end });
		at = end;
	};
	const until = (mark: string, from: number, what: string) => {
		const found = text.indexOf(mark, from);
		if (found < 0) throw new XmlError(at, `${what} is not closed`);
		return found + mark.length;
	};
	while (at < text.length) {
		const next = text.indexOf('<', at);
		const end = next < 0 ? text.length : next;
		if (end > at) {
			if (open === whole && text.slice(at, end).trim() !== '')
				throw new XmlError(at, 'there is text outside of all elements');
			leaf('text', at, end);
		} else if (text.startsWith('<!--', at)) leaf('other', at, until('-->', at + 4, 'a comment'));
		else if (text.startsWith('<![CDATA[', at)) leaf('cdata', at, until(']]>', at, 'CDATA'));
		else if (text.startsWith('<?', at)) leaf('other', at, until('?>', at, 'an instruction'));
		else if (text.startsWith('<!', at)) {
			const after = until('>', at, 'a declaration');
			if (text.slice(at, after).includes('['))
				throw new XmlError(at, 'it declares entities of its own, which are not read here');
			leaf('other', at, after);
		} else if (text.startsWith('</', at)) {
			const after = until('>', at, 'an end tag');
			const name = text.slice(at + 2, after - 1).trimEnd();
			if (open === whole || name !== open.name)
				throw new XmlError(at, `</${name.slice(0, 60)}> closes nothing`);
			open.contentEnd = at;
			open.end = after;
			nesting.close();
			open = open.parent ?? whole;
			at = after;
		} else {
			const made = openTag(text, at, open);
			open.children.push(made);
			at = made.content;
			if (text[made.content - 2] === '/') {
				made.end = made.content;
				made.contentEnd = made.content;
			} else {
				nesting.open();
				open = made;
			}
		}
	}
	if (open !== whole) throw new XmlError(open.start, `<${open.name}> is not closed`);
	if (!whole.children.some(({ kind }) => kind === 'element'))
		throw new XmlError(0, 'there is no element');
	return whole;
}

function openTag(text: string, at: number, parent: XmlElement): XmlElement {
	nameEnd.lastIndex = at + 1;
	const end = nameEnd.exec(text)?.index ?? text.length;
	const name = text.slice(at + 1, end);
	if (!/^[\p{L}_:]/u.test(name)) throw new XmlError(at, 'a less-than sign begins no tag');
	attributeAt.lastIndex = end;
	let after = end;
	while (attributeAt.test(text)) after = attributeAt.lastIndex;
	const rest = /\s*\/?>/y;
	rest.lastIndex = after;
	if (!rest.test(text)) throw new XmlError(at, `the tag <${name.slice(0, 60)}> is broken`);
	const made = element(name, at, parent);
	made.content = rest.lastIndex;
	return made;
}

function element(name: string, start: number, parent: XmlElement | undefined): XmlElement {
	const end = start;
	return { kind: 'element', name, start, content: end, contentEnd: end, end, children: [], parent };
}

/** Where an XML document is broken. */
export function xmlFault(text: string): Fault | undefined {
	try {
		readXml(text);
		return undefined;
	} catch (error) {
		if (error instanceof XmlError) return error.fault;
		throw error;
	}
}

/** An attribute with the offsets of its value. */
export interface XmlAttribute {
	readonly name: string;
	/** As it is read. */
	readonly value: string;
	readonly start: number;
	readonly end: number;
	readonly quote: string;
}

export function xmlAttributes(text: string, { name, start, content }: XmlElement): XmlAttribute[] {
	const tag = text.slice(start + 1 + name.length, content);
	const from = start + 1 + name.length;
	return [...tag.matchAll(/\s([^\s=<>"'/]+)\s*=\s*("[^"<]*"|'[^'<]*')/g)].map((match) => {
		const [all, key = '', quoted = ''] = match;
		const end = from + match.index + all.length - 1;
		const raw = quoted.slice(1, -1);
		return {
			name: key,
			value: xmlWords(raw),
			start: end - raw.length,
			end,
			quote: quoted[0] ?? '"',
		};
	});
}

/** Value of one attribute, `undefined` without it. */
export function xmlAttribute(text: string, of: XmlElement, name: string): string | undefined {
	return xmlAttributes(text, of).find((one) => one.name === name)?.value;
}

/** Elements below, each before those in it, in the order of the document. */
export function* elementsIn(above: XmlElement): Generator<XmlElement> {
	const rest = [above.children.values()];
	for (;;) {
		const at = rest.at(-1);
		if (!at) return;
		const { done, value } = at.next();
		if (done) rest.pop();
		else if (value.kind === 'element') {
			yield value;
			rest.push(value.children.values());
		}
	}
}

/** Child elements, of a name where one is given. */
export function childElements(above: XmlElement, name?: string): XmlElement[] {
	return above.children.filter(
		(child): child is XmlElement =>
			child.kind === 'element' && (name === undefined || child.name === name),
	);
}

/** Raw source code of what is in an element. */
export const contentOf = (text: string, { content, contentEnd }: XmlElement): string =>
	text.slice(content, contentEnd);

/** Text of XML as it is read. */
export const xmlWords = (raw: string): string => decodeEntities(raw, 0).text;

/** A name without its prefix. */
export const localName = ({ name }: XmlElement): string => name.slice(name.indexOf(':') + 1);

/** Text as source code of XML, without the characters that XML has no place for. */
export function xmlCode(text: string): string {
	return escapeMarkup(text.toWellFormed()).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');
}

/** The same of words that {@link xmlWords} has read: what looks like a reference in them is none. */
export const xmlCodeOfWords = (words: string): string => xmlCode(words.replaceAll('&', '&amp;'));
