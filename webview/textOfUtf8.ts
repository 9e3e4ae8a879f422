/** Files of a page as texts. */

/** Characters in which a file says what it is encoded in. */
const headLength = 2048;
/** An encoding that a file names, or letters of one of seven bits. */
const otherEncoding = /(?:charset|encoding)\s?=\s?["']?(?!utf-?8\b)[\w-]|\x1b\$/i;

/**
 * A text with its byte order mark; `undefined` in another encoding, which the server knows how to read and write. A
 * file in ASCII may say one: other letters will have to be written in it.
 */
export function textOfUtf8(bytes: ArrayBuffer): string | undefined {
	try {
		const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
		const isAscii = text.length === bytes.byteLength;
		return isAscii && otherEncoding.test(text.slice(0, headLength)) ? undefined : text;
	} catch {
		return undefined;
	}
}
