/**
 * The encodings that East Asia wrote in before Unicode, read and written by one table each, so that a letter goes
 * back into the bytes it came from. The decoders of runtimes have other tables here, and nothing that writes.
 */

import iconv from 'iconv-lite';

/** Names as the encoding standard has them. */
const names = new Set(['shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5', 'euc-kr']);

/** Signs that Unicode has twice: an encoding has the one or the other, and both look alike. */
const twins = new Map(
	['〜～', '‖∥', '−－', '—―', '¢￠', '£￡', '¬￢', '¦￤', '·・'].flatMap(
		([one = '', other = '']) =>
			[
				[one, other],
				[other, one],
			] as const,
	),
);

export const isAsianEncoding = (encoding: string): boolean => names.has(encoding);

/** The text of bytes; `undefined` where they are in another encoding, or damaged. */
export function decodeAsian(bytes: Uint8Array, encoding: string): string | undefined {
	const text = decode(bytes, encoding);
	return text.includes('\ufffd') ? undefined : text;
}

/**
 * The bytes of a text; `undefined` when there is a letter that the encoding has not.
 *
 * @param referenceTo A letter in ASCII, as the format of the file refers to it; `undefined` where it cannot
 */
export function encodeAsian(
	text: string,
	encoding: string,
	referenceTo: (letter: string) => string | undefined,
): Uint8Array<ArrayBuffer> | undefined {
	const whole = exactly(text, encoding);
	if (whole) return whole;
	const known = new Map<string, string>();
	for (const letter of new Set(text)) {
		const written = [letter, twins.get(letter), referenceTo(letter)].find(
			(one) => one !== undefined && exactly(one, encoding),
		);
		if (written === undefined) return undefined;
		known.set(letter, written);
	}
	const written = Array.from(text, (letter) => known.get(letter) ?? letter).join('');
	return exactly(written, encoding);
}

const decode = (bytes: Uint8Array, encoding: string): string =>
	iconv.decode(bytes, encoding, { stripBOM: false });

/** The bytes that are read as exactly this text. */
function exactly(text: string, encoding: string): Uint8Array<ArrayBuffer> | undefined {
	const bytes = Uint8Array.from(iconv.encode(text, encoding));
	return decode(bytes, encoding) === text ? bytes : undefined;
}
