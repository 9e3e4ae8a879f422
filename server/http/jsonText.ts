/** JSON of callers: how deep and how large it may be, wherever it is parsed. */

import { AppError } from '../protocol/errors.ts';

/** Levels of lists and objects; nothing anybody sends has a tenth of them. */
const maxDepth = 200;
/** Values of one body. */
const maxValues = 400_000;

/**
 * The value of a JSON text.
 *
 * @throws SyntaxError when it is no JSON, AppError `invalid_json` when it is nested too deeply,
 *   `too_expensive` when it has too many values.
 */
export function parseJson(text: string): unknown {
	const { depth, values } = measureOf(text);
	if (depth > maxDepth)
		throw new AppError(
			'invalid_json',
			`The body is nested ${depth} levels deep; at most ${maxDepth} are read.`,
		);
	if (values > maxValues)
		throw new AppError(
			'too_expensive',
			`The body has more than ${maxValues} values. Send them in several requests.`,
		);
	return JSON.parse(text) as unknown;
}

/** The deepest level and about the number of values. */
function measureOf(text: string): { depth: number; values: number } {
	let [depth, deepest, values] = [0, 0, 1];
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === quote) at = endOfString(text, at);
		else if (code === comma) values++;
		else if (code === openList || code === openObject) {
			values++;
			if (++depth > deepest) deepest = depth;
		} else if (code === closeList || code === closeObject) depth--;
	}
	return { depth: deepest, values };
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Offset of the quotation mark that ends a string, or of the end of the text. */
function endOfString(text: string, start: number): number {
	for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
		let before = at - 1;
		while (text.charCodeAt(before) === backslash) before--;
		if ((at - before) % 2 === 1) return at;
	}
	return text.length;
}
