/**
 * Bytes of text files → text and back, in the encoding the file came in: UTF-8, UTF-16, the one-byte encodings
 * and those of East Asia. What no rule tells is refused with advice, never guessed.
 */

import { isAscii } from 'node:buffer';
import { AppError } from '../../protocol/errors.ts';
import { decodeAsian, encodeAsian, isAsianEncoding } from './asianEncodings.ts';

export interface DecodedText {
	readonly text: string;
	/** As the encoding standard names it; `utf-8` with its byte order mark in the text. */
	readonly encoding: string;
}

export interface EncodedText {
	readonly bytes: Uint8Array<ArrayBuffer>;
	/** `utf-8` when the encoding of the source has not all letters. */
	readonly encoding: string;
}

/** Where windows-1252 is not Latin-1; 0 is undefined. Runtimes are known to decode these wrongly. */
const high1252 = [
	...[0x20ac, 0, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039],
	...[0x152, 0, 0x17d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc],
	...[0x2122, 0x161, 0x203a, 0x153, 0, 0x17e, 0x178],
];
const oneByte = /^(?:windows-125\d|windows-874|iso-8859-\d{1,2}|koi8-[ru]|macintosh|ibm866)$/;
/** Bytes in which a file says what it is encoded in. */
const headBytes = 2048;

/**
 * @param named Encoding that the person names; decides over all but a byte order mark and what is certainly UTF-8, as
 *   translations are that lie beside files in other encodings
 * @throws AppError `invalid_request` that says what to do, when the encoding cannot be told or written
 */
export function decodeText(bytes: Uint8Array, fileName: string, named?: string): DecodedText {
	const wanted = named === undefined ? undefined : writable(named);
	const marked = byMark(bytes);
	if (marked !== undefined) return decodeAs(bytes, marked, fileName);
	const onlyAscii = isAscii(bytes);
	if (wanted !== undefined) {
		const isOwn = wanted.startsWith('utf-') || onlyAscii || bytes.includes(0);
		const text = isOwn ? undefined : asUtf8(bytes);
		return text === undefined ? decodeAs(bytes, wanted, fileName) : { text, encoding: 'utf-8' };
	}
	if (onlyAscii) refuseSevenBits(bytes, fileName);
	const said = declaredEncoding(bytes, fileName);
	// What has no zeros is no UTF-16, as XML says that a program had in its memory.
	const declared = said?.startsWith('utf-16') && !bytes.includes(0) ? undefined : said;
	// What is valid UTF-8 beyond ASCII is UTF-8, whatever it says.
	if (!bytes.includes(0) && (!onlyAscii || declared === undefined)) {
		const text = asUtf8(bytes);
		if (text !== undefined) return { text, encoding: 'utf-8' };
	}
	if (declared === undefined) refuseDeclared(bytes, fileName);
	const guessed = declared ?? guess(bytes);
	if (guessed === undefined) {
		if (bytes.includes(0) && asUtf8(bytes) !== undefined)
			throw new AppError(
				'invalid_request',
				`${fileName} holds zero bytes, so it is no text. If it is one all the same, take them out: tr -d '\\000'.`,
			);
		throw new AppError(
			'invalid_request',
			`${fileName} is not in UTF-8, UTF-16 or Windows-1252, and does not say in which encoding it is. Name it (--encoding windows-1251 on the command line, encoding=windows-1251 in the query of a request), or convert it: iconv -f ENCODING -t UTF-8 ${fileName}`,
		);
	}
	return decodeAs(bytes, guessed, fileName);
}

/**
 * A text in an encoding; where that has not all its letters, as references the format knows, else in UTF-8. What it says
 * of its own encoding is then true.
 */
export function encodeText(given: string, encoding: string, fileName: string): EncodedText {
	if (encoding.startsWith('utf-16')) return { bytes: utf16(given, encoding), encoding };
	const text = saidTruly(given, encoding, fileName);
	if (encoding === 'utf-8') return { bytes: new TextEncoder().encode(text), encoding };
	if (isAsianEncoding(encoding)) {
		const bytes = encodeAsian(text, encoding, (letter) => referenceTo(letter, fileName));
		return bytes ? { bytes, encoding } : inUtf8(given, fileName);
	}
	const codes = new Map<string, number>();
	for (const [index, letter] of letters(encoding).entries())
		if (letter !== '') codes.set(letter, 0x80 + index);
	let isWhole = true;
	const written = text.replace(/[^\0-\x7f]/gu, (letter) => {
		if (codes.has(letter)) return letter;
		const reference = referenceTo(letter, fileName);
		isWhole &&= reference !== undefined;
		return reference ?? '';
	});
	if (!isWhole) return inUtf8(given, fileName);
	const bytes = new Uint8Array(written.length);
	for (let at = 0; at < written.length; at++) {
		const code = written.charCodeAt(at);
		bytes[at] = code < 0x80 ? code : (codes.get(written[at] ?? '') ?? 0);
	}
	return { bytes, encoding };
}

