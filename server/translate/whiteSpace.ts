/**
 * The ends of texts and the lines in them, found without patterns: a pattern that ends in `\s*$` tries
 * every space of a text anew, which takes minutes for a page of spaces.
 */

/** White space a text begins with; all of it when there is nothing else. */
export function leadingSpace(text: string): string {
	return text.slice(0, text.length - text.trimStart().length);
}

/** White space a text ends with; all of it when there is nothing else. */
export function trailingSpace(text: string): string {
	return text.slice(text.trimEnd().length);
}

/** A text without those of some characters that it ends with. */
export function withoutEnd(text: string, characters: string): string {
	let end = text.length;
	while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
	return text.slice(0, end);
}

/** Offset of the first of those of some characters that stand right before an offset. */
export function startOfRun(text: string, at: number, characters: string): number {
	let start = at;
	while (start > 0 && characters.includes(text.charAt(start - 1))) start--;
	return start;
}

/** Blanks and tabs before an offset when nothing else is before it on its line, else `undefined`. */
export function indentAt(text: string, at: number, ends = '\n'): string | undefined {
	const start = startOfRun(text, at, ' \t');
	return start === 0 || ends.includes(text.charAt(start - 1)) ? text.slice(start, at) : undefined;
}

/** A line of a text. */
export interface TextLine {
	readonly start: number;
	/** Without its end. */
	readonly text: string;
}

/** Lines that end with a carriage return, a line feed or both; nothing follows the last end. */
export function linesOf(text: string): TextLine[] {
	const lines: TextLine[] = [];
	const end = /\r\n|\n|\r/g;
	let start = 0;
	for (const match of text.matchAll(end)) {
		lines.push({ start, text: text.slice(start, match.index) });
		start = match.index + match[0].length;
	}
	if (start < text.length) lines.push({ start, text: text.slice(start) });
	return lines;
}

/** Tells the line of an offset, from 1, each in little time; offsets may come in any order. */
export function lineNumbers(text: string): (offset: number) => number {
	const starts = [0];
	for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
	return (offset) => {
		let [low, high] = [0, starts.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((starts[middle] ?? 0) <= offset) low = middle + 1;
			else high = middle;
		}
		return low;
	};
}

/** The first end of a line in a text, or a line feed. */
export function firstLineEnd(text: string): string {
	return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
}

/** A text on one line: an end of a line and the white space around it become one blank. */
export function onOneLine(text: string): string {
	const lines = text.split('\n');
	const last = lines.length - 1;
	return lines
		.map((line, at) => {
			const end = at < last ? line.trimEnd() : line;
			return at > 0 ? end.trimStart() : end;
		})
		.join(' ');
}

/** Columns of a text; characters of East Asia take two. */
export function textColumns(text: string): number {
	let width = 0;
	for (const letter of text)
		width +=
			/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff00-\uffef]/u.test(
				letter,
			)
				? 2
				: 1;
	return width;
}
