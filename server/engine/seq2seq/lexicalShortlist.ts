/** Lexical shortlists of Firefox Translations' students (marian-fork, src/data/shortlist.cpp). */

import { AppError } from '../../protocol/index.ts';

const magic = 0xf11a48d5013417f5n;
/** Before the lists: the mark, a sum, and four counts. */
const headBytes = 48;

export interface LexicalShortlist {
	/** How many of the most frequent target tokens are always in. */
	readonly first: number;
	/** Length of the longest list, as it was asked for. */
	readonly best: number;
	/** The list of source token `t` is `words[offsets[t]]` to `words[offsets[t + 1]]`. */
	readonly offsets: Uint32Array;
	/** Ids of target tokens. */
	readonly words: Uint32Array;
}

/** @throws AppError `unsupported_model` that names the file */
export function readLexicalShortlist(bytes: Uint8Array, name: string): LexicalShortlist {
	const fault = (what: string) =>
		new AppError(
			'unsupported_model',
			`The file ${name} of the model ${what}. Take another build of the model.`,
		);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (bytes.length < headBytes || view.getBigUint64(0, true) !== magic)
		throw fault('does not begin as a shortlist does');
	const [first = 0, best = 0, offsetCount = 0, wordCount = 0] = [16, 24, 32, 40].map((at) =>
		Number(view.getBigUint64(at, true)),
	);
	if (!(headBytes + offsetCount * 8 + wordCount * 4 <= bytes.length) || offsetCount < 1)
		throw fault('has more lists and tokens than it can hold');
	if (!(first < 2 ** 31 && best < 2 ** 31)) throw fault('always has too many tokens');
	const offsets = new Uint32Array(offsetCount);
	let before = 0;
	for (let index = 0; index < offsetCount; index++) {
		const value = Number(view.getBigUint64(headBytes + index * 8, true));
		if (value < before || value > wordCount)
			throw fault(`has the list of token ${index} at ${value} of ${wordCount}`);
		offsets[index] = value;
		before = value;
	}
	const from = bytes.byteOffset + headBytes + offsetCount * 8;
	// Their place need not be one of whole numbers.
	const words = new Uint32Array(bytes.buffer.slice(from, from + wordCount * 4));
	return { first, best, offsets, words };
}
