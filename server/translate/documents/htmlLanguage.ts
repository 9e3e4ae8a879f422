/** What an HTML document says of its own language and writing direction, said of the target instead. */

import { Parser } from 'htmlparser2';
import { directionOf, sameLanguage, scriptOf } from '../languageCodes.ts';
import { applyEdits } from './edits.ts';
import { languageTag } from './languageTag.ts';
import type { MessageEdit } from './messageTree.ts';
import { Untouched } from './untouched.ts';

/** An attribute with its place in the document. */
interface Attribute {
	readonly name: string;
	readonly value: string;
	/** Offsets of the value, without quotes. */
	readonly start: number;
	readonly end: number;
	readonly quoted: boolean;
}

/** What `<meta>` says the language of a page by. */
const languageMetas = new Set(['og:locale', 'content-language', 'language', 'dc.language']);

const languageAttributes = new Set(['lang', 'xml:lang']);

/**
 * `lang` and `xml:lang` of `<html>`, and of elements in the same language, name the target; `dir` of `<html>`
 * follows its script, and comes where the document is to be read from the right. What `<meta>` says of the page is said
 * of the target. Other languages inside stay named.
 *
 * @param to Target language (BCP 47)
 * @param isXml It is read as XML, whose encoding is UTF-8 where nothing is said of it
 */
export function inLanguage(text: string, to: string, isXml = false): string {
	const tag = languageTag(to);
	if (tag === undefined) return text;
	const edits: MessageEdit[] = [];
	const kept = new Untouched();
	let ofTag: Attribute[] = [];
	/** Language that `<html>` names. */
	let source: string | undefined;
	const direction = directionOf(scriptOf(tag));
	const set = ({ start, end, quoted }: Attribute, value: string) =>
		edits.push({ start, end, text: quoted ? value : `"${value}"` });
	const setLanguage = (attributes: readonly Attribute[]) => {
		for (const attribute of attributes) if (isOf(attribute, source)) set(attribute, tag);
	};
	const setDirection = () => {
		const dir = ofTag.find(({ name }) => name === 'dir');
		if (dir && /^(?:ltr|rtl)$/i.test(dir.value) && dir.value !== direction) set(dir, direction);
	};
	/** Of what is in the language of the page: as its language, its direction is that of the translation. */
	const setInner = (name: string) => {
		const named = ofTag.filter(({ name }) => languageAttributes.has(name));
		const isOwn = named.every((attribute) => isOf(attribute, source));
		setLanguage(ofTag);
		if (isOwn && (named.length > 0 || name === 'body')) setDirection();
	};
	const setMeta = () => {
		const ofName = (name: string) => ofTag.find((one) => one.name === name);
		const key = ofName('property') ?? ofName('name') ?? ofName('http-equiv');
		const content = ofName('content');
		if (content && key && languageMetas.has(key.value.trim().toLowerCase()))
			if (isLanguage(content.value)) set(content, writtenAs(content.value.trim(), tag));
	};
	/** A page in ASCII needs no encoding, its translation does. */
	const saysNothing =
		!isXml && /^[\0-\x7f]*$/.test(text) && !/^\s*<\?xml|<meta\s[^<>]*charset/i.test(text);
	const addEncoding = (at: number) => {
		// A page that is XML as well stays so.
		const end = text.includes('http://www.w3.org/1999/xhtml') ? ' />' : '>';
		edits.push({ start: at, end: at, text: `<meta charset="utf-8"${end}` });
	};
	/** Where the head of a page begins, whose tags may be left out; parts of pages have neither. */
	let pageAt: number | undefined;
	let hasHead = false;
	let hasHtml = false;
	let hasAny = false;
	const noteTag = (name: string, { endIndex }: Parser) => {
		if (name === 'html') pageAt = endIndex + 1;
		hasAny = true;
		hasHtml ||= name === 'html';
		if (name !== 'head') return;
		hasHead = true;
		if (saysNothing && text[endIndex - 1] !== '/') addEncoding(endIndex + 1);
	};
	const openRoot = (name: string, start: number) => {
		const named = ofTag.filter(({ name }) => languageAttributes.has(name));
		source ??= named.find(({ value }) => value.trim() !== '')?.value.trim();
		for (const attribute of named) set(attribute, tag);
		const hasDirection = ofTag.some(({ name }) => name === 'dir');
		if (!hasDirection && direction === 'rtl' && name === 'html')
			edits.push({ start, end: start, text: ' dir="rtl"' });
		else setDirection();
	};
	const parser: Parser = new Parser(
		{
			onattribute(name, value, quote) {
				const written = text.slice(parser.startIndex, parser.endIndex);
				const quoted = quote === '"' || quote === "'";
				const offset = quoted ? written.indexOf(quote) + 1 : written.indexOf('=') + 1;
				const raw = written.slice(offset, quoted && written.endsWith(quote) ? -1 : undefined);
				const start = parser.startIndex + offset;
				if (offset > 0) ofTag.push({ name, value, start, end: start + raw.length, quoted });
			},
			onopentag(name, attributes, implied) {
				const { startIndex } = parser;
				if (!kept.open(name, attributes) && !implied) {
					if (name === 'meta') setMeta();
					noteTag(name, parser);
					// A page may say what it is in at its body alone.
					const isRoot = name === 'html' || (name === 'body' && source === undefined);
					if (isRoot) openRoot(name, startIndex + '<html'.length);
					else setInner(name);
				}
				ofTag = [];
			},
			onprocessinginstruction(name) {
				if (!hasAny && name.toLowerCase() === '!doctype') pageAt = parser.endIndex + 1;
			},
			onclosetag: () => kept.close(),
		},
		{ decodeEntities: false },
	);
	parser.end(text);
	if (pageAt !== undefined && !isXml) {
		const at = pageAt;
		// Nothing else says how such a page is read.
		if (!hasHtml && direction === 'rtl') {
			const language = source === undefined ? ` lang="${tag}"` : '';
			edits.push({ start: at, end: at, text: `<html dir="rtl"${language}>` });
		}
		if (!hasHead && saysNothing) addEncoding(at);
	}
	return applyEdits(text, edits).text;
}

/** Whether an attribute names the language that the document is in. */
function isOf({ name, value }: Attribute, source: string | undefined): boolean {
	return languageAttributes.has(name) && source !== undefined && sameLanguage(value.trim(), source);
}

const isLanguage = (value: string): boolean =>
	/^[A-Za-z]{2,3}(?:[_-][A-Za-z]{2})?$/.test(value.trim());

/** A language as one beside it is written: `en_US` has its country, `en` has none. */
function writtenAs(model: string, tag: string): string {
	const joint = model.includes('_') ? '_' : '-';
	if (model.length < 5 || model.indexOf(joint) < 0) return tag;
	const { language, region } = new Intl.Locale(tag).maximize();
	return region === undefined ? tag : `${language}${joint}${region}`;
}
