/**
 * A transcript as people work on it: lines with the times of their words, which survive editing, and
 * the translation beside them. Values only; every change makes a new document.
 */

import { defined } from './defined.ts';
import { largestOf, pushAll } from './lists.ts';
import { cutsOfWords, type SoundCut, withCuts, withoutCutsIn } from './soundCuts.ts';
import type { Transcript, TranscriptSegment, TranscriptWord } from './speechTypes.ts';
import type { TranscriptOutline } from './transcriptOutlineTypes.ts';

export interface TranscriptLine {
	/** Stays with the line when others come and go. */
	readonly id: number;
	/** Seconds from the start of the recording. */
	readonly start: number;
	readonly end: number;
	readonly text: string;
	/** In the order of the text, in which each of them occurs. */
	readonly words: readonly TranscriptWord[];
	/** Label of whoever says it, if that was asked for; {@link speakerName} has what it is shown as. */
	readonly speaker?: string;
	/**
	 * How sure the model is of its words, 0…1: the geometric mean of their probabilities. Absent where it does not say,
	 * and of what a person has written.
	 */
	readonly sureness?: number;
}

export interface TranslatedLine {
	/** What was translated: another text means that the translation is out of date. */
	readonly source: string;
	readonly text: string;
}

export interface TranscriptTranslation {
	/** BCP 47 code. */
	readonly to: string;
	/** By the id of the line. */
	readonly lines: Readonly<Record<string, TranslatedLine>>;
}

export interface TranscriptDocument {
	/** ISO 639-1 code of what is spoken. */
	readonly language: string;
	/** Seconds. */
	readonly duration: number;
	readonly lines: readonly TranscriptLine[];
	/** Names that people gave, by the labels of speakers. */
	readonly speakers?: Readonly<Record<string, string>>;
	readonly translation?: TranscriptTranslation;
	/** Parts of the recording whose words were taken out, in order. */
	readonly cuts?: readonly SoundCut[];
	/** By a chat model, if that was asked for. */
	readonly outline?: TranscriptOutline;
}

/** A stretch of a line's text; with times when it is a word. */
export interface LinePiece {
	readonly text: string;
	readonly word?: TranscriptWord;
}

/** Scripts that are written without spaces between words. */
const unspaced =
	/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Words compared at most when times are carried over; longer lines are spread anew. */
const comparedWords = 600;

/** The finished transcript of a recording as a document. */
export function transcriptDocumentOf(transcript: Transcript): TranscriptDocument {
	const words = transcript.words ?? [];
	let next = 0;
	return {
		language: transcript.language_code,
		duration: transcript.duration,
		lines: transcript.segments.map((segment) => {
			const own: TranscriptWord[] = [];
			let left = segment.text.replace(/\s/g, '').length;
			// Words belong to segments in order; counting characters needs no guess about times.
			while (left > 0 && next < words.length) {
				const word = words[next++] as TranscriptWord;
				left -= word.word.replace(/\s/g, '').length;
				own.push(word);
			}
			return own.length > 0 ? { ...lineOf(segment), words: own } : lineOf(segment);
		}),
	};
}

/** A segment without word times: they are spread over it by length. */
export function lineOf({
	id,
	start,
	end,
	text,
	speaker,
	avg_logprob: logprob,
}: TranscribedSegment): TranscriptLine {
	return {
		...{ id: Number(id), start, end, text, words: spreadWords(text, start, end) },
		...defined({ speaker }),
		// Of engines that do not say it, it is 0; no model is as sure as that.
		...(logprob === undefined || logprob >= 0 ? {} : { sureness: round(Math.exp(logprob)) }),
	};
}

/** What a line is made of. */
export type TranscribedSegment = Pick<
	TranscriptSegment,
	'id' | 'start' | 'end' | 'text' | 'speaker'
> &
	Partial<Pick<TranscriptSegment, 'avg_logprob'>>;

/** Longest name of a speaker. */
const maxSpeakerName = 80;

/** What a speaker is shown as: the name that was given, else the label. */
export function speakerName(
	{ speakers }: Pick<TranscriptDocument, 'speakers'>,
	label: string,
): string {
	const given =
		speakers !== undefined && Object.hasOwn(speakers, label) ? speakers[label] : undefined;
	return given ?? label;
}

/** The document with another name for a speaker, wherever they speak; an empty one takes the name away. */
export function nameSpeaker(
	document: TranscriptDocument,
	label: string,
	name: string,
): TranscriptDocument {
	if (!document.lines.some(({ speaker }) => speaker === label)) return document;
	const clean = name.replace(/\s+/g, ' ').trim().slice(0, maxSpeakerName);
	if (clean === speakerName(document, label)) return document;
	const { speakers = {}, ...rest } = document;
	const others = Object.entries(speakers).filter(([known]) => known !== label);
	const named = clean === '' || clean === label ? others : [...others, [label, clean] as const];
	return named.length === 0 ? rest : { ...rest, speakers: Object.fromEntries(named) };
}

