/** JSON of callers: how deep and how large it may be, wherever it is parsed. */

import { AppError } from '../protocol/errors.ts';
import type { BodyLimits } from '../protocol/routes/bodyLimits.ts';
import { isWholeJson } from '../work/wholeText.ts';

/** Levels of lists and objects; nothing anybody sends has a tenth of them. */
const maxDepth = 200;
/** Different names among the fields: these cost more than fields that all objects have. */
const maxNames = 20_000;

/** How much of what a text may have. */
export type JsonLimits = Pick<BodyLimits, 'values' | 'fields'>;

/**
 * The value of a JSON text.
 *
 * @throws SyntaxError when it is no JSON, AppError `invalid_json` when it is nested too deeply or has half of a
 *   surrogate pair, `too_expensive` when it has too many values or fields
 */
export function parseJson(text: string, limits: JsonLimits): unknown {
	const { depth, values, fields, names } = measureOf(text, limits);
	if (depth > maxDepth)
		throw new AppError(
			'invalid_json',
			`The body is nested ${depth} levels deep; at most ${maxDepth} are read.`,
		);
	if (values > limits.values)
		throw new AppError(
			'too_expensive',
			`The body has more than ${limits.values} values. Send them in several requests.`,
		);
	if (fields > limits.fields || names > maxNames)
		throw new AppError(
			'too_expensive',
			`The body has more than ${limits.fields} fields, or more than ${maxNames} different ones. Send them in several requests.`,
		);
	const value = JSON.parse(text) as unknown;
	if (!isWholeJson(value, text))
		throw new AppError(
			'invalid_json',
			'The body is not valid JSON: a text in it has half of a surrogate pair, such as \\ud83d alone.',
		);
	return value;
}

/** The deepest level, about the number of values, and the numbers of fields and of different names. */
function measureOf(text: string, { fields: maxFields }: JsonLimits) {
	const names = new Set<string>();
	let [depth, deepest, values, fields, start, end] = [0, 0, 1, 0, 0, 0];
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === quote) {
			start = at;
			at = endOfString(text, at);
			end = at;
		} else if (code === colon) {
			if (++fields <= maxFields) names.add(text.slice(start, end));
		} else if (code === comma) values++;
		else if (code === openList || code === openObject) {
			values++;
			if (++depth > deepest) deepest = depth;
		} else if (code === closeList || code === closeObject) depth--;
	}
	return { depth: deepest, values, fields, names: names.size };
}

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c];
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
