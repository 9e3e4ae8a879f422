/**
 * Sentence splitting. Lossless: the pieces always concatenate to the input. White space between two
 * sentences belongs to the first one. Paragraphs are cut first, then Unicode sentence rules, then
 * merges for what those rules get wrong (abbreviations, initials, ordinals).
 */

import { primaryLanguage } from './languageCodes.ts';
import abbreviations from './scripts/data/abbreviations.json' with { type: 'json' };

/** `[start, end)` in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/** Abbreviations that CLDR's lists lack and that practically never end a sentence. */
const more: Readonly<Record<string, string>> = {
	en: 'Dr. Mr. Mrs. Ms. Prof. Sr. Jr. St. vs. e.g. i.e. cf. Fig. fig. No. Nos. Eq. eq. Sec. approx. Inc. Ltd. Co. Corp. Gen. Col. Lt. Capt. Rev. Hon. Gov. Sen. Rep. al. resp. viz. ca. pp. p. ed. eds. vol. min. max. Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec.',
	de: 'Dr. Prof. Hr. Fr. Nr. Abb. Tab. Kap. bzw. ca. ggf. inkl. exkl. evtl. usw. vgl. z.B. d.h. u.a. s.o. s.u. z. B. d. h. u. a. i. d. R. o. ä. S. Bd. Hrsg. Str. Tel. St. Mio. Mrd. max. min. Jan. Feb. Apr. Aug. Sept. Okt. Nov. Dez.',
	fr: 'M. MM. Mme. Mlle. Dr. Pr. St. Ste. p. ex. cf. env. av. apr. J.-C. éd. vol. chap. art. fig. no. n° tél. max. min.',
	es: 'Sr. Sra. Srta. Dr. Dra. D. Dña. Ud. Uds. EE. UU. p. ej. pág. págs. núm. art. cap. fig. aprox. tel. av. avda. máx. mín.',
	it: 'Sig. Sig.ra Dott. Dott.ssa Prof. Avv. Ing. pag. pp. es. art. cap. fig. ecc. vol. tel.',
	pt: 'Sr. Sra. Dr. Dra. Prof. Exmo. pág. págs. ex. núm. art. cap. fig. aprox. tel. máx. mín.',
	nl: 'dhr. mevr. dr. prof. ir. bijv. d.w.z. o.a. enz. nr. blz. ca. m.b.t. i.p.v. t.o.v. vgl. max. min.',
	ru: 'т. е. т.е. т. д. т.д. т. п. т.п. т. к. т.к. г. гг. в. вв. стр. рис. табл. им. ул. д. кв. см. напр. др. пр. руб. коп. млн. млрд. тыс. проф. акад.',
	pl: 'dr. prof. inż. mgr. np. tzn. tj. itd. itp. ul. nr. str. rys. tab. godz. m.in. ok. r. w. św.',
	cs: 'dr. prof. ing. mgr. např. tzn. tj. atd. apod. č. str. obr. tab. ul. nám. r. st. sv. popř. resp.',
	sv: 'dr. prof. t.ex. bl.a. d.v.s. m.m. osv. nr. s. ca. resp. st. kl.',
	tr: 'Dr. Prof. Doç. Sn. vb. vs. örn. bkz. No. Cad. Sok.',
};

const listed = new Map<string, ReadonlySet<string>>();

function abbreviationsOf(language: string): ReadonlySet<string> {
	const known = listed.get(language);
	if (known) return known;
	const lists: Readonly<Record<string, readonly string[]>> = abbreviations.lists;
	// Units of two words ("z. B.") are matched by their last word; rule "dotted" sees the rest.
	const words = [...(lists[language] ?? []), ...(more[language] ?? more['en'] ?? '').split(' ')];
	const set = new Set(words.map((word) => word.toLowerCase()));
	listed.set(language, set);
	return set;
}

/** Languages that write ordinals as a number with a full stop. */
const ordinalDot = new Set('de cs sk da nb fi hu pl hr sl et lv is tr sr bs hsb dsb fo'.split(' '));

/** English words that start a sentence after a dotted abbreviation ("in the U.S. He …"). */
const starters = new Set(
	'he she it they we i you the this that these those in on at but and however if when what why how there a an for as after before then so also our my his her its their there now'.split(
		' ',
	),
);

/**
 * Whether the text before a boundary ends in something that is no end of a sentence.
 * `before` is the text of the sentence so far without trailing space, `after` what follows.
 */
function joins(before: string, after: string, language: string): boolean {
	const next = after.trimStart();
	if (next === '') return false;
	if (/^[)\]}»”’"'.,;:!?…]/u.test(next) && /^["'][\p{L}\p{N}]/u.test(next) === false) return true;
	if (!before.endsWith('.')) return false;
	if (/^\p{Ll}/u.test(next)) return true;
	const word = /(?:^|[\s([{"'“„«])([^\s([{"'“„«]+)$/u.exec(before)?.[1] ?? '';
	const start = /^[\p{L}\p{M}]+/u.exec(next)?.[0] ?? '';
	const number = /^\p{N}/u.test(next);
	if (ordinalDot.has(language) && /^\p{N}{1,2}\.$/u.test(word) && /^\p{L}/u.test(next)) return true;
	// One letter is an initial, save the pronoun that ends "so do I."
	if (/^\p{Lu}\.$/u.test(word) && !(language === 'en' && word === 'I.')) return true;
	if (/^\p{L}{1,4}\.$/u.test(word) && number && abbreviationsOf(language).has(word.toLowerCase())) {
		return true;
	}
	if (/(?:^|\s)(?:\p{L}{1,2}\.\s?){2,}$/u.test(before) || /^(?:\p{L}{1,2}\.){2,}$/u.test(word)) {
		return language !== 'en' || !starters.has(start.toLowerCase());
	}
	const key = word.toLowerCase();
	if (!abbreviationsOf(language).has(key)) return false;
	// "etc.", "No." and months end sentences too: let a capitalised function word decide in English.
	return (
		language !== 'en' || !starters.has(start.toLowerCase()) || /^(dr|mr|mrs|ms|prof|st)\./.test(key)
	);
}

const segmenters = new Map<string, Intl.Segmenter>();

function segmenter(language: string): Intl.Segmenter {
	const known = segmenters.get(language);
	if (known) return known;
	const made = new Intl.Segmenter(language, { granularity: 'sentence' });
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

const paragraphEnd = /(?:\r\n|[\n\r\u2028\u2029])\s*/gu;

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
				const before = text.slice(Math.max(sentenceStart, at - 80), at).trimEnd();
				if (index === 0 && !/[.!?。！？…]["'”’)\]]*$/u.test(before)) continue;
				if (joins(before, text.slice(at, Math.min(end, at + 40)), primary)) continue;
				boundaries.push(at);
				sentenceStart = at;
			}
		}
		if (end < text.length) boundaries.push(end);
		paragraphStart = end;
	};
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
		while (held < keep.length && (keep[held]?.[1] ?? 0) <= at) held++;
		if ((keep[held]?.[0] ?? at) < at) continue;
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
