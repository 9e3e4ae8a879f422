/** Byte-pair encoding with a heap, so that time grows as n log n however long a piece is. */

import { AppError } from '../../protocol/index.ts';
import { asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';
import { ByteTokens, PieceCache, Vocabulary, VocabularyModel } from './tokenizerModel.ts';

/** Rank and result of joining two neighbours; `undefined` when they do not join. */
export type PairRank = (left: number, right: number) => { rank: number; id: number } | undefined;

/** Settings of a BPE model beyond its vocabulary. */
export interface BpeOptions {
	readonly unknownToken?: string | undefined;
	readonly fuseUnknown?: boolean;
	readonly byteFallback?: boolean;
	/** A piece that is a whole token is that token, whatever the merges say. */
	readonly ignoreMerges?: boolean;
	readonly subwordPrefix?: string | undefined;
	readonly wordSuffix?: string | undefined;
}

interface Encoded {
	readonly ids: readonly number[];
	readonly ends: readonly number[];
}

// Ranks stay below 2^20 and positions below 2^32, so both fit one exact double.
const positionRange = 2 ** 32;

/** A BPE vocabulary. */
export class Bpe extends VocabularyModel {
	readonly #rank: PairRank;
	readonly #options: BpeOptions;
	readonly #bytes: ByteTokens | undefined;
	readonly #unknown: number | undefined;
	readonly #cutsAtSpace: boolean;
	readonly #cache = new PieceCache<Encoded>();

	constructor(vocabulary: Vocabulary, rank: PairRank, options: BpeOptions = {}) {
		super(vocabulary);
		this.#rank = rank;
		this.#options = options;
		this.#bytes = options.byteFallback === true ? new ByteTokens(vocabulary) : undefined;
		this.#unknown =
			options.unknownToken === undefined ? undefined : vocabulary.id(options.unknownToken);
		this.#cutsAtSpace = !options.wordSuffix && !options.subwordPrefix && !crossesSpace(vocabulary);
	}

	encode(text: string, ends?: number[]): readonly number[] {
		if (!this.#cutsAtSpace || text.length < 64) return this.#encodeCached(text, 0, ends);
		// No token holds anything before a ▁, so words can be encoded (and remembered) one by one.
		const ids: number[] = [];
		let from = 0;
		for (let at = 1; at <= text.length; at++) {
			const cut = at === text.length || (text[at] === '\u2581' && text[at - 1] !== '\u2581');
			if (!cut) continue;
			for (const id of this.#encodeCached(text.slice(from, at), from, ends)) ids.push(id);
			from = at;
		}
		return ids;
	}

	#encodeCached(text: string, offset: number, ends: number[] | undefined): readonly number[] {
		let encoded = this.#cache.get(text);
		if (encoded === undefined) {
			encoded = this.#encode(text);
			this.#cache.set(text, encoded);
		}
		if (ends !== undefined) for (const end of encoded.ends) ends.push(offset + end);
		return encoded.ids;
	}

	#encode(text: string): Encoded {
		if (this.#options.ignoreMerges === true) {
			const whole = this.vocabulary.id(text);
			if (whole !== undefined) return { ids: [whole], ends: [text.length] };
		}
		const ids: number[] = [];
		const ends: number[] = [];
		this.#symbols(text, ids, ends);
		return ids.length < 2 ? { ids, ends } : this.#merge(ids, ends);
	}

	#symbols(text: string, ids: number[], ends: number[]): void {
		const { subwordPrefix, wordSuffix, fuseUnknown } = this.#options;
		let at = 0;
		let unknownBefore = false;
		for (const char of text) {
			const first = at === 0;
			at += char.length;
			let symbol = char;
			if (!first && subwordPrefix) symbol = subwordPrefix + symbol;
			if (at === text.length && wordSuffix) symbol += wordSuffix;
			const id = this.vocabulary.id(symbol);
			const known = id === undefined ? this.#bytes?.encode(char) : [id];
			if (known !== undefined) {
				for (const part of known) {
					ids.push(part);
					ends.push(at);
				}
			} else if (this.#unknown !== undefined) {
				if (unknownBefore && fuseUnknown === true) ends[ends.length - 1] = at;
				else {
					ids.push(this.#unknown);
					ends.push(at);
				}
			}
			unknownBefore = known === undefined;
		}
	}

	#merge(symbols: number[], symbolEnds: number[]): Encoded {
		const count = symbols.length;
		const next = new Int32Array(count);
		const previous = new Int32Array(count);
		const heap = new MinHeap();
		for (let at = 0; at < count; at++) {
			next[at] = at + 1;
			previous[at] = at - 1;
			if (at + 1 < count) this.#offer(heap, symbols, at, at + 1);
		}
		for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) {
			const left = entry % positionRange;
			const right = symbols[left] === -1 ? count : (next[left] as number);
			if (right >= count) continue;
			const pair = this.#rank(symbols[left] as number, symbols[right] as number);
			// The pair that was queued is gone when a neighbour has merged meanwhile.
			if (pair === undefined || pair.rank !== Math.floor(entry / positionRange)) continue;
			symbols[left] = pair.id;
			symbolEnds[left] = symbolEnds[right] as number;
			symbols[right] = -1;
			const after = next[right] as number;
			next[left] = after;
			if (after < count) {
				previous[after] = left;
				this.#offer(heap, symbols, left, after);
			}
			const before = previous[left] as number;
			if (before >= 0) this.#offer(heap, symbols, before, left);
		}
		const ids: number[] = [];
		const ends: number[] = [];
		for (let at = 0; at < count; at = next[at] as number) {
			ids.push(symbols[at] as number);
			ends.push(symbolEnds[at] as number);
		}
		return { ids, ends };
	}

	#offer(heap: MinHeap, symbols: readonly number[], left: number, right: number): void {
		const pair = this.#rank(symbols[left] as number, symbols[right] as number);
		if (pair !== undefined) heap.push(pair.rank * positionRange + left);
	}
}

