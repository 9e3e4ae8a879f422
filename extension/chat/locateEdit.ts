/** Where a block of code an answer proposes belongs in a text. Knows no editor. */

/** A stretch of a text to be replaced, in UTF-16 offsets, and what replaces it. */
export interface EditPlacement {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

export interface PlaceHints {
	/** Code the question was about, and where it began when it was attached. */
	readonly attached?: { readonly text: string; readonly offset: number };
	/** Selected stretch, or the cursor when both are equal. */
	readonly selection?: { readonly start: number; readonly end: number };
}

/** Share of a block's lines that must be in a text for the block to be a changed form of it. */
const enough = 0.3;

/** Lines beyond which a text is not searched line by line. */
const maxLines = 6000;

/**
 * The stretch a block replaces: the code that was attached, when it is a part and still there; else the
 * lines the block resembles; else the selection; else the cursor.
 */
export function locateEdit(text: string, code: string, hints: PlaceHints = {}): EditPlacement {
	const block = code.replace(/\r\n/g, '\n').replace(/\n+$/, '');
	const { attached, selection } = hints;
	const found = attached && attached.text !== text ? nearest(text, attached) : undefined;
	if (found !== undefined && attached) {
		return fitted(text, found, found + attached.text.length, block);
	}
	const alike = resembled(text, block);
	if (alike) return fitted(text, alike.start, alike.end, block);
	const { start, end } = selection ?? { start: text.length, end: text.length };
	return start === end ? insertedAt(text, start, block) : fitted(text, start, end, block);
}

/**
 * Code at the cursor. On a line with text it gets a line of its own below, with the indent of that line, unless it is one line
 * and the cursor stands where words of that line may begin.
 */
export function insertedAt(text: string, at: number, code: string): EditPlacement {
	const block = code.replace(/\r\n/g, '\n').replace(/\n+$/, '');
	const lineStart = text.lastIndexOf('\n', at - 1) + 1;
	const before = text.slice(lineStart, at);
	const begins =
		/[\s([{=,:]$/.test(before) && !block.includes('\n') && /^(?:\W|$)/.test(text.slice(at));
	if (before.trim() === '' || begins) return fitted(text, at, at, block);
	const rest = /^[^\r\n]*/.exec(text.slice(at))?.[0] ?? '';
	const end = at + rest.length;
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const indent = indentOf(before);
	const own = indentOf(block);
	const lines = block
		.split('\n')
		.map((line) => (line.trim() === '' ? line : indent + line.slice(own.length)));
	return { start: end, end, text: eol + lines.join(eol) };
}

/** Occurrence of the attached code that is closest to where it was. */
function nearest(
	text: string,
	{ text: part, offset }: { text: string; offset: number },
): number | undefined {
	if (part.trim() === '') return undefined;
	let best: number | undefined;
	for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
		if (best === undefined || Math.abs(at - offset) < Math.abs(best - offset)) best = at;
	}
	return best;
}

/** The lines of a text of which a block is a changed form. */
function resembled(text: string, block: string): { start: number; end: number } | undefined {
	const lines = text.split('\n');
	const wanted = block.split('\n');
	if (lines.length > maxLines || wanted.length > maxLines / 4) return undefined;
	const pairs = common(
		lines.map((line) => line.trim()),
		wanted.map((line) => line.trim()),
	);
	const first = pairs[0];
	const last = pairs.at(-1);
	const telling = wanted.filter((line) => line.trim().length > 1).length;
	if (!first || !last || pairs.length < Math.max(1, enough * telling)) return undefined;
	// Lines of the block before the first common one stand for as many changed lines of the text.
	const from = Math.max(0, first[0] - first[1]);
	const to = Math.min(lines.length - 1, last[0] + (wanted.length - 1 - last[1]));
	const offset = (line: number) =>
		lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0);
	return { start: offset(from), end: offset(to) + (lines[to]?.length ?? 0) };
}

/** Longest common subsequence of lines that say something, as pairs of indices. */
function common(a: readonly string[], b: readonly string[]): [number, number][] {
	const width = b.length + 1;
	const table = new Uint16Array((a.length + 1) * width);
	const same = (i: number, j: number) => a[i] === b[j] && (a[i] ?? '').length > 1;
	for (let i = a.length - 1; i >= 0; i--) {
		for (let j = b.length - 1; j >= 0; j--) {
			table[i * width + j] = same(i, j)
				? (table[(i + 1) * width + j + 1] ?? 0) + 1
				: Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
		}
	}
	const pairs: [number, number][] = [];
	for (let i = 0, j = 0; i < a.length && j < b.length; ) {
		if (same(i, j)) pairs.push([i++, j++]);
		else if ((table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0)) i++;
		else j++;
	}
	return pairs;
}

/** The block with the indent and the line ends of the place it goes to. */
function fitted(text: string, start: number, end: number, block: string): EditPlacement {
	const lineStart = text.lastIndexOf('\n', start - 1) + 1;
	const before = text.slice(lineStart, start);
	const there = text.slice(start, end);
	const wholeLines = before.trim() === '';
	const target = wholeLines ? indentOf(before + there) : '';
	const own = indentOf(block);
	let lines = block.split('\n');
	if (wholeLines && target !== own) {
		lines = lines.map((line) => (line.trim() === '' ? line : target + line.slice(own.length)));
	}
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const tail = /\r?\n$/.exec(there)?.[0] ?? (/\r$/.test(there) ? '\r' : '');
	// At the beginning of a line with text, code gets a line of its own.
	const pushes = start === end && wholeLines && /^[^\r\n]*\S/.test(text.slice(end));
	const replaced = lines.join(eol) + (pushes ? eol + before : tail);
	// The indent before the stretch stays in the text.
	return {
		start,
		end,
		text: wholeLines && replaced.startsWith(before) ? replaced.slice(before.length) : replaced,
	};
}

/** Longest white space all lines begin with. */
function indentOf(text: string): string {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	let indent = /^[ \t]*/.exec(lines[0] ?? '')?.[0] ?? '';
	for (const line of lines) while (!line.startsWith(indent)) indent = indent.slice(0, -1);
	return indent;
}
