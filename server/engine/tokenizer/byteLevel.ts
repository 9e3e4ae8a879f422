/** The GPT-2 mapping between bytes and printable characters that byte-level vocabularies are written in. */

import { AlignedText, type Edit } from './alignedText.ts';

const byteToChar: string[] = [];
const charToByte = new Map<string, number>();

let next = 256;
for (let byte = 0; byte < 256; byte++) {
	const printable =
		(byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
	const char = String.fromCharCode(printable ? byte : next++);
	byteToChar.push(char);
	charToByte.set(char, byte);
}

const encoder = new TextEncoder();

/** Text as byte characters, each aligned to the character its byte belongs to. */
export function toByteChars(piece: AlignedText): AlignedText {
	const { text } = piece;
	if (/^[!-~]*$/.test(text)) return piece;
	if (!piece.tracked) return new AlignedText(byteChars(text), false);
	const edits: Edit[] = [];
	let at = 0;
	for (const char of text) {
		const mapped = byteChars(char);
		if (mapped !== char) edits.push({ from: at, to: at + char.length, text: mapped });
		at += char.length;
	}
	return piece.edited(edits);
}

/** UTF-8 bytes of a text as byte characters. A lone surrogate becomes U+FFFD. */
function byteChars(text: string): string {
	let mapped = '';
	for (const byte of encoder.encode(text)) mapped += byteToChar[byte];
	return mapped;
}

/** Bytes of a token written in byte characters; characters outside the mapping count as UTF-8 text. */
export function bytesOfChars(token: string): Uint8Array {
	const bytes: number[] = [];
	for (const char of token) {
		const byte = charToByte.get(char);
		if (byte === undefined) bytes.push(...encoder.encode(char));
		else bytes.push(byte);
	}
	return Uint8Array.from(bytes);
}

/** Raw bytes as byte characters. */
export function charsOfBytes(bytes: Uint8Array): string {
	let mapped = '';
	for (const byte of bytes) mapped += byteToChar[byte];
	return mapped;
}