/** Builds the BPE model of a tokenizer.json file. */
export function buildBpe(config: JsonRecord): Bpe {
	const vocabulary = new Vocabulary(
		Object.entries(asRecord(config.vocab) ?? {}) as [string, number][],
	);
	const prefix = asString(config.continuing_subword_prefix) ?? '';
	const merges = Array.isArray(config.merges) ? config.merges : [];
	const pairs = new Map<number, { rank: number; id: number }>();
	const width = vocabulary.size;
	for (const [rank, merge] of merges.entries()) {
		const [left, right] = splitMerge(merge, vocabulary);
		const leftId = vocabulary.id(left);
		const rightId = vocabulary.id(right);
		const joined = vocabulary.id(left + right.slice(prefix.length));
		if (leftId === undefined || rightId === undefined || joined === undefined) {
			throw new AppError(
				'unsupported_model',
				`The tokenizer has the merge '${left} ${right}' whose tokens are not in its vocabulary.`,
			);
		}
		const key = leftId * width + rightId;
		if (!pairs.has(key)) pairs.set(key, { rank, id: joined });
	}
	return new Bpe(vocabulary, (left, right) => pairs.get(left * width + right), {
		unknownToken: asString(config.unk_token),
		fuseUnknown: config.fuse_unk === true,
		byteFallback: config.byte_fallback === true,
		ignoreMerges: config.ignore_merges === true,
		subwordPrefix: prefix,
		wordSuffix: asString(config.end_of_word_suffix),
	});
}

// Tokens may hold spaces themselves, so the space that separates the two is one with tokens on both sides.
function splitMerge(merge: unknown, vocabulary: Vocabulary): [string, string] {
	if (Array.isArray(merge)) return [String(merge[0]), String(merge[1])];
	const text = String(merge);
	const first = text.indexOf(' ', 1);
	for (let at = first; at > 0; at = text.indexOf(' ', at + 1)) {
		const left = text.slice(0, at);
		const right = text.slice(at + 1);
		if (vocabulary.id(left) !== undefined && vocabulary.id(right) !== undefined)
			return [left, right];
	}
	return [text.slice(0, first), text.slice(first + 1)];
}

function crossesSpace(vocabulary: Vocabulary): boolean {
	for (const [token] of vocabulary.entries()) {
		for (let at = 1; at < token.length; at++) {
			if (token[at] === '\u2581' && token[at - 1] !== '\u2581') return true;
		}
	}
	return false;
}

/** Binary heap of numbers. */
class MinHeap {
	readonly #items: number[] = [];

	push(item: number): void {
		const items = this.#items;
		let at = items.length;
		items.push(item);
		while (at > 0) {
			const parent = (at - 1) >> 1;
			if ((items[parent] as number) <= item) break;
			items[at] = items[parent] as number;
			at = parent;
		}
		items[at] = item;
	}

	pop(): number | undefined {
		const items = this.#items;
		const top = items[0];
		const last = items.pop();
		if (last === undefined || items.length === 0) return top;
		let at = 0;
		for (;;) {
			let child = 2 * at + 1;
			if (child >= items.length) break;
			const right = items[child + 1];
			if (right !== undefined && right < (items[child] as number)) child++;
			if ((items[child] as number) >= last) break;
			items[at] = items[child] as number;
			at = child;
		}
		items[at] = last;
		return top;
	}
}
