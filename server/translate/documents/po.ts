/**
 * Gettext `.po` files: empty `msgstr` of singular messages are filled in; comments, order, plural
 * messages, obsolete entries and everything already translated stay.
 */

import type { Piece } from './piece.ts';

export function extractPo(text: string): Piece[] {
	const pieces: Piece[] = [];
	const eol = /\r\n|\n/.exec(text)?.[0] ?? '\n';
	const strings = String.raw`((?:[ \t]*"(?:\\.|[^"\\])*"[ \t]*(?:\r?\n|$))+)`;
	const entry = new RegExp(`^msgid[ \\t]+${strings}msgstr[ \\t]+${strings}`, 'gm');
	for (const match of text.matchAll(entry)) {
		const [all, id = '', translated = ''] = match;
		const source = unquote(id);
		// The entry without an id is the header.
		if (source === '' || unquote(translated) !== '' || !/\p{L}{2}/u.test(source)) continue;
		const start = match.index + all.length - translated.length;
		const ending = /(?:\r?\n)?$/.exec(translated)?.[0] ?? '';
		pieces.push({
			start,
			end: match.index + all.length,
			text: source,
			encode: (translation) => quote(translation, eol) + ending,
		});
	}
	return pieces;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquote(lines: string): string {
	return [...lines.matchAll(/"((?:\\.|[^"\\])*)"/g)]
		.map(([, part = '']) =>
			part.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter),
		)
		.join('');
}

function quote(text: string, eol: string): string {
	const rows = text
		.split(/(?<=\n)/)
		.map(
			(row) => `"${row.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`,
		);
	return rows.length > 1 ? ['""', ...rows].join(eol) : (rows[0] ?? '""');
}
