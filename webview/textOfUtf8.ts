/** Files of a page as texts. */

/** A text with its byte order mark; `undefined` in another encoding, which the server knows how to read and write. */
export function textOfUtf8(bytes: ArrayBuffer): string | undefined {
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return undefined;
	}
}
