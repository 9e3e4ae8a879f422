/** What AsciiDoc says of its images to those who do not see them, and their titles. */

import { linesOf } from '../../whiteSpace.ts';
import { isProse } from '../isProse.ts';
import type { Piece } from '../piece.ts';
import { verbatimEnd } from './asciiBlocks.ts';

const image = /(?<![\w:`+])image::?[^\s[\]:`][^\s[\]`]{0,300}\[([^\]\n]{1,600})\]/g;
/** The first of the attributes, unless it is a named one; `alt` and `title`. */
const said =
	/(?<=^\s{0,8})(?:alt=)?(?<first>"[^"]*"|[^",=]{1,600})(?=,|$)|(?<=,\s{0,8}(?:alt|title)=)(?<named>"[^"]*"|[^",]{1,600})/dg;

/** Descriptions and titles of images in paragraphs and between them. */
export function imagePieces(text: string): Piece[] {
	const lines = linesOf(text);
	const pieces: Piece[] = [];
	for (let at = 0; at < lines.length; at++) {
		const end = verbatimEnd(lines, at);
		const { start, text: line } = lines[at] ?? { start: 0, text: '' };
		if (end !== undefined) at = end;
		else if (!/^\/\/|^:!?[\w-]+!?:/.test(line))
			for (const match of line.matchAll(image)) {
				const attributes = match[1] ?? '';
				const from = start + match.index + match[0].length - 1 - attributes.length;
				for (const { indices } of attributes.matchAll(said)) {
					const { first, named } = indices?.groups ?? {};
					const [own, last] = first ?? named ?? [0, 0];
					const piece = attributePiece(attributes.slice(own, last), from + own);
					if (piece) pieces.push(piece);
				}
			}
	}
	return pieces;
}

function attributePiece(raw: string, start: number): Piece | undefined {
	const isQuoted = raw.startsWith('"');
	const text = (isQuoted ? raw.slice(1, -1) : raw).trim();
	if (!isProse(text) || /[{}<>`\\]/.test(text)) return undefined;
	const encode = (made: string) => {
		const words = made.replace(/\s+/g, ' ');
		const needsQuotes = isQuoted || /[",=]/.test(words);
		return needsQuotes ? `"${words.replaceAll('"', '\\"')}"` : words;
	};
	return { start, end: start + raw.length, text, encode };
}

/** Syntax without what images say: the same in every language. */
export const withoutImageWords = (node: string): string =>
	node.includes('image:')
		? node.replace(/(?<=image::?[^\s[\]]{1,300}\[)[^\]\n]{1,2000}(?=\])/g, (attributes) =>
				attributes
					.replace(/"(?:\\"|[^"])*"/g, '""')
					.replace(/^(?:alt=)?(?:""|[^",=]{1,600})(?=,|$)/, '…')
					.replace(/((?:alt|title)=)(?:""|[^",]{1,600})/g, '$1…'),
			)
		: node;
