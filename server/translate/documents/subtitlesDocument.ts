/** SRT and WebVTT: the words of each cue; numbers, times, settings, notes and styles stay. */

import { pushAll } from '../../protocol/lists.ts';
import { gateRules } from '../gate/gateRules.ts';
import { firstLineEnd, linesOf, type TextLine } from '../whiteSpace.ts';
import type { Extract, Piece } from './piece.ts';

/** Begins what another person says. */
const dash = /^[ \t]*[-–—][ \t]*(?=\S)/;
/** Where a cue stands and how its letters look, before its words. */
const leading = /^(?:[ \t]{0,20}\{\\[^{}\r\n]{0,200}\})+[ \t]*/;

function extract(text: string): Piece[] {
	const pieces: Piece[] = [];
	const cue =
		/^(?:\d+:)?\d{2}:\d{2}[.,]\d{3}[ \t]+-->[^\r\n]*(?:\r\n|\n|\r)((?:[^\r\n]+(?:\r\n|\n|\r|$))+)/gm;
	for (const match of text.matchAll(cue)) {
		const [all, body = ''] = match;
		const eol = firstLineEnd(body);
		const start = match.index + all.length - body.length;
		for (const lines of bySpeaker(linesOf(body))) pushAll(pieces, spoken(lines, start, eol));
	}
	return pieces;
}

/** Lines of a cue by who speaks them: a dash begins the next one. */
function bySpeaker(lines: readonly TextLine[]): TextLine[][] {
	const found: TextLine[][] = [];
	for (const line of lines) {
		const last = found.at(-1);
		if (last === undefined || dash.test(line.text.replace(leading, ''))) found.push([line]);
		else last.push(line);
	}
	return found;
}

function spoken(lines: readonly TextLine[], base: number, eol: string): Piece[] {
	const [first] = lines;
	const last = lines.at(-1);
	if (!first || !last) return [];
	const marks = leading.exec(first.text)?.[0] ?? '';
	const dashed = marks + (dash.exec(first.text.slice(marks.length))?.[0] ?? '');
	const skipped = dashed + (leading.exec(first.text.slice(dashed.length))?.[0] ?? '');
	const text = lines
		.map((line, index) => (index === 0 ? line.text.slice(skipped.length) : line.text).trim())
		.join(' ');
	if (!/\p{L}{2}/u.test(text)) return [];
	const end = base + last.start + last.text.length;
	const encode = (translation: string) => balance(translation, lines.length, eol);
	return [{ start: base + first.start + skipped.length, end, text, encode }];
}

export const extractSubtitles: Extract = Object.assign(extract, { rules: gateRules.subtitles });

/** Spreads words over as many lines as the cue had, of about the same length. */
function balance(text: string, count: number, eol: string): string {
	const rows: string[] = [];
	let rest = text;
	for (let left = count; left > 1; left--) {
		const middle = Math.round(rest.length / left);
		const after = rest.indexOf(' ', middle);
		const before = rest.lastIndexOf(' ', middle);
		const near = after === -1 || (before > 0 && middle - before < after - middle) ? before : after;
		if (near <= 0) break;
		rows.push(rest.slice(0, near));
		rest = rest.slice(near + 1);
	}
	return [...rows, rest].join(eol);
}