/** What does not fit into its encoding any more. */
const inUtf8 = (text: string, fileName: string): EncodedText => ({
	bytes: new TextEncoder().encode(saidTruly(text, 'utf-8', fileName)),
	encoding: 'utf-8',
});

const saidInXml = /^(\s{0,100}<\?xml\s[^>]{0,200}?encoding=["'])([\w-]{1,40})/;
const saidInPage = /^([\s\S]{0,2048}?<meta\s[^<>]{0,300}?charset\s?=\s?["']?)([\w-]{1,40})/i;
const saidInGettext =
	/^((?:msgstr[ \t]{1,9})?"Content-Type: [\w/]{1,40}; ?charset=)([\w-]{1,40})/im;

const isPage = (fileName: string): boolean => /\.x?html?$/i.test(fileName);

/** Where files of a kind name their encoding: what is before its name, and the name. */
function saidIn(fileName: string): readonly RegExp[] {
	if (/\.pot?$/i.test(fileName)) return [saidInGettext];
	if (isPage(fileName)) return [saidInXml, saidInPage];
	return xmlNames.test(fileName) ? [saidInXml] : [];
}

/** A text with other letters than those of ASCII, which says no encoding that it is not in. */
function saidTruly(text: string, encoding: string, fileName: string): string {
	if (!/[^\0-\x7f]/.test(text)) return text;
	const name = encoding === 'utf-8' ? 'UTF-8' : encoding;
	return saidIn(fileName).reduce(
		(said, where) =>
			said.replace(where, (all, head, own) => (isAnother(own, encoding) ? head + name : all)),
		text,
	);
}

/** Whether a name is that of an encoding, and of another one. */
function isAnother(name: string, encoding: string): boolean {
	try {
		return new TextDecoder(name).encoding !== encoding;
	} catch {
		// Templates say CHARSET.
		return false;
	}
}

/** Whether this is an encoding, but none that is written here. */
function isUnwritten(name: string): boolean {
	try {
		writable(name);
		return false;
	} catch (error) {
		return error instanceof AppError && error.cause === undefined;
	}
}

/** @throws AppError when a file says an encoding that is not written here */
function refuseDeclared(bytes: Uint8Array, fileName: string): void {
	const name = declaredName(bytes, fileName);
	if (name !== undefined && isUnwritten(name)) writable(name);
}

/** Encodings whose bytes are those of ASCII, and what letters begin with there. */
const sevenBits: readonly (readonly [name: RegExp, letters: RegExp])[] = [
	[/^(?:cs)?iso-?2022/i, /\x1b[$(]|\x0e/],
	[/^hz/i, /~\{/],
	[/^(?:unicode-1-1-)?utf-?7$/i, /\+[A-Za-z\d+/]{2,200}-/],
];
/** Japanese in ISO-2022-JP, which mail and old pages have; no colours of a terminal begin like it. */
const japaneseSevenBits = /\x1b\$[@B]/;

/** @throws AppError when letters are written as pairs of ASCII, which would be taken for words */
function refuseSevenBits(bytes: Uint8Array, fileName: string): void {
	const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
	const said = declaredName(bytes, fileName);
	const known = sevenBits.some(
		([name, letters]) => said !== undefined && name.test(said) && letters.test(text),
	);
	if (!known && !japaneseSevenBits.test(text)) return;
	const name = known ? (said ?? '') : 'iso-2022-jp';
	throw new AppError(
		'invalid_request',
		`${fileName} is in ${name}, which is not written here. Convert it first: iconv -f ${name} -t UTF-8 ${fileName}`,
	);
}

function byMark(bytes: Uint8Array): string | undefined {
	const [first, second, third, fourth] = bytes;
	// With two zeros behind it the mark is that of UTF-32, which nobody writes.
	if (first === 0xff && second === 0xfe)
		return third === 0 && fourth === 0 ? undefined : 'utf-16le';
	if (first === 0xfe && second === 0xff) return 'utf-16be';
	return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** The encoding that the head of an HTML, XML or gettext file names, where this can write it. */
function declaredEncoding(bytes: Uint8Array, fileName: string): string | undefined {
	const found = declaredName(bytes, fileName);
	if (found === undefined) return undefined;
	try {
		return writable(found);
	} catch {
		// Templates say CHARSET, and what cannot be written is told when it cannot be read as UTF-8.
		return undefined;
	}
}

/** What a file says of itself, and not what it shows: other formats have examples of such heads. */
function declaredName(bytes: Uint8Array, fileName: string): string | undefined {
	const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
	if (/\.pot?$/i.test(fileName)) return saidInGettext.exec(head)?.[2];
	const isXml = isPage(fileName) || xmlNames.test(fileName);
	const xml = isXml ? saidInXml.exec(head)?.[2] : undefined;
	if (xml !== undefined || !isPage(fileName)) return xml;
	return saidInPage.exec(head)?.[2];
}

const xmlNames = /\.(?:plist|resx|stringsdict|svg|tbx|tmx|ts|xlf|xliff|xml)$/i;

/** The standard's name of an encoding that can be read and written. */
function writable(name: string): string {
	let found: string;
	try {
		found = new TextDecoder(name).encoding;
	} catch (cause) {
		throw new AppError('invalid_request', `'${name.slice(0, 40)}' is no encoding.`, { cause });
	}
	const isKnown = found === 'utf-8' || found.startsWith('utf-16') || oneByte.test(found);
	if (isKnown || isAsianEncoding(found)) return found;
	throw new AppError(
		'invalid_request',
		`Files in ${found} are not written here. Convert the file first: iconv -f ${found} -t UTF-8`,
	);
}

/** UTF-16 by its many zeros, windows-1252 by its letters. */
function guess(bytes: Uint8Array): string | undefined {
	if (bytes.includes(0)) {
		if (bytes.length % 2 !== 0) return undefined;
		const zeros = [0, 0];
		for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2]!++;
		const [even = 0, odd = 0] = zeros;
		const half = bytes.length / 2;
		if (odd > half / 2 && even < half / 20) return 'utf-16le';
		return even > half / 2 && odd < half / 20 ? 'utf-16be' : undefined;
	}
	const text = decodeOneByte(bytes, 'windows-1252');
	let [all, high] = [0, 0];
	const upper = letters('windows-1252').map((letter) => /\p{L}/u.test(letter));
	for (const byte of bytes) {
		if (byte >= 0x80) high++;
		const isLetter =
			byte < 0x80 ? (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a : upper[byte - 0x80];
		if (isLetter) all++;
	}
	// Signs inside words are letters of another encoding.
	const isOdd =
		/[\x80-\x9f]|(?<=\p{L})[¡¢¤¥¦¨ª¬¯±²³´µ¶¸¹º¼½¾¿÷×†‡ˆ‰˜](?=\p{L})|(?<=\p{L}{3})[¢£¥¦§¬±²³µ¶¹¼½¾]|[ðÐþÞýÝ]/u.test(
			text,
		);
	return !isOdd && high <= all / 4 + 2 ? 'windows-1252' : undefined;
}

function decodeAs(bytes: Uint8Array, encoding: string, fileName: string): DecodedText {
	if (oneByte.test(encoding)) return { text: decodeOneByte(bytes, encoding), encoding };
	try {
		if (isAsianEncoding(encoding)) {
			const text = decodeAsian(bytes, encoding);
			if (text === undefined) throw new Error(`Not ${encoding}.`);
			return { text, encoding };
		}
		const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
		return { text: decoder.decode(bytes), encoding };
	} catch (cause) {
		throw new AppError(
			'invalid_request',
			`${fileName} is damaged: it is not in ${encoding.toUpperCase()} to its end.`,
			{ cause },
		);
	}
}

function asUtf8(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		// Another encoding, then.
		return undefined;
	}
}

/** The letters of the upper half; empty where there is none. */
function letters(encoding: string): string[] {
	const upper = Uint8Array.from({ length: 128 }, (_, index) => 0x80 + index);
	if (encoding === 'windows-1252')
		return [...upper].map((byte) => {
			const code = byte < 0xa0 ? (high1252[byte - 0x80] ?? 0) : byte;
			return String.fromCharCode(code === 0 ? byte : code);
		});
	return [...upper].map((byte) => {
		const letter = new TextDecoder(encoding).decode(Uint8Array.of(byte));
		return letter === '\ufffd' ? '' : letter;
	});
}

function decodeOneByte(bytes: Uint8Array, encoding: string): string {
	const upper = letters(encoding).map((letter) => (letter || '\ufffd').charCodeAt(0));
	const codes = new Uint8Array(2 * bytes.length);
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		const code = byte < 0x80 ? byte : (upper[byte - 0x80] ?? 0);
		codes[2 * at] = code & 0xff;
		codes[2 * at + 1] = code >> 8;
	}
	return Buffer.from(codes.buffer).toString('utf16le');
}

function utf16(text: string, encoding: string): Uint8Array<ArrayBuffer> {
	const bytes = Buffer.from(text, 'utf16le');
	return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** A letter as the format of a file writes it in ASCII; `undefined` where it has no such form. */
function referenceTo(letter: string, fileName: string): string | undefined {
	if (/\.(?:html?|xlf|xliff|xml)$/i.test(fileName)) return `&#${letter.codePointAt(0)};`;
	if (!/\.properties$/i.test(fileName)) return undefined;
	return Array.from(
		letter.split(''),
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
	).join('');
}
