/** SRT and WebVTT: the words of each cue; numbers, times, settings, notes and styles stay. */

import { pushAll } from '../../protocol/lists.ts';
import { gateRules } from '../gate/gateRules.ts';
import { firstLineEnd, linesOf, type TextLine } from '../whiteSpace.ts';
import type { Extract, Piece } from './piece.ts';

/** Begins what another person says. */
const dash = /^[ \t]*[-–—][ \t]*(?=\S)/;
/** Who speaks, in capitals: a name. */
const speaker =
	/^(?:>>[ \t]*)?(?=[^:\r\n]{0,30}\p{Lu}{2})\p{Lu}[\p{Lu}\p{N}.'’ &#-]{0,30}(?:[ \t]*\([^()\r\n]{1,40}\))?:[ \t]+(?=\S)/u;
/** What is heard but not said, on a line of its own. */
const sound =
	/^(?:\[[^[\]\r\n]+\]|\([^()\r\n]+\)|［[^［］\r\n]+］|（[^（）\r\n]+）|【[^【】\r\n]+】|[♪♫♬]+[^♪♫♬\r\n]+[♪♫♬]+)$/;
/** How what is heard, or sung, may begin and end. */
const brackets: readonly (readonly [RegExp, RegExp])[] = [
	[/^\[/, /\]$/],
	[/^\(/, /\)$/],
	[/^［/, /］$/],
	[/^（/, /）$/],
	[/^【/, /】$/],
	[/^[♪♫♬]{1,9}[ \t]{0,9}/, /(?<=[^\s♪♫♬])[ \t]{0,9}[♪♫♬]{1,9}$/],
];
/** Where a cue stands and how its letters look, before its words. */
const leading = /^(?:[ \t]{0,20}\{\\[^{}\r\n]{0,200}\})+[ \t]*/;

/**
 * The line of its times, whoever has written them (`0:0:6,5-->0:0:7`), and its words up to an empty line, or to the
 * number or the times of the next one where that lacks.
 */
const cue =
	/^[ \t]*\d[\d:.,]{0,30}[ \t]*-->[^\r\n]*(?:\r\n|\n|\r)((?:(?!(?:\d{1,9}[ \t]*(?:\r\n|\n|\r))?[ \t]*\d[\d:.,]{0,30}[ \t]*-->)[^\r\n]+(?:\r\n|\n|\r|$))+)/gm;

function extract(text: string): Piece[] {
	const pieces: Piece[] = [];
	for (const match of text.matchAll(cue)) {
		const [all, body = ''] = match;
		const eol = firstLineEnd(body);
		const start = match.index + all.length - body.length;
		for (const lines of bySpeaker(linesOf(body))) pushAll(pieces, spoken(lines, start, eol));
	}
	return pieces;
}

/** Lines of a cue by who speaks them: a dash or a name begins the next one, and sounds stand alone. */
function bySpeaker(lines: readonly TextLine[]): TextLine[][] {
	const found: TextLine[][] = [];
	let wasSound = false;
	for (const line of lines) {
		const last = found.at(-1);
		const words = line.text.replace(leading, '').trim();
		const isSound = sound.test(words.replace(/^<\w{1,20}>|<\/\w{1,20}>$/g, ''));
		const begins = isSound || wasSound || dash.test(words) || speaker.test(words);
		if (last === undefined || begins) found.push([line]);
		else last.push(line);
		wasSound = isSound;
	}
	return found;
}

function spoken(lines: readonly TextLine[], base: number, eol: string): Piece[] {
	const [first] = lines;
	const last = lines.at(-1);
	if (!first || !last) return [];
	let skipped = 0;
	for (const mark of [leading, dash, leading, speaker])
		skipped += mark.exec(first.text.slice(skipped))?.[0].length ?? 0;
	const words = lines.map(({ text }, index) => (index === 0 ? text.slice(skipped) : text).trim());
	const isJoined = (index: number) => isUnspaced(words[index - 1]?.at(-1), words[index]?.[0]);
	const whole = words
		.map((line, index) => (index === 0 || isJoined(index) ? line : ` ${line}`))
		.join('');
	const [opened, closed] = heldBy(whole);
	const text = whole.slice(opened, whole.length - closed);
	if (!/\p{L}{2}|\p{sc=Han}/u.test(text)) return [];
	skipped += Math.max(0, first.text.slice(skipped).search(/\S/)) + opened;
	const end = base + last.start + last.text.trimEnd().length - closed;
	const encode = (translation: string) => balance(translation, lines.length, eol);
	return [{ start: base + first.start + skipped, end, text, encode }];
}

/** Characters that a whole text begins and ends with around what is heard or sung. */
function heldBy(text: string): readonly [number, number] {
	for (const [opens, closes] of brackets) {
		const [opened, closed] = [opens.exec(text)?.[0].length, closes.exec(text)?.[0].length];
		if (opened === undefined || closed === undefined) continue;
		// Others within are of parts of it.
		const inner = text.slice(opened, text.length - closed);
		if (opened + closed < text.length && !/[[\]()［］（）【】♪♫♬]/.test(inner))
			return [opened, closed];
	}
	return [0, 0];
}

export const extractSubtitles: Extract = Object.assign(extract, { rules: gateRules.subtitles });

/** Letters and marks of scripts that are written without spaces; Thai and others put them between sentences. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3001-\u3011\uff00-\uff60ー]/u;
const isUnspaced = (last = '', next = ''): boolean => unspaced.test(last) && unspaced.test(next);

/** Where such a text may be cut: before words. */
const wordStarts = (text: string): number[] =>
	[...new Intl.Segmenter('ja', { granularity: 'word' }).segment(text)]
		.filter(({ index, isWordLike }) => index > 0 && isWordLike === true)
		.map(({ index }) => index);

/** Index of the first of ordered numbers that is not below some number. */
function firstFrom(numbers: readonly number[], least: number): number {
	let [low, high] = [0, numbers.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((numbers[middle] ?? 0) < least) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** What a mark of punctuation before it is worth, in characters. */
const markWorth = 4;

/** The best of some places behind `from` to cut a text near another one: behind a mark rather than amid a sentence. */
function cutNear(
	text: string,
	starts: readonly number[],
	from: number,
	near: number,
): number | undefined {
	const distance = (at: number) =>
		Math.abs(at - near) - (/[、。，！？]/.test(text[at - 1] ?? '') ? markWorth : 0);
	const next = firstFrom(starts, near);
	const before = starts[next - 1] ?? -1;
	const gap = before > from ? near - before : Infinity;
	const reach = Math.min(gap, (starts[next] ?? Infinity) - near) + markWorth;
	let best: number | undefined;
	for (let at = firstFrom(starts, Math.max(from + 1, near - reach)); ; at++) {
		const start = starts[at];
		if (start === undefined || start > near + reach) return best;
		if (best === undefined || distance(start) < distance(best)) best = start;
	}
}

const isTagged = /^<(\w{1,20})(?=[\s>.])[^<>]{0,100}>[^<>]*<\/\1>$/;

/** Spreads words over as many lines as the cue had, of about the same length. */
function balance(text: string, count: number, eol: string): string {
	if (count < 2) return text;
	// Where each line has tags of its own, they say where it ends.
	const parts = text.split(/(?<=<\/\w{1,20}>) (?=<\w{1,20}[^<>]{0,100}>)/);
	if (parts.length === count && parts.every((part) => isTagged.test(part))) return parts.join(eol);
	// No mark is cut.
	const words = text.replace(gateRules.subtitles.marks, (mark) => '\0'.repeat(mark.length));
	const spaces = Array.from(words.matchAll(/ /g), ({ index }) => index);
	let starts: readonly number[] | undefined;
	const rows: string[] = [];
	let from = 0;
	for (let left = count; left > 1; left--) {
		const middle = from + Math.round((text.length - from) / left);
		const next = firstFrom(spaces, middle);
		const [after, before = 0] = [spaces[next], spaces[middle === spaces[next] ? next : next - 1]];
		const isBefore = after === undefined || (before > from && middle - before < after - middle);
		const near = isBefore ? before : after;
		if (near <= from || isUnspaced(words[middle - 1], words[middle])) {
			starts ??= unspaced.test(words) ? wordStarts(words) : [];
			const at = cutNear(words, starts, from, middle);
			if (at === undefined) break;
			rows.push(text.slice(from, at).trimEnd());
			from = at;
			continue;
		}
		rows.push(text.slice(from, near));
		from = near + 1;
	}
	return [...rows, text.slice(from)].join(eol);
}
