/**
 * Sentences with tags in them, for HTML and XLIFF: tags become short stand-ins that translators keep,
 * and go back in byte for byte.
 */

import { decodeEntities } from '../entities.ts';
import { leadingSpace, trailingSpace } from '../whiteSpace.ts';
import { type InlinePart, taggedText } from './inlineTags.ts';
import type { Piece } from './piece.ts';

/** A part of a sentence: raw markup that must come out as it is, or raw text. */
export interface MarkupPart {
	readonly raw: string;
	readonly fixed: boolean;
	/** Offset in its document, of parts that have pieces inside. */
	readonly start?: number;
}

/** Source code of words ↔ words. */
export interface MarkupCode {
	readonly read: (raw: string) => string;
	readonly write: (words: string) => string;
}

/**
 * The words of a run of text and tags, to be put where `start` and `end` say.
 *
 * @returns `undefined` when there are no words. Fixed parts and white space at either end are left
 *   out of the text but come back from `encode`.
 */
export function markupPiece(
	parts: readonly MarkupPart[],
	start: number,
	end: number,
	code: MarkupCode = { read: readable, write: escapeMarkup },
): Piece | undefined {
	const isPadding = (part: MarkupPart) => part.fixed || part.raw.trim() === '';
	const first = parts.findIndex((part) => !isPadding(part));
	const last = parts.findLastIndex((part) => !isPadding(part));
	if (first < 0) return undefined;
	const core = balanced(parts, first, last);
	const raw = parts.slice(core.first, core.last + 1);
	const words = raw.filter(({ fixed }) => !fixed).map((part) => part.raw);
	if (!/\p{L}{2}/u.test(words.join(' ').replace(/&\w+;/g, ''))) return undefined;

	const pairs = partners(raw);
	const tagged = taggedText(
		raw.map((part, index): InlinePart => {
			if (!part.fixed) return { raw: part.raw, role: 'text' };
			const partner = pairs.get(index);
			if (partner === undefined) return { raw: part.raw, role: 'single' };
			const role = partner > index ? 'open' : 'close';
			return { raw: part.raw, role, pair: Math.min(partner, index) };
		}),
		code.read,
	);
	const [before, after] = [parts.slice(0, core.first), parts.slice(core.last + 1)];
	const [lead, trail] = [leadingSpace(raw[0]?.raw ?? ''), trailingSpace(raw.at(-1)?.raw ?? '')];
	return {
		start,
		end,
		text: tagged.text.trim(),
		...(tagged.tags ? { delimiters: tagged.tags, isWhole: tagged.isWhole } : {}),
		encode: (translation, sourceOf) => {
			const rawOf = ({ raw, start: at }: MarkupPart) =>
				sourceOf && at !== undefined ? sourceOf(at, at + raw.length) : raw;
			const words = tagged.restore(translation, code.write, (part) => {
				const own = raw[part];
				return own ? rawOf(own) : '';
			});
			return before.map(rawOf).join('') + lead + words + trail + after.map(rawOf).join('');
		},
	};
}

/** Start and end tags that belong together, by their places. */
function partners(parts: readonly MarkupPart[]): ReadonlyMap<number, number> {
	const partner = new Map<number, number>();
	const open: number[] = [];
	parts.forEach(({ raw, fixed }, index) => {
		if (!fixed) return;
		if (/^<\/[^>]*>$/.test(raw)) {
			const start = open.pop();
			if (start === undefined) return;
			partner.set(start, index);
			partner.set(index, start);
		} else if (/^<[^!?/](?:[^>]*[^/])?>$/.test(raw) && !/^<(?:img|br|wbr|input)\b/i.test(raw))
			open.push(index);
	});
	return partner;
}

/** The core of a sentence grows until every tag that opens in it is closed in it. */
function balanced(parts: readonly MarkupPart[], first: number, last: number) {
	const partner = partners(parts);
	let [from, to] = [first, last];
	for (let low = first, high = first; low >= from || high <= to; ) {
		const at = high <= to ? high++ : low--;
		const other = partner.get(at) ?? at;
		if (other < from) [from, low] = [other, Math.min(low, from - 1)];
		to = Math.max(to, other);
	}
	return { first: from, last: to };
}

/** Text as it is read: white space as one space, references decoded unless they are markup. */
export function readable(raw: string): string {
	return raw
		.replace(/\s+/g, ' ')
		.replace(/&(?:#[xX]?[\da-fA-F]+|[A-Za-z][A-Za-z\d]*);/g, (reference) => {
			const { text } = decodeEntities(reference, 0);
			return /[&<>\s\u200b-\u200f\u00ad]/.test(text) ? reference : text;
		});
}

/** Escapes what would be markup, but keeps the character references of `readable`. */
export function escapeMarkup(text: string): string {
	return text
		.replace(/&(?!(?:#[xX]?[\da-fA-F]+|[A-Za-z][A-Za-z\d]*);)/g, '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;');
}
