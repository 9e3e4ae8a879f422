/**
 * JSON of a model, measured before it is parsed: a few megabytes of brackets make a parser, or whoever
 * walks the result, take all memory or run out of stack.
 */

import type { FileLimits } from './fileLimits.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * What a JSON text has too much of, as a part of a sentence; `undefined` when it keeps the limits. Says
 * nothing of whether it is JSON at all.
 */
export function jsonFault(
	bytes: Uint8Array,
	{ maxDepth, maxValues }: Pick<FileLimits, 'maxDepth' | 'maxValues'>,
): string | undefined {
	let depth = 0;
	let values = 1;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] as number;
		if (byte === quote) {
			at = endOfString(bytes, at);
			continue;
		}
		if (byte === openList || byte === openObject) {
			depth++;
			values++;
			if (depth > maxDepth)
				return `has lists and objects more than ${maxDepth} deep; at most ${maxDepth} are read`;
		} else if (byte === closeList || byte === closeObject) depth--;
		else if (byte === comma) values++;
		if (values > maxValues)
			return `has more than ${maxValues} values; at most ${maxValues} are read`;
	}
	return undefined;
}

/** Position of the closing quote, or the end. */
function endOfString(bytes: Uint8Array, start: number): number {
	for (let at = start + 1; at < bytes.length; at++) {
		const byte = bytes[at];
		if (byte === quote) return at;
		if (byte === backslash) at++;
	}
	return bytes.length;
}
