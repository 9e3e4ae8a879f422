/** EPUB: the pages of a book, its table of contents and what it says of itself. Fonts may be obscured, pages not. */

import { posix } from 'node:path';
import { gateRules } from '../../gate/gateRules.ts';
import { sameLanguage } from '../../languageCodes.ts';
import { isWithin } from '../edits.ts';
import { extractXhtml } from '../htmlDocument.ts';
import { languageTag } from '../languageTag.ts';
import { type MarkupPart, markupPiece, readable } from '../markup.ts';
import type { DocumentPart } from '../parts.ts';
import type { Extract, Piece } from '../piece.ts';
import {
	childElements,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	type XmlNode,
	xmlAttribute,
	xmlCode,
	xmlWords,
} from '../xmlTree.ts';
import { altTexts } from './altTexts.ts';
import { labelTexts } from './labelTexts.ts';
import { type PartReader, protectedFile, refused, type ZipPart } from './zipFile.ts';

const package_ = Object.assign(labelTexts(['title', 'subject', 'description'], ['language']), {
	before: altTexts({ reference: ['title'] }),
	rules: gateRules.openDocument,
});
/** Names of people are no entries. */
const contents = labelTexts(['text'], [], ['docAuthor']);
const drawnLeaves = labelTexts(['text', 'tspan', 'title', 'desc']);
/** Texts of drawings; those that have words beside what is set off in them are one sentence. */
const drawing: Extract = Object.assign((text: string): Piece[] => {
	const mixed = [...elementsIn(readXml(text))].flatMap((element) =>
		localName(element) === 'text' ? (mixedText(text, element) ?? []) : [],
	);
	const others = drawnLeaves(text).filter(({ start, end }) => !isWithin(mixed, start, end));
	return [...others, ...mixed].sort((a, b) => a.start - b.start);
}, drawnLeaves);

function mixedText(text: string, element: XmlElement): Piece | undefined {
	const isWord = (child: XmlNode) =>
		child.kind === 'text' && /\p{L}{2}/u.test(xmlWords(text.slice(child.start, child.end)));
	if (!element.children.some(isWord) || childElements(element).length === 0) return undefined;
	const parts: MarkupPart[] = [];
	const add = (start: number, end: number, fixed: boolean) => {
		if (start < end) parts.push({ raw: text.slice(start, end), fixed });
	};
	const visit = ({ children }: XmlElement): void => {
		for (const child of children)
			if (child.kind !== 'element') add(child.start, child.end, child.kind !== 'text');
			else {
				add(child.start, child.content, true);
				visit(child);
				add(child.contentEnd, child.end, true);
			}
	};
	visit(element);
	const code = { read: readable, write: xmlCode };
	return markupPiece(parts, element.content, element.contentEnd, code);
}

/** Media types of parts with words. */
const kinds: ReadonlyMap<string, DocumentPart['extract']> = new Map([
	['application/xhtml+xml', extractXhtml],
	['application/x-dtbncx+xml', contents],
	['image/svg+xml', drawing],
]);

/** A drawing; `undefined` where it has no words, or is in a form that is not read: then it stays as it is. */
function drawingWithWords(part: ZipPart, reader: PartReader): string | undefined {
	try {
		const text = reader.text(part);
		if (!/<(?:\w+:)?(?:text|title|desc)[\s>]/.test(text)) return undefined;
		readXml(text);
		return text;
	} catch {
		return undefined;
	}
}

export function bookParts(
	parts: readonly ZipPart[],
	reader: PartReader,
	fileName: string,
): DocumentPart[] {
	const byName = new Map(parts.map((part) => [part.name, part]));
	const part = (name: string) => {
		const found = byName.get(name);
		if (!found) throw refused(fileName, `it has no ${JSON.stringify(name.slice(0, 100))}`);
		return found;
	};
	const encrypted = encryptedNames(byName.get('META-INF/encryption.xml'), reader);
	const container = reader.text(part('META-INF/container.xml'));
	const made: DocumentPart[] = [];
	const taken = new Set<string>();
	const take = (name: string, extract: DocumentPart['extract'], text: string) => {
		if (!taken.has(name)) made.push({ name, text, extract });
		taken.add(name);
	};
	for (const root of elementsIn(readXml(container))) {
		if (localName(root) !== 'rootfile') continue;
		const name = xmlAttribute(container, root, 'full-path') ?? '';
		const opf = reader.text(part(name));
		const source = /<dc:language[^<>]*>\s*([^\s<>]+)\s*</.exec(opf)?.[1];
		take(name, inLanguage(package_, source), opf);
		for (const item of elementsIn(readXml(opf))) {
			if (localName(item) !== 'item') continue;
			const type = xmlAttribute(opf, item, 'media-type');
			const extract = kinds.get(type ?? '');
			if (!extract) continue;
			const target = placeOf(name, xmlAttribute(opf, item, 'href') ?? '');
			const found = target === undefined ? undefined : byName.get(target);
			if (!found || taken.has(found.name)) continue;
			if (encrypted.has(found.name)) throw protectedFile(fileName);
			const isPage = extract === extractXhtml;
			const own = isPage ? extract : inLanguage(extract, source);
			const text = extract === drawing ? drawingWithWords(found, reader) : reader.text(found);
			if (text !== undefined) take(found.name, own, text);
		}
	}
	return made;
}

/** A part that says of itself to be in the language of the book. */
const inLanguage = (extract: Extract, source: string | undefined): Extract =>
	source === undefined
		? extract
		: Object.assign((text: string, to?: string) => extract(text, to), extract, {
				prepare: (text: string, to: string) => {
					const tag = languageTag(to);
					const prepared = extract.prepare?.(text, to) ?? text;
					if (tag === undefined) return prepared;
					return prepared.replace(/(\sxml:lang=")([^"<>&]{1,40})"/g, (own, before, named) =>
						sameLanguage(named, source) ? `${before}${tag}"` : own,
					);
				},
			});

/** Name of a part that an address in another one leads to. */
function placeOf(from: string, address: string): string | undefined {
	try {
		return posix.normalize(
			posix.join(posix.dirname(from), decodeURIComponent(address.split('#')[0] ?? '')),
		);
	} catch {
		// An address that is none leads nowhere.
		return undefined;
	}
}

function encryptedNames(part: ZipPart | undefined, reader: PartReader): ReadonlySet<string> {
	if (!part) return new Set();
	const text = reader.text(part);
	const names = [...elementsIn(readXml(text))]
		.filter((element) => localName(element) === 'CipherReference')
		.map((element) => placeOf('container', xmlAttribute(text, element, 'URI') ?? '') ?? '');
	return new Set(names);
}