/** The document with another text in one line; an empty text takes the line away. */
export function editLine(
	document: TranscriptDocument,
	id: number,
	text: string,
): TranscriptDocument {
	const clean = text.replace(/\s+/g, ' ').trim();
	return {
		...document,
		...cutsAfter(document, id, clean),
		lines: document.lines.flatMap((line) => {
			if (line.id !== id || line.text === clean) return [line];
			const { sureness: _, ...rest } = line;
			const words = carryTimes(line, clean).map(({ probability: _sure, ...word }) => word);
			return clean === '' ? [] : [{ ...rest, text: clean, words }];
		}),
	};
}

/**
 * The cuts once a line says something else: words that are only left out are cut; where there are new ones, what was cut
 * in their place is wanted again, and nothing else.
 */
function cutsAfter(
	{ lines, cuts = [] }: TranscriptDocument,
	id: number,
	text: string,
): Pick<TranscriptDocument, 'cuts'> {
	const line = lines.find((one) => one.id === id);
	if (!line || line.text === text) return {};
	const { cut, wanted } =
		text === '' ? { cut: [{ start: line.start, end: line.end }], wanted: [] } : cutIn(line, text);
	const after = wanted.reduce<SoundCut[]>(withoutCutsIn, withCuts(cuts, cut));
	return after.length > 0 || cuts.length > 0 ? { cuts: after } : {};
}

/** What is cut of a line that says something else, and where new words stand. */
function cutIn(
	line: TranscriptLine,
	text: string,
): { readonly cut: readonly SoundCut[]; readonly wanted: readonly SoundCut[] } {
	const { start, end } = line;
	const isApart = !unspaced.test(line.text) && !unspaced.test(text);
	const words = isApart ? line.words : charactersOf(line.words);
	const left = isApart
		? wordsOf(text).map(plainWord)
		: [...text].map(plainWord).filter((letter) => letter !== '');
	if (words.length > comparedWords || left.length > comparedWords)
		return { cut: [], wanted: [{ start, end }] };
	const pairs = common(
		words.map(({ word }) => plainWord(word)),
		left,
	);
	if (pairs.length < left.length)
		return { cut: [], wanted: newPlaces({ ...line, words }, left.length, pairs) };
	const kept = new Set(pairs.map(([place]) => place));
	return { cut: cutsOfWords(words, (index) => kept.has(index)), wanted: [] };
}

/**
 * Letters with their times, for scripts without spaces: what a model calls a word there is seldom what a dictionary
 * does, so that words of a text and of what was made of it cannot be compared.
 */
const charactersOf = (words: readonly TranscriptWord[]): TranscriptWord[] =>
	words.flatMap(({ word, start, end }) =>
		spread(
			[...word].filter((letter) => plainWord(letter) !== ''),
			start,
			end,
		),
	);

/** Where a line has new words: as many as there were stand in the place of these, more reach to those beside them. */
function newPlaces(
	{ words, start, end }: TranscriptLine,
	count: number,
	pairs: readonly [number, number][],
): SoundCut[] {
	let [before, beforeNew] = [-1, -1];
	return [...pairs, [words.length, count] as const].flatMap(([place, placeNew]): SoundCut[] => {
		const old = words.slice(before + 1, place);
		const added = placeNew - beforeNew - 1;
		const gap = { start: words[before]?.end ?? start, end: words[place]?.start ?? end };
		[before, beforeNew] = [place, placeNew];
		if (added === 0) return [];
		const [first, last] = [old[0], old.at(-1)];
		return [added <= old.length && first && last ? { start: first.start, end: last.end } : gap];
	});
}

/** A word whatever stands at its edges: a sentence begins elsewhere when its first word goes. */
const plainWord = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * The document with a line cut in two before one of its words; unchanged when there is no such place. The second part
 * begins when its first word does.
 */
export function splitLine(
	document: TranscriptDocument,
	id: number,
	word: number,
): TranscriptDocument {
	const place = document.lines.findIndex((line) => line.id === id);
	const line = document.lines[place];
	const first = line?.words[word];
	if (!line || !first || word < 1) return document;
	let at = 0;
	for (const known of line.words.slice(0, word + 1)) {
		const found = line.text.indexOf(known.word, at);
		if (found === -1) return document;
		at = known === first ? found : found + known.word.length;
	}
	const [before, after] = [line.text.slice(0, at).trim(), line.text.slice(at).trim()];
	if (before === '' || after === '') return document;
	const lastId = largestOf(
		document.lines.map((one) => one.id),
		0,
	);
	const halves: TranscriptLine[] = [
		{ ...line, text: before, words: line.words.slice(0, word), end: first.start },
		{ ...line, id: lastId + 1, text: after, words: line.words.slice(word), start: first.start },
	];
	return {
		...document,
		lines: [...document.lines.slice(0, place), ...halves, ...document.lines.slice(place + 1)],
	};
}

