/** Plain text: every line with words is a piece; white space and empty lines stay. */

import type { Piece } from './piece.ts';

export function extractPlainText(text: string): Piece[] {
	const pieces: Piece[] = [];
	for (const match of text.matchAll(/[^\r\n]+/g)) {
		const lead = /^\s*/.exec(match[0])?.[0].length ?? 0;
		const words = match[0].trim();
		if (!/\p{L}{2}/u.test(words)) continue;
		const start = match.index + lead;
		pieces.push({ start, end: start + words.length, text: words, encode: (made) => made });
	}
	return pieces;
}
