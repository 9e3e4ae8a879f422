/** Blocks of AsciiDoc that are read as they stand: listings, literals, what is passed on, comments. */

import type { TextLine } from '../../whiteSpace.ts';

const verbatim = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|`{3,}.{0,60})$/;

/** Index of the next line after one that reads so, blanks at its end aside; the number of lines where none does. */
export function lineAfter(lines: readonly TextLine[], at: number, wanted: string): number {
	let end = at + 1;
	while (end < lines.length && (lines[end]?.text ?? '').trimEnd() !== wanted) end++;
	return end;
}

/** Index of the line that closes the block which a line opens; `undefined` where it opens none. */
export function verbatimEnd(lines: readonly TextLine[], at: number): number | undefined {
	const body = (lines[at]?.text ?? '').trimEnd();
	if (!verbatim.test(body)) return undefined;
	return lineAfter(lines, at, body.startsWith('```') ? '```' : body);
}
