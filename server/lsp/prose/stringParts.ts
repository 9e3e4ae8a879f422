/** A string literal as prefix, quotes and content. */

import { leadingSpace, trailingSpace, withoutEnd } from '../../translate/whiteSpace.ts';

export interface StringParts {
	readonly before: string;
	readonly body: string;
	readonly after: string;
	/** Makes a text safe between the quotes. */
	readonly quote: (text: string) => string;
}

/** Splits a literal of any of the known languages; a part of one has empty `before` or `after`. */
export function stringParts(literal: string): StringParts {
	const before = /^[\p{L}$@]*(?:r?#+)?("""|'''|["'`])/u.exec(literal);
	const mark = before?.[1] ?? '';
	const start = before?.[0].length ?? 0;
	const closing = mark === '' ? /("""|'''|["'`])$/.exec(literal)?.[1] : mark;
	const closed = closing !== undefined && literal.length >= start + closing.length;
	const hashes = literal.length - withoutEnd(literal, '#').length;
	const end =
		closed && literal.slice(0, literal.length - hashes).endsWith(closing)
			? literal.length - hashes - closing.length
			: literal.length;
	const body = literal.slice(start, Math.max(start, end));
	const words = body.trim();
	const lead = leadingSpace(body);
	const tail = words === '' ? '' : trailingSpace(body);
	return {
		before: literal.slice(0, start) + lead,
		body: words,
		after: tail + literal.slice(Math.max(start, end)),
		quote: (text) => escapeQuotes(text, mark),
	};
}

/** A quote that the translation brought along would end the literal. */
function escapeQuotes(text: string, mark: string): string {
	if (mark.length !== 1) return text;
	let out = '';
	for (let index = 0; index < text.length; index++) {
		const character = text[index] ?? '';
		if (character === '\\') {
			out += character + (text[++index] ?? '');
		} else if (character === mark) out += `\\${character}`;
		else if (character === '\n') out += mark === '`' ? character : '\\n';
		else out += character;
	}
	return out;
}
