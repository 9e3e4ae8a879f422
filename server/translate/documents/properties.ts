/** Java `.properties` files: values; keys, comments, separators and continuation lines stay. */

import type { Piece } from './piece.ts';

export function extractProperties(text: string): Piece[] {
	const pieces: Piece[] = [];
	const entry =
		/^[ \t\f]*(?![#!\s])((?:\\[\s\S]|[^\\=:\s])+)([ \t\f]*[=:][ \t\f]*|[ \t\f]+)((?:\\(?:\r\n|[\s\S])|[^\\\r\n])*)/gm;
	for (const match of text.matchAll(entry)) {
		const [all, , , source = ''] = match;
		const value = decode(source);
		if (!/\p{L}{2}/u.test(value)) continue;
		const start = match.index + all.length - source.length;
		const ascii = /^[\x00-\x7f]*$/.test(text);
		pieces.push({
			start,
			end: start + source.length,
			text: value,
			encode: (translation) => encode(translation, ascii),
		});
	}
	return pieces;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f' };

function decode(source: string): string {
	return source.replace(
		/\\(?:u([\da-fA-F]{4})|(\r\n|\n|\r)[ \t\f]*|([\s\S]))/g,
		(_, hex?: string, line?: string, letter = '') =>
			hex ? String.fromCharCode(Number.parseInt(hex, 16)) : line ? '' : (escapes[letter] ?? letter),
	);
}

function encode(text: string, ascii: boolean): string {
	const escaped = text
		.replaceAll('\\', '\\\\')
		.replaceAll('\n', '\\n')
		.replaceAll('\r', '\\r')
		.replaceAll('\t', '\\t')
		.replace(/^ /, '\\ ');
	if (!ascii) return escaped;
	// A file in plain ASCII may be read as Latin-1.
	return escaped.replace(
		/[^\x00-\x7f]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
