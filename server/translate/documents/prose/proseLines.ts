/** Paragraphs of light markup: lines that belong together become one text, wrapped again at their width. */

import { firstLineEnd, onOneLine } from '../../whiteSpace.ts';
import { type InlinePart, taggedText } from '../inlineTags.ts';
import type { Piece } from '../piece.ts';
import type { Apart } from './marks.ts';

/** A line of a paragraph without its indent and marker. */
export interface ProseLine {
	readonly start: number;
	readonly text: string;
	/** What stands before it on its line. */
	readonly before: string;
}

const minWidth = 60;

/**
 * The piece of a paragraph, none without words.
 *
 * @param marks one pattern for all marks; where one of its groups named `words` matched, the mark is a pair around them
 * @param opens what a line must not begin with
 * @param apart parts words from the marks they touch, where they do not touch in the source
 * @param isName whether others refer to a mark by the words in it, which stay then
 */
export function prosePiece(
	text: string,
	lines: readonly ProseLine[],
	marks: RegExp,
	opens: RegExp,
	apart: Apart,
	isName: (words: string, mark: string) => boolean = () => false,
): Piece[] {
	const [first, second] = lines;
	const last = lines.at(-1);
	if (!first || !last) return [];
	const words = lines.map((line) => line.text.trim()).join(' ');
	const tagged = taggedText(inlineParts(words, marks, isName), (raw) => raw);
	if (!/\p{L}{2}/u.test(tagged.text.replace(/<[^<>]*>/g, ' '))) return [];
	const width = lines.reduce(
		(widest, line) => Math.max(widest, line.before.length + line.text.length),
		minWidth,
	);
	const end = last.start + last.text.trimEnd().length;
	const eol = firstLineEnd(text.slice(first.start));
	const keepsApart = apart(words) === words;
	const shown = (made: string) => {
		const whole = tagged.restore(made, (one) => one);
		return keepsApart ? apart(whole) : whole;
	};
	return [
		{
			start: first.start,
			end,
			text: tagged.text,
			...(tagged.tags ? { delimiters: tagged.tags, isWhole: tagged.isWhole } : {}),
			shown,
			encode: (made) => {
				const whole = onOneLine(shown(made));
				if (!second) return whole;
				return wrapped(whole, width, first.before.length, second.before, opens).join(eol);
			},
		},
	];
}

function wrapped(
	text: string,
	width: number,
	indent: number,
	before: string,
	opens: RegExp,
): string[] {
	const rows: string[] = [];
	let row = '';
	for (const word of text.split(' ')) {
		const used = rows.length === 0 ? indent : 0;
		if (row !== '' && used + row.length + 1 + word.length > width && !opens.test(word)) {
			rows.push(row);
			row = before + word;
		} else row = row === '' ? word : `${row} ${word}`;
	}
	return [...rows, row];
}

function inlineParts(
	text: string,
	marks: RegExp,
	isName: (words: string, mark: string) => boolean,
): InlinePart[] {
	const parts: InlinePart[] = [];
	let at = 0;
	let next = 0;
	for (const match of text.matchAll(marks)) {
		if (match.index > at) parts.push({ raw: text.slice(at, match.index), role: 'text' });
		at = match.index + match[0].length;
		const [place] = Object.values(match.indices?.groups ?? {}).filter((one) => one !== undefined);
		const words = place ? text.slice(place[0], place[1]) : '';
		if (!place || !/\p{L}{2}/u.test(words) || isName(words, match[0])) {
			parts.push({ raw: match[0], role: 'single' });
			continue;
		}
		const from = place[0] - match.index;
		const pair = next++;
		parts.push({ raw: match[0].slice(0, from), role: 'open', pair });
		parts.push({ raw: words, role: 'text' });
		parts.push({ raw: match[0].slice(from + words.length), role: 'close', pair });
	}
	if (at < text.length) parts.push({ raw: text.slice(at), role: 'text' });
	return parts;
}
