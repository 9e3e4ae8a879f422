/** Which line and which word a moment of the recording is in. */

import type { TranscriptLine } from '../../server/protocol/index.ts';

export interface Place {
	/** Index of the last line that has begun; −1 before the first. */
	readonly line: number;
	/** Index of the last word that has begun in it; −1 before the first. */
	readonly word: number;
}

/** Lines and words are in the order of time. */
export function placeOf(lines: readonly TranscriptLine[], seconds: number): Place {
	// A player rounds the position it was given down.
	const now = seconds + 0.005;
	const line = lastBegun(lines, now);
	const found = lines[line];
	return { line, word: found ? lastBegun(found.words, now) : -1 };
}

function lastBegun(items: readonly { readonly start: number }[], seconds: number): number {
	let low = 0;
	let high = items.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((items[middle]?.start ?? 0) <= seconds) low = middle + 1;
		else high = middle;
	}
	return low - 1;
}

/** The start of the word `step` words away, over the ends of lines. */
export function wordStart(
	lines: readonly TranscriptLine[],
	{ line, word }: Place,
	step: 1 | -1,
): number | undefined {
	const next = lines[line]?.words[word + step];
	if (next && word + step >= 0) return next.start;
	for (let at = line + step; at >= 0 && at < lines.length; at += step) {
		const found = lines[at];
		const edge = step > 0 ? found?.words[0] : found?.words.at(-1);
		if (edge) return edge.start;
	}
	return undefined;
}
