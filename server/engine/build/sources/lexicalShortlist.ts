/** Lexical shortlists of Firefox Translations' students (marian-fork, src/data/shortlist.cpp). */

import { HeaderReader } from './headerReader.ts';
import { sourceFault } from './limits.ts';
import type { ByteSource } from './tensorSource.ts';

const magic = 0xf11a48d5013417f5n;
/** Before the lists: the mark, a sum, and four counts. */
const headBytes = 48;
const maxBytes = 2 ** 30;

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
export async function readLexicalShortlist(
	file: ByteSource,
	signal?: AbortSignal,
): Promise<LexicalShortlist> {
	const { name, size } = file;
	const reader = new HeaderReader(file, signal);
	await reader.need(headBytes);
	if (reader.u64() !== magic) throw sourceFault(name, 'does not begin as a shortlist does');
	reader.u64();
	const first = reader.count();
	const best = reader.count();
	const offsetCount = reader.count();
	const wordCount = reader.count();
	const bytes = headBytes + offsetCount * 8 + wordCount * 4;
	if (!(bytes <= size) || bytes > maxBytes || offsetCount < 1)
		throw sourceFault(
			name,
			`has ${offsetCount} lists with ${wordCount} tokens, more than it can hold`,
		);
	if (!(first < 2 ** 31 && best < 2 ** 31)) throw sourceFault(name, 'always has too many tokens');
	const all = new BigUint64Array(
		(await file.read(headBytes, offsetCount * 8, signal)).slice().buffer,
	);
	const offsets = new Uint32Array(offsetCount);
	let before = 0;
	for (const [index, offset] of all.entries()) {
		const value = Number(offset);
		if (value < before || value > wordCount)
			throw sourceFault(name, `has the list of token ${index} at ${offset} of ${wordCount}`);
		offsets[index] = value;
		before = value;
	}
	const words = await file.read(headBytes + offsetCount * 8, wordCount * 4, signal);
	return { first, best, offsets, words: new Uint32Array(words.slice().buffer) };
}
