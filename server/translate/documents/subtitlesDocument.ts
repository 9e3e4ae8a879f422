/** SRT and WebVTT: the words of each cue; numbers, times, settings, notes and styles stay. */

import { firstLineEnd, withoutEnd } from '../whiteSpace.ts';
import type { Piece } from './piece.ts';

export function extractSubtitles(text: string): Piece[] {
	const pieces: Piece[] = [];
	const cue =
		/^(?:\d+:)?\d{2}:\d{2}[.,]\d{3}[ \t]+-->[^\r\n]*(?:\r\n|\n|\r)((?:[^\r\n]+(?:\r\n|\n|\r|$))+)/gm;
	for (const match of text.matchAll(cue)) {
		const [all, body = ''] = match;
		const words = withoutEnd(body, '\r\n');
		const lines = words.split(/\r\n|\n|\r/);
		const joined = lines.map((line) => line.trim()).join(' ');
		if (!/\p{L}{2}/u.test(joined)) continue;
		const start = match.index + all.length - body.length;
		const eol = firstLineEnd(body);
		pieces.push({
			start,
			end: start + words.length,
			text: joined,
			encode: (translation) => balance(translation, lines.length, eol),
		});
	}
	return pieces;
}

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
