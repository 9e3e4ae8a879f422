/** The one place of a text that a model wants to change. Knows no editor. */

import { AppError } from '../../../server/protocol/index.ts';

/** A stretch in UTF-16 offsets, and what replaces it. */
export interface TextEdit {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/**
 * The edit that puts `fresh` in the place of `old`, with the line ends of the text.
 * @throws AppError `not_found` when `old` is not there, `conflict` when it is there more than once: the model is told
 */
export function editOf(text: string, old: string, fresh: string): TextEdit {
	const isCrlf = text.includes('\r\n');
	const own = (part: string) => {
		const plain = part.replaceAll('\r\n', '\n');
		return isCrlf ? plain.replaceAll('\n', '\r\n') : plain;
	};
	const wanted = own(old);
	const start = wanted === '' ? -1 : text.indexOf(wanted);
	if (start === -1)
		throw new AppError(
			'not_found',
			'The old text is not in the file. Read the file again and copy the lines exactly, white space included.',
		);
	if (text.indexOf(wanted, start + 1) !== -1)
		throw new AppError(
			'conflict',
			'The old text is in the file more than once. Give more lines around it, so that only one place fits.',
		);
	return { start, end: start + wanted.length, text: own(fresh) };
}

/** Lines of a text with their numbers, as a model reads them: `from` and `to` count from 1, both included. */
export function numberedLines(text: string, from = 1, to = from + maxLines - 1): string {
	const lines = text.split(/\r?\n/);
	const first = Math.max(1, Math.floor(from));
	const last = Math.min(lines.length, Math.floor(to), first + maxLines - 1);
	const shown = lines.slice(first - 1, last).map((line, index) => `${first + index}\t${line}`);
	const rest = lines.length - last;
	return [...shown, ...(rest > 0 ? [`[${rest} more lines]`] : [])].join('\n');
}

/** A text to compare: byte order marks and line ends are the editor's business. */
export const plainLines = (content: string): string =>
	content.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');

/** Lines that are read at once. */
const maxLines = 400;
