/** Groups tokens into words and gives them times. */

import type { SpeechResult, SpeechToken, TextModel } from '../api.ts';
import { wholeCharacters } from './wholeCharacters.ts';

export type SpeechWord = NonNullable<SpeechResult['words']>[number];

/** A word and the tokens `[from, to)` it is made of. */
export interface WordSpan {
	readonly text: string;
	readonly from: number;
	readonly to: number;
}

/** Written without spaces between words: every character is timed on its own. */
const unspaced = new Set(['zh', 'ja', 'th', 'lo', 'my', 'yue', 'km', 'bo']);
const opening = /^ ?["'“¿([{\-‘«„]+$/;
const closing = /^["'.。,，!！?？:：”)\]}、’»;…]+$/;

/** Words of a token sequence; punctuation belongs to the word beside it. */
export function splitWords(ids: readonly number[], text: TextModel, language: string): WordSpan[] {
	const pieces = characterPieces(ids, text);
	const words: WordSpan[] = [];
	for (const piece of pieces) {
		const last = words.at(-1);
		const begins =
			last === undefined ||
			piece.text.startsWith(' ') ||
			unspaced.has(language) ||
			closing.test(piece.text.trim()) ||
			opening.test(piece.text);
		if (begins) words.push(piece);
		else words[words.length - 1] = join(last, piece);
	}
	return mergePunctuation(words);
}

const join = (a: WordSpan, b: WordSpan): WordSpan => ({
	text: a.text + b.text,
	from: a.from,
	to: b.to,
});

/** Smallest runs of tokens whose bytes are whole characters. */
function characterPieces(ids: readonly number[], text: TextModel): WordSpan[] {
	const pieces: WordSpan[] = [];
	let decoder = new TextDecoder('utf-8');
	let string = '';
	let from = 0;
	let open = 0;
	ids.forEach((id, index) => {
		const bytes = text.tokenBytes(id);
		open = pendingBytes(bytes, open);
		string += decoder.decode(bytes, { stream: true });
		if (open > 0 && index + 1 < ids.length) return;
		if (index + 1 === ids.length) string += decoder.decode();
		const whole = wholeCharacters(string);
		const last = pieces.at(-1);
		if (whole !== '') pieces.push({ text: whole, from, to: index + 1 });
		// What is no character takes its time all the same.
		else if (string !== '' && last !== undefined)
			pieces[pieces.length - 1] = { ...last, to: index + 1 };
		decoder = new TextDecoder('utf-8');
		string = '';
		from = index + 1;
	});
	return pieces;
}

/** Continuation bytes that are still to come after `bytes`. */
function pendingBytes(bytes: Uint8Array, before: number): number {
	let open = before;
	for (const byte of bytes) {
		if (byte >= 0xf0) open = 3;
		else if (byte >= 0xe0) open = 2;
		else if (byte >= 0xc0) open = 1;
		else if (byte >= 0x80) open = Math.max(0, open - 1);
		else open = 0;
	}
	return open;
}

function mergePunctuation(words: readonly WordSpan[]): WordSpan[] {
	const merged: WordSpan[] = [];
	for (const word of words) {
		const last = merged.at(-1);
		const joins = last !== undefined && !word.text.startsWith(' ') && closing.test(word.text);
		const opened = last !== undefined && !word.text.startsWith(' ') && opening.test(last.text);
		if (last !== undefined && (joins || opened)) merged[merged.length - 1] = join(last, word);
		else merged.push(word);
	}
	return merged;
}

/** A word is seldom longer than this many times the median word. */
const longWord = 2;
const medianCapS = 0.7;

/**
 * Words with times from the moments their tokens begin (`starts`, seconds, one more than tokens).
 * A word beside a pause is cut to a plausible length: attention does not see where a pause begins.
 */
export function timeWords(
	spans: readonly WordSpan[],
	starts: readonly number[],
	tokens: readonly SpeechToken[],
): SpeechWord[] {
	const raw = spans.map(({ text, from, to }) => ({
		text,
		start: starts[from] ?? 0,
		end: starts[to] ?? starts.at(-1) ?? 0,
		probability: meanProbability(tokens.slice(from, to)),
	}));
	const lengths = raw.map(({ start, end }) => end - start).filter((length) => length > 0);
	lengths.sort((a, b) => a - b);
	const median = Math.min(medianCapS, lengths[lengths.length >> 1] ?? medianCapS);
	const limit = median * longWord;
	return raw.map(({ text, start, end, probability }, index) => {
		const ending = /[.。!！?？]["'”»)]*$/.test(text);
		const afterPause = index === 0 || /[.。!！?？]["'”»)]*$/.test(raw[index - 1]?.text ?? '');
		const long = end - start > limit;
		return {
			word: text,
			start: long && afterPause && !ending ? end - limit : start,
			end: long && ending ? start + limit : end,
			probability,
		};
	});
}

function meanProbability(tokens: readonly SpeechToken[]): number {
	if (tokens.length === 0) return 0;
	return tokens.reduce((sum, token) => sum + Math.exp(token.logprob), 0) / tokens.length;
}

/** Token starts spread evenly by length of text: for models that give no cross-attention. */
export function evenStarts(
	ids: readonly number[],
	text: TextModel,
	start: number,
	end: number,
): number[] {
	const lengths = ids.map((id) => Math.max(1, text.tokenBytes(id).length));
	const total = lengths.reduce((sum, length) => sum + length, 0) || 1;
	let done = 0;
	const starts = lengths.map((length) => {
		const at = start + ((end - start) * done) / total;
		done += length;
		return at;
	});
	return [...starts, end];
}
