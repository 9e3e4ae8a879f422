/** Where a hunk is after somebody has changed the text around it, or in it. Knows no editor. */

import type { LineHunk } from './lineHunks.ts';

interface Place {
	readonly line: number;
	readonly character: number;
}

/** A change of a text: what `range` held is `text` now. */
export interface TextChange {
	readonly range: { readonly start: Place; readonly end: Place };
	readonly text: string;
}

/** Lines that a change adds; fewer than none when it takes some away. */
export const addedLines = ({ range: { start, end }, text }: TextChange): number =>
	text.split('\n').length - 1 - (end.line - start.line);

/**
 * The hunk as it is after a change; none when nobody can say any more which lines are its own.
 * @param lengthOf characters of a line after the change
 */
export function movedHunk(
	hunk: LineHunk,
	change: TextChange,
	lengthOf: (line: number) => number,
): LineHunk | undefined {
	const { start, end } = change.range;
	const delta = addedLines(change);
	const { line, added } = hunk;
	const endsBefore = end.line < line || (end.line === line && end.character === 0);
	if (endsBefore) {
		const joins =
			end.line === line && start.line < line && start.character > 0 && !change.text.endsWith('\n');
		return joins ? undefined : delta === 0 ? hunk : { ...hunk, line: line + delta };
	}
	if (start.line >= line + Math.max(added, 1) || (added === 0 && start.line >= line)) return hunk;
	const last = line + added - 1;
	const isBehind =
		start.line === last && /^\r?\n/.test(change.text) && lengthOf(last) === start.character;
	if (isBehind && end.line === last && end.character === start.character) return hunk;
	if (start.line < line || end.line > last) return undefined;
	return { ...hunk, added: added + delta };
}
