/** The one part in which two texts differ. Pure. */

/** What of `before` is replaced, and by what. A line end of two characters stays in one part. */
export function changedPart(
	before: string,
	after: string,
): { readonly start: number; readonly end: number; readonly insert: string } {
	let start = 0;
	const shorter = Math.min(before.length, after.length);
	while (start < shorter && before[start] === after[start]) start++;
	let same = 0;
	while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
	if (before[start - 1] === '\r') start--;
	const [end, newEnd] = [before.length - same, after.length - same];
	return { start, end, insert: after.slice(start, newEnd) };
}
