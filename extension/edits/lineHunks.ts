/** What has changed between two lists of lines, and a text that is being written over another. Knows no editor. */

import { diffArrays } from 'diff';

/** Lines that took the place of others. */
export interface LineHunk {
	/** First of the new lines, counted from 0; where the old ones were when there is none. */
	readonly line: number;
	/** How many new lines there are. */
	readonly added: number;
	/** The lines that were there, without line ends. */
	readonly removed: readonly string[];
}

/** Two texts that have less in common than can be found within this time are one hunk. */
const maxCompareMs = 300;

/** The hunks of a change, from the top; none for equal lines. */
export function lineHunks(before: readonly string[], after: readonly string[]): LineHunk[] {
	const parts = diffArrays([...before], [...after], { timeout: maxCompareMs });
	if (!parts) return [{ line: 0, added: after.length, removed: before }];
	const hunks: LineHunk[] = [];
	let line = 0;
	let open: { line: number; added: number; removed: string[] } | undefined;
	for (const { value, added, removed } of parts) {
		if (!added && !removed) {
			line += value.length;
			open = undefined;
			continue;
		}
		if (!open) {
			open = { line, added: 0, removed: [] };
			hunks.push(open);
		}
		if (removed) open.removed = [...open.removed, ...value];
		else {
			open.added += value.length;
			line += value.length;
		}
	}
	return hunks;
}

/**
 * What is shown while new lines are written over old ones: the new ones, and the old ones that they have not come
 * to yet. `rest` is how many of the old ones are shown, all at the end.
 */
export function writtenOver(
	before: readonly string[],
	written: readonly string[],
): { readonly lines: string[]; readonly rest: number } {
	let old = 0;
	/** Old lines up to the last one that has been written again: those behind it may still come, and none is lost. */
	let passed = 0;
	for (const part of diffArrays([...before], [...written], { timeout: maxCompareMs }) ?? []) {
		if (!part.added) old += part.value.length;
		if (!part.added && !part.removed) passed = old;
	}
	const rest = before.length - passed;
	return { lines: [...written, ...before.slice(before.length - rest)], rest };
}

/** Where two lists of lines differ: how many lines at the beginning and at the end are equal. */
export function changedLines(
	before: readonly string[],
	after: readonly string[],
): { readonly start: number; readonly end: number } {
	const most = Math.min(before.length, after.length);
	let start = 0;
	while (start < most && before[start] === after[start]) start++;
	let end = 0;
	while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
	return { start, end };
}