/** The document with a line and the one after it as one; unchanged for the last line. */
export function mergeLines(document: TranscriptDocument, id: number): TranscriptDocument {
	const place = document.lines.findIndex((line) => line.id === id);
	const [line, next] = [document.lines[place], document.lines[place + 1]];
	if (!line || !next) return document;
	const space = unspaced.test(line.text.at(-1) ?? '') ? '' : ' ';
	const least = Math.min(line.sureness ?? 1, next.sureness ?? 1);
	const { sureness: _, ...rest } = line;
	const whole: TranscriptLine = {
		...rest,
		...(least < 1 ? { sureness: least } : {}),
		end: next.end,
		text: `${line.text}${space}${next.text}`,
		words: [...line.words, ...next.words],
	};
	return { ...document, lines: document.lines.toSpliced(place, 2, whole) };
}

/** The text of a line in pieces that give the text again when joined. */
export function linePieces(line: TranscriptLine): LinePiece[] {
	const pieces: LinePiece[] = [];
	let at = 0;
	for (const word of line.words) {
		const found = line.text.indexOf(word.word, at);
		if (found === -1) continue;
		if (found > at) pieces.push({ text: line.text.slice(at, found) });
		at = found + word.word.length;
		pieces.push({ text: word.word, word });
	}
	if (at < line.text.length) pieces.push({ text: line.text.slice(at) });
	return pieces;
}

/** Lines whose translation is missing or of an older text. */
export function untranslated(document: TranscriptDocument): TranscriptLine[] {
	const known = document.translation?.lines ?? {};
	return document.lines.filter(({ id, text }) => known[id]?.source !== text);
}

/** Words of a text with times in proportion to their length. */
export function spreadWords(text: string, start: number, end: number): TranscriptWord[] {
	return spread(wordsOf(text), start, end);
}

function wordsOf(text: string): string[] {
	if (!unspaced.test(text)) return text.split(/\s+/).filter((word) => word !== '');
	return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)]
		.map(({ segment }) => segment.trim())
		.filter((word) => word !== '');
}

function spread(words: readonly string[], start: number, end: number): TranscriptWord[] {
	const total = words.reduce((sum, word) => sum + word.length, 0);
	const perCharacter = total === 0 ? 0 : Math.max(0, end - start) / total;
	let at = start;
	return words.map((word) => {
		const from = at;
		at += word.length * perCharacter;
		return { word, start: round(from), end: round(at) };
	});
}

const round = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** Words that stay keep their times; new ones share the time between those that stay. */
function carryTimes(line: TranscriptLine, text: string): TranscriptWord[] {
	const words = wordsOf(text);
	const isApart = !unspaced.test(line.text) && !unspaced.test(text);
	const old = isApart ? line.words : charactersOf(line.words);
	const units = words.flatMap((word, at) =>
		(isApart ? [word] : [...word]).map((unit) => ({ unit, at })),
	);
	if (old.length > comparedWords || units.length > comparedWords)
		return spread(words, line.start, line.end);
	/** By their places among the new words. */
	const kept = new Map<number, TranscriptWord>();
	for (const [oldPlace, newPlace] of common(
		old.map(({ word }) => word),
		units.map(({ unit }) => unit),
	)) {
		const { at = 0 } = units[newPlace] ?? {};
		const known = old[oldPlace];
		const [word, start] = [words[at], kept.get(at)?.start ?? known?.start];
		if (known && word !== undefined && start !== undefined) kept.set(at, { ...known, word, start });
	}
	const result: TranscriptWord[] = [];
	let done = 0;
	let before = line.start;
	const fill = (upTo: number, after: number) => {
		pushAll(result, spread(words.slice(done, upTo), before, Math.max(before, after)));
		done = upTo;
	};
	for (const [at, word] of kept) {
		fill(at, word.start);
		result.push(word);
		done = at + 1;
		before = word.end;
	}
	fill(words.length, line.end);
	return result;
}

/** Places of a longest common subsequence. */
function common(first: readonly string[], second: readonly string[]): [number, number][] {
	const width = second.length + 1;
	const lengths = new Uint16Array((first.length + 1) * width);
	for (let i = first.length - 1; i >= 0; i--) {
		for (let j = second.length - 1; j >= 0; j--) {
			lengths[i * width + j] =
				first[i] === second[j]
					? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
					: Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
		}
	}
	const pairs: [number, number][] = [];
	let i = 0;
	let j = 0;
	while (i < first.length && j < second.length) {
		if (first[i] === second[j]) pairs.push([i++, j++]);
		else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++;
		else j++;
	}
	return pairs;
}
