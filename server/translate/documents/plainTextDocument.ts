/**
 * Plain text: a line with words is a piece, and so are the lines of a wrapped paragraph, which is
 * wrapped again at its width. White space, empty lines and line ends stay.
 */

import { gateRules } from '../gate/gateRules.ts';
import { firstLineEnd, leadingSpace, linesOf } from '../whiteSpace.ts';
import type { Extract, Piece } from './piece.ts';

interface Line {
	/** Offset of the first word. */
	readonly start: number;
	readonly indent: string;
	readonly words: string;
	/** Whether nothing but white space is on the line. */
	readonly isEmpty: boolean;
}

/** Shorter lines were ended on purpose. */
const minWidth = 50;
const bullet = /^(?:[-*+•–]|\d{1,3}[.)])\s/;

export const extractPlainText: Extract = Object.assign(piecesOf, { rules: gateRules.plainText });

function piecesOf(text: string): Piece[] {
	const eol = firstLineEnd(text);
	const lines = linesOf(text).map((line): Line => {
		const indent = leadingSpace(line.text);
		const words = line.text.trim();
		return { start: line.start + indent.length, indent, words, isEmpty: words === '' };
	});
	const pieces: Piece[] = [];
	for (let at = 0; at < lines.length; ) {
		const block: Line[] = [];
		while (at < lines.length && !lines[at]?.isEmpty) block.push(lines[at++] as Line);
		if (block.length === 0) at++;
		for (const group of groups(block)) pieces.push(...pieceOf(group, eol));
	}
	return pieces;
}

/** Lines of a block that belong together. */
function groups(block: readonly Line[]): Line[][] {
	const width = widestOf(block);
	const found: Line[][] = [];
	for (const line of block) {
		const group = found.at(-1);
		const last = group?.at(-1);
		const goesOn =
			last !== undefined &&
			width >= minWidth &&
			// The next word did not fit into the line before.
			widthOf(last) + 1 + (/^\S+/.exec(line.words)?.[0].length ?? 0) > width &&
			!bullet.test(line.words) &&
			(line.indent === last.indent || group?.length === 1);
		if (goesOn) group?.push(line);
		else found.push([line]);
	}
	return found;
}

function widestOf(lines: readonly Line[]): number {
	return lines.reduce((widest, line) => Math.max(widest, widthOf(line)), 0);
}

function widthOf({ indent, words }: Line): number {
	return indent.length + words.length;
}

function pieceOf(group: readonly Line[], eol: string): Piece[] {
	const [first, second] = group;
	const last = group.at(-1);
	const text = group.map(({ words }) => words).join(' ');
	if (!first || !last || !/\p{L}{2}/u.test(text)) return [];
	const width = widestOf(group);
	const end = last.start + last.words.length;
	const encode = (made: string) => {
		if (!second) return made;
		const rows: string[] = [];
		let row = '';
		for (const word of made.split(/\s+/)) {
			const indent = rows.length === 0 ? first.indent : second.indent;
			if (row !== '' && indent.length + row.length + 1 + word.length > width) {
				rows.push(row);
				row = word;
			} else row = row === '' ? word : `${row} ${word}`;
		}
		return [...rows, row].join(eol + second.indent);
	};
	return [{ start: first.start, end, text, encode }];
}
