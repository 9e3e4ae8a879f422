/**
 * The words of HTML: sentences between block tags, with inline tags kept in place, and attributes that are
 * read (`title`, `alt`, values of buttons, descriptions of the page). Scripts, styles, code and what is marked
 * `translate="no"` stay.
 */

import { Parser } from 'htmlparser2';
import { pushAll } from '../../protocol/lists.ts';
import { escapeMarkup, type MarkupPart, markupPiece, readable } from './markup.ts';
import type { Piece } from './piece.ts';
import { isReadAttribute } from './readAttributes.ts';
import { Untouched } from './untouched.ts';

const inline = new Set(
	'a abbr b bdi bdo big br cite data del dfn em font i img ins label mark q ruby rb rp rt s small span strike strong sub sup time u wbr code kbd samp var tt'.split(
		' ',
	),
);

const empty = new Set(['br', 'img', 'wbr']);

export const htmlReading = { decodeEntities: false } as const;
/** XHTML is read as the XML it is: tags close themselves, and names have a case. */
export const xhtmlReading = { xmlMode: true, decodeEntities: false } as const;
export type HtmlReading = typeof xhtmlReading | typeof htmlReading;

/** Sentences between block tags. */
export function htmlSentences(text: string, reading: HtmlReading = htmlReading): Piece[] {
	const pieces: Piece[] = [];
	const kept = new Untouched();
	let parts: MarkupPart[] = [];
	let start = 0;
	/** Inline tags that are open in it: a line that ends amid them goes on. */
	let openTags = 0;
	/** End of what is in `parts`, or of the last thing that is no sentence. */
	let done = 0;
	const add = (to: number, fixed: boolean) => {
		if (to <= done) return;
		const raw = text.slice(done, to);
		const last = parts.at(-1);
		// Fixed content is one stand-in from its start tag to its end tag.
		if (fixed && kept.now && last?.fixed)
			parts[parts.length - 1] = { ...last, raw: last.raw + raw };
		else parts.push({ raw, fixed, start: done });
		done = to;
	};
	const close = (to: number) => {
		const piece = markupPiece(withTemplates(parts), start, done);
		if (piece) pieces.push(piece);
		parts = [];
		openTags = 0;
		done = Math.max(done, to);
		start = done;
	};
	const parser: Parser = new Parser(
		{
			onopentag(name, attributes, implied) {
				const wasKept = kept.now;
				if (implied) {
					kept.open(name, attributes);
					return;
				}
				const [from, to] = [parser.startIndex, parser.endIndex + 1];
				add(from, true);
				kept.open(name, attributes);
				const isEnd = name === 'br' && !wasKept && openTags === 0 && endsSentence(parts);
				if (!inline.has(name) || isEnd) close(to);
				else if (!wasKept) {
					if (!empty.has(name)) openTags++;
					parts.push({ raw: text.slice(from, to), fixed: true, start: from });
					done = to;
				} else add(to, true);
			},
			ontext() {
				// What the parser passed over without a word, like a stray end tag.
				add(parser.startIndex, true);
				add(parser.endIndex + 1, kept.now);
			},
			oncomment() {
				add(parser.endIndex + 1, true);
			},
			onprocessinginstruction() {
				close(parser.endIndex + 1);
			},
			onclosetag(name, implied) {
				const to = implied ? parser.startIndex : parser.endIndex + 1;
				if (!implied) add(parser.startIndex, true);
				if (inline.has(name) && !implied) add(to, true);
				kept.close();
				if (!inline.has(name)) close(to);
				else if (!kept.now && !empty.has(name)) openTags--;
			},
			onend() {
				close(text.length);
			},
		},
		reading,
	);
	parser.end(text);
	return pieces;
}

/** Whether a line ends with a sentence, so that the next one says something else. */
function endsSentence(parts: readonly MarkupPart[]): boolean {
	const last = parts.slice(-20).findLast(({ fixed, raw }) => !fixed && raw.trim() !== '');
	return last !== undefined && /[.!?:;。！？]["'”’»)]*\s*$/u.test(last.raw);
}

/** Parts in which instructions of template engines (`<%= name %>`), text to the parser, are none. */
function withTemplates(parts: readonly MarkupPart[]): MarkupPart[] {
	const joined: MarkupPart[] = [];
	for (const part of parts) {
		const last = joined.at(-1);
		if (last && !last.fixed && !part.fixed)
			joined[joined.length - 1] = { ...last, raw: last.raw + part.raw };
		else joined.push(part);
	}
	return joined.flatMap((part) => {
		if (part.fixed || !part.raw.includes('<%')) return [part];
		let at = part.start ?? 0;
		return part.raw.split(/(<%[^%]{0,500}%>)/).map((raw, index) => {
			const own = { raw, fixed: index % 2 === 1, start: at };
			at += raw.length;
			return own;
		});
	});
}

/** Values of attributes that people read, in the tags they stand in. */
export function htmlAttributes(text: string, reading: HtmlReading = htmlReading): Piece[] {
	const pieces: Piece[] = [];
	const kept = new Untouched();
	let ofTag: { name: string; piece: Piece }[] = [];
	const parser: Parser = new Parser(
		{
			onattribute(name, value, quote) {
				if (!quote || value.includes('<%') || !/\p{L}{2}/u.test(value)) return;
				const source = text.slice(parser.startIndex, parser.endIndex);
				const offset = source.indexOf(quote) + 1;
				const start = parser.startIndex + offset;
				const raw = source.slice(offset, source.endsWith(quote) ? -1 : undefined);
				ofTag.push({
					name,
					piece: {
						start,
						end: start + raw.length,
						text: readable(raw).trim(),
						encode: (translation) =>
							escapeMarkup(translation).replaceAll(quote, quote === '"' ? '&quot;' : '&#39;'),
					},
				});
			},
			onopentag(name, attributes) {
				// What is marked as not to be translated keeps its own attributes, too; code does not.
				const isKept = kept.open(name, attributes);
				const read = ofTag.filter((one) => isReadAttribute(name, one.name, attributes));
				if (!isKept)
					pushAll(
						pieces,
						read.map(({ piece }) => piece),
					);
				ofTag = [];
			},
			onclosetag: () => kept.close(),
		},
		reading,
	);
	parser.end(text);
	return pieces;
}
