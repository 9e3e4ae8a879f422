/**
 * Sentence splitting. Lossless: the pieces always concatenate to the input. White space between two
 * sentences belongs to the first one. Paragraphs are cut first, then Unicode sentence rules, then
 * merges for what those rules get wrong (abbreviations, initials, ordinals).
 */

import { isAbbreviation, startsSentence } from './abbreviations.ts';
import { addressSpans } from './addresses.ts';
import { primaryLanguage } from './languageCodes.ts';

/** `[start, end)` in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/** Languages that write ordinals as a number with a full stop. */
const ordinalDot = new Set('de cs sk da nb fi hu pl hr sl et lv is tr sr bs hsb dsb fo'.split(' '));

/** Closing marks that belong to what is before them; straight quotes open as well. */
const closing = /^[)\]}»”’"'.,;:!?…」』）】》]/u;
/** What goes on after a quotation in Japanese: と言う, って, particles. */
const afterQuotation =
	/^(?:と(?!ても|にかく|ころ|りあえず|もに|く)|って|など|[はがを](?=[\p{Script=Han}、])|の(?=\p{Script=Han}))/u;

/** Whether the text before a boundary ends in something that is no end of a sentence. */
function joins(before: string, next: string, isSpaced: boolean, language: string): boolean {
	if (next === '') return false;
	if (closing.test(next) && !/^["'][\p{L}\p{N}]/u.test(next)) return true;
	const isQuoted = /[.!?。！？…](?:["'”“’»）)\]」』]+|\s»)$/u.test(before);
	// "Stop!" he said.
	if (isQuoted && (/^\p{Ll}/u.test(next) || (!isSpaced && afterQuotation.test(next)))) return true;
	// Without a space these are parts of an expression: a?.b, x!=y.
	if (!isSpaced && /[.!?]$/.test(before) && /^[\p{Ll}\p{N}\p{P}\p{S}]/u.test(next)) return true;
	if (!before.endsWith('.')) return false;
	if (/^\p{Ll}/u.test(next)) return true;
	const word = /(?:^|[\s([{"'“„«])([^\s([{"'“„«]+)$/u.exec(before)?.[1] ?? '';
	if (ordinalDot.has(language) && /^\p{N}{1,2}\.$/u.test(word) && /^\p{L}/u.test(next)) return true;
	// One letter is an initial, save the pronoun that ends "so do I."
	if (/^\p{Lu}\.$/u.test(word) && !(language === 'en' && word === 'I.')) return true;
	if (/(?:^|\s)(?:\p{L}{1,2}\.\s?){2,}$/u.test(before) || /^(?:\p{L}{1,2}\.){2,}$/u.test(word))
		return !startsSentence(next, language);
	return isAbbreviation(word, next, language);
}

const segmenters = new Map<string, Intl.Segmenter>();

function segmenter(language: string): Intl.Segmenter {
	const known = segmenters.get(language);
	if (known) return known;
	const locale = /^(?:[a-z]{2,3}|[a-z]{5,8})$/i.test(language) ? language : 'en';
	const made = new Intl.Segmenter(locale, { granularity: 'sentence' });
	segmenters.set(language, made);
	return made;
}

/** Offset of the first character from some place on that is no white space. */
function wordFrom(text: string, from: number): number {
	const word = /\S/g;
	word.lastIndex = from;
	return word.exec(text)?.index ?? text.length;
}

/** Pieces of at most 8,000 units, cut after white space where there is any. */
function windows(text: string): Span[] {
	const spans: Span[] = [];
	for (let from = 0; from < text.length; ) {
		let to = Math.min(text.length, from + 8000);
		if (to < text.length) {
			const space = text.slice(from, to).search(/\s\S*$/u);
			if (space > 4000) to = from + space + 1;
			else if (/[\uD800-\uDBFF]/.test(text[to - 1] ?? '')) to--;
		}
		spans.push([from, to]);
		from = to;
	}
	return spans;
}

/** Without one of these no rule ends a sentence inside a paragraph; Greek questions end with a semicolon. */
const terminal = /[\p{Sentence_Terminal}\u0085;\u037E]/u;

/** Ordered spans of both lists; those that overlap become one. */
function joined(first: readonly Span[], second: readonly Span[]): readonly Span[] {
	if (second.length === 0) return first;
	const spans: [number, number][] = [];
	for (const [start, end] of [...first, ...second].sort((a, b) => a[0] - b[0])) {
		const last = spans.at(-1);
		if (last && start < last[1]) last[1] = Math.max(last[1], end);
		else spans.push([start, end]);
	}
	return spans;
}

/** A tab is between two cells, or a name and what is said of it. */
const paragraphEnd = /(?:\r\n|[\t\n\r\u2028\u2029])\s*/gu;

/**
 * Spans of the sentences of a text, in order and without gaps.
 *
 * @param language BCP 47 code; decides abbreviations and ordinals.
 * @param keep Ordered, disjoint spans inside which no boundary may fall (placeholders, elements).
 */
export function splitSentences(text: string, language: string, keep: readonly Span[] = []): Span[] {
	if (text === '') return [];
	const primary = primaryLanguage(language);
	const boundaries: number[] = [];
	let paragraphStart = 0;
	const paragraph = (end: number): void => {
		const part = text.slice(paragraphStart, end);
		let sentenceStart = paragraphStart;
		const partEnd = part.trimEnd().length;
		// The segmenter is super-linear: bounded pieces keep a 50,000 character line fast.
		for (const [from, to] of terminal.test(part) ? windows(part) : []) {
			for (const { index } of segmenter(primary).segment(part.slice(from, to))) {
				const at = paragraphStart + from + index;
				if (at === sentenceStart || from + index >= partEnd) continue;
				const near = text.slice(Math.max(sentenceStart, at - 80), at);
				const before = near.trimEnd();
				if (index === 0 && !/[.!?。！？…]["'”’)\]]*$/u.test(before)) continue;
				const next = text.slice(at, Math.min(end, at + 40)).trimStart();
				if (joins(before, next, before !== near || /^\s/.test(text.slice(at, at + 1)), primary))
					continue;
				boundaries.push(at);
				sentenceStart = at;
			}
		}
		if (end < text.length) boundaries.push(end);
		paragraphStart = end;
	};
	const whole = joined(keep, addressSpans(text));
	for (const match of text.matchAll(paragraphEnd)) {
		const end = match.index + match[0].length;
		if (text.slice(paragraphStart, match.index).trim() === '') continue;
		paragraph(end);
	}
	if (paragraphStart < text.length) paragraph(text.length);

	const spans: Span[] = [];
	let start = 0;
	const textEnd = text.trimEnd().length;
	let held = 0;
	let nextWord = wordFrom(text, 0);
	for (const at of boundaries) {
		if (at <= start || at >= text.length) continue;
		while (held < whole.length && (whole[held]?.[1] ?? 0) <= at) held++;
		if ((whole[held]?.[0] ?? at) < at) continue;
		// A last piece of white space only belongs to the sentence before it.
		if (at >= textEnd) break;
		if (at <= nextWord) continue;
		spans.push([start, at]);
		start = at;
		nextWord = wordFrom(text, start);
	}
	spans.push([start, text.length]);
	return spans;
}
