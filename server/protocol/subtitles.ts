/** Subtitles of a transcript: cues that fit on a screen, as SubRip and WebVTT. */

import type { TranscriptSegment, TranscriptWord } from './speechTypes.ts';
import { spreadWords } from './transcriptDocument.ts';

export interface Cue {
	/** Seconds. */
	readonly start: number;
	readonly end: number;
	readonly text: string;
	/** Who says it. */
	readonly speaker?: string;
	/** The same in another language, shown below. */
	readonly second?: string;
}

/** The part of a transcript subtitles are made of. */
export interface CueSource {
	readonly segments: readonly Pick<TranscriptSegment, 'start' | 'end' | 'text' | 'speaker'>[];
	readonly words?: readonly TranscriptWord[];
}

/** Two lines of 42 characters, and the longest time a cue stays: broadcasters' usual limits. */
const cueCharacters = 84;
const lineCharacters = 42;
const cueS = 7;
/** Nobody speaks or reads faster; words that seem to be have wrong times. */
const charactersPerS = 40;
/** A cue is shown at least this long. */
const shortestS = 0.3;

/** Cues of the segments; long segments are divided at words when word times are known. */
export function cuesOf(transcript: CueSource): Cue[] {
	const words = transcript.words ?? [];
	let next = 0;
	const cues = transcript.segments.flatMap((segment): Cue[] => {
		const own: TranscriptWord[] = [];
		let left = segment.text.replace(/\s/g, '').length;
		// Words belong to segments in order; counting characters needs no guess about times.
		while (left > 0 && next < words.length) {
			const word = words[next++] as TranscriptWord;
			left -= word.word.replace(/\s/g, '').length;
			own.push(word);
		}
		const who = segment.speaker === undefined ? {} : { speaker: segment.speaker };
		const short = segment.text.length <= cueCharacters && segment.end - segment.start <= cueS;
		if (short || own.length < 2)
			return [{ start: segment.start, end: segment.end, text: segment.text, ...who }];
		const parts = divide(own, segment.text);
		const calm = parts.some(isRushed)
			? divide(spreadWords(segment.text, segment.start, segment.end), segment.text)
			: parts;
		return calm.map((cue) => ({ ...cue, ...who }));
	});
	return cues.map((cue, index) => {
		const limit = cues[index + 1]?.start ?? Number.POSITIVE_INFINITY;
		const end = Math.max(cue.end, Math.min(cue.start + shortestS, Math.max(limit, cue.end)));
		return { ...cue, end };
	});
}

const isRushed = ({ start, end, text }: Cue) =>
	text.length > charactersPerS * Math.max(shortestS, end - start);

function divide(words: readonly TranscriptWord[], text: string): Cue[] {
	const cues: Cue[] = [];
	let current: TranscriptWord[] = [];
	let at = 0;
	let from = 0;
	const close = () => {
		const [first] = current;
		const last = current.at(-1);
		if (first !== undefined && last !== undefined)
			cues.push({ start: first.start, end: last.end, text: text.slice(from, at).trim() });
		from = at;
		current = [];
	};
	for (const word of words) {
		const found = text.indexOf(word.word, at);
		const end = found === -1 ? at : found + word.word.length;
		const first = current[0];
		const full =
			first !== undefined && (end - from > cueCharacters || word.end - first.start > cueS);
		const sentence =
			current.length > 0 &&
			end - from > lineCharacters &&
			/[.!?。！？]$/.test(current.at(-1)?.word ?? '');
		if (full || sentence) close();
		current.push(word);
		at = end;
	}
	at = text.length;
	close();
	return cues;
}

/** SubRip. */
export function subRip(cues: readonly Cue[]): string {
	return cues
		.map(
			(cue, index) =>
				`${index + 1}\n${clock(cue.start, ',')} --> ${clock(cue.end, ',')}\n${cue.speaker === undefined ? '' : `${cue.speaker}: `}${cueLines(cue)}\n\n`,
		)
		.join('');
}

/** WebVTT; text is escaped as its syntax asks. */
export function webVtt(cues: readonly Cue[]): string {
	const escaped = (text: string) =>
		text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
	// A name of a voice ends at a line or a bracket.
	const voice = ({ speaker }: Cue) =>
		speaker === undefined ? '' : `<v ${escaped(speaker).replace(/\s+/g, ' ')}>`;
	const body = cues
		.map(
			(cue) =>
				`${clock(cue.start, '.')} --> ${clock(cue.end, '.')}\n${voice(cue)}${escaped(cueLines(cue))}\n\n`,
		)
		.join('');
	return `WEBVTT\n\n${body}`;
}

/** `01:02:03,456`. */
export function clock(seconds: number, separator: ',' | '.'): string {
	const total = Math.max(0, Math.round(seconds * 1000));
	const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
	const ms = String(total % 1000).padStart(3, '0');
	return `${two(total / 3_600_000)}:${two((total / 60_000) % 60)}:${two((total / 1000) % 60)}${separator}${ms}`;
}

function cueLines({ text, second }: Cue): string {
	return second ? `${lines(text)}\n${lines(second)}` : lines(text);
}

/** One line, or two of about equal length. */
function lines(text: string): string {
	const plain = text.replace(/\s+/g, ' ').trim();
	if (plain.length <= lineCharacters) return plain;
	const middle = plain.length / 2;
	const spaces = [...plain.matchAll(/ /g)].map((match) => match.index);
	const best = spaces.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
	return best === undefined ? plain : `${plain.slice(0, best)}\n${plain.slice(best + 1)}`;
}
