/** JSON for servers that read whole characters only. */

/**
 * The value as JSON. Half of a surrogate pair, as a text has that was cut within an emoji, becomes U+FFFD: servers refuse the
 * half, and nobody meant it.
 */
export const wholeJson = (value: unknown): string =>
	// Pairs are written as they are; only what stands alone is escaped so.
	JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd');
