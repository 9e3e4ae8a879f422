/** Changes of a text, and where they are afterwards. */

import type { MessageEdit } from './messageTree.ts';

/** A text with changes made, and the ranges of what is new, in order. */
export function applyEdits(text: string, edits: readonly MessageEdit[]) {
	const ranges: { start: number; end: number }[] = [];
	let out = '';
	let next = 0;
	for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
		out += text.slice(next, edit.start);
		ranges.push({ start: out.length, end: out.length + edit.text.length });
		out += edit.text;
		next = edit.end;
	}
	return { text: out + text.slice(next), ranges };
}

/** Whether one of ordered, disjoint ranges holds a stretch. */
export function isWithin(
	ranges: readonly { readonly start: number; readonly end: number }[],
	start: number,
	end: number,
): boolean {
	let [low, high] = [0, ranges.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((ranges[middle]?.end ?? 0) < end) low = middle + 1;
		else high = middle;
	}
	const range = ranges[low];
	return range !== undefined && range.start <= start;
}

/** The offset behind the line end that follows at once. */
export const lineEnd = (text: string, at: number): number =>
	at + (/^[ \t]*\r?\n/.exec(text.slice(at, at + 200))?.[0].length ?? 0);
