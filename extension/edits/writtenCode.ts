/** Code out of what a model writes when it was asked for code alone: models like to put it between fences. Knows no editor. */

/**
 * Lines of an answer that is being written; the last one only when the answer is whole.
 * @param before the lines that are to be changed: where these have fences, those of the answer are theirs
 */
export function writtenLines(
	answer: string,
	isWhole: boolean,
	before: readonly string[] = [],
): string[] {
	const lines = answer.replace(/\r\n?/g, '\n').split('\n');
	if (!isWhole) lines.pop();
	if (before.some(isFence)) return withoutWrapper(lines, isWhole);
	const opening = lines.findIndex((line) => line.trim() !== '');
	const fence = fenceOf(lines[opening]);
	if (fence !== undefined) {
		const rest = lines.slice(opening + 1);
		const closing = rest.findIndex((line) => line.trim() === fence);
		return closing === -1 ? rest : rest.slice(0, closing);
	}
	const said = proseBefore(lines);
	if (said > 0) return writtenLines(lines.slice(said).join('\n'), true);
	return isWhole ? withoutBlankEnds(lines) : lines;
}

const fenceOf = (line: string | undefined) => /^\s*(`{3,}|~{3,})/.exec(line ?? '')?.[1];

/** A text with fences of its own: only a fence around all of it, which says that it is Markdown or is a longer one, is not of it. */
function withoutWrapper(lines: readonly string[], isWhole: boolean): string[] {
	const own = isWhole ? withoutBlankEnds(lines) : [...lines];
	const [first = '', ...rest] = own;
	const fence = fenceOf(first);
	const isWrapper =
		fence !== undefined && (fence.length > 3 || /^\s*[`~]+(?:markdown|mdx?)\s*$/i.test(first));
	if (!isWrapper) return own;
	if (!isWhole) return rest;
	return rest.at(-1)?.trim() === fence ? rest.slice(0, -1) : own;
}

const isFence = (line: string | undefined) => /^\s*(?:`{3,}|~{3,})/.test(line ?? '');

/** How many lines of an introduction ("Here is the code:") stand before a fence; 0 without one. */
function proseBefore(lines: readonly string[]): number {
	const fence = lines.slice(0, 6).findIndex(isFence);
	const before = lines.slice(0, Math.max(0, fence));
	return fence > 0 && before.some((line) => /:\s*$/.test(line)) ? fence : 0;
}

/** Blank lines around an answer are the model's; those inside are the code's. */
function withoutBlankEnds(lines: readonly string[]): string[] {
	let [start, end] = [0, lines.length];
	while (start < end && lines[start]?.trim() === '') start++;
	while (end > start && lines[end - 1]?.trim() === '') end--;
	return lines.slice(start, end);
}

/** Lines with the blank ones that stood at both ends of the place: they are not the model's to change. */
export function framedAs(
	before: readonly string[],
	lines: readonly string[],
	isWhole: boolean,
): string[] {
	const start = before.findIndex((line) => line.trim() !== '');
	if (start === -1 || lines.length === 0) return [...lines];
	const end = before.findLastIndex((line) => line.trim() !== '') + 1;
	return [...before.slice(0, start), ...lines, ...(isWhole ? before.slice(end) : [])];
}

/** Lines with the indent of the place they go to, when they were written with less of it. */
export function indentedAs(before: readonly string[], lines: readonly string[]): string[] {
	const wanted = indentOfFirst(before);
	const own = indentOfFirst(lines);
	if (own === wanted || !wanted.startsWith(own)) return [...lines];
	const missing = wanted.slice(own.length);
	return lines.map((line) => (line.trim() === '' ? line : missing + line));
}

/** White space the first line with words begins with; a place that is blank has what is on it. */
function indentOfFirst(lines: readonly string[]): string {
	const first = lines.find((line) => line.trim() !== '') ?? lines[0] ?? '';
	return /^[ \t]*/.exec(first)?.[0] ?? '';
}
