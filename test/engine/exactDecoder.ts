/**
 * A decoder without a graph: what it says next is a function of every token a cache holds, so one
 * token too many, too few or wrong in a cache changes the answer. It counts the caches that live.
 */

import type { BatchItem, Decoder } from '../../server/engine/decode/decoder.ts';
import type { KvCache } from '../../server/engine/kv/kvCache.ts';
import { AppError } from '../../server/protocol/index.ts';

/** The 256 bytes and the end token. */
export const exactVocabulary = 257;

/** Bytes one token takes. */
const tokenBytes = 100;

export interface ExactOptions {
	/** Most rows of a step; default 4. */
	readonly maxBatchSize?: number;
	readonly contextLength?: number;
	/** Makes a step fail. */
	readonly fails?: (rows: readonly BatchItem[]) => boolean;
	/** Turns of the event loop that a step takes; default 1. */
	readonly turns?: number;
	/** As {@link Decoder.longRopeThreshold}. */
	readonly longRopeThreshold?: number;
	/** Refuses room for a cache of so many tokens. */
	readonly maxTokens?: number;
}

/** A token as a cache holds it: keys made with the factors of long texts are other keys. */
export function keyOf(token: number, isLong: boolean): number {
	return isLong ? token + 1000 : token;
}

/**
 * Logits after the keys of a text: one token stands out. Texts repeat themselves often, so that guesses from the
 * text are right often, and not always.
 */
export function exactLogits(keys: readonly number[]): Float32Array {
	let hash = 0x811c9dc5;
	for (const key of keys) hash = Math.imul(hash ^ key, 0x01000193);
	hash = (hash ^ (hash >>> 15)) >>> 0;
	const last = (keys[keys.length - 1] ?? 0) % 1000;
	const next = hash % 5 === 0 ? hash % 31 : (last * 5 + 3) % 31;
	const logits = new Float32Array(exactVocabulary).fill(-9);
	logits[next] = 4;
	logits[(next + (hash % 3) + 1) % 31] = 3.5;
	return logits;
}

export class ExactDecoder implements Decoder {
	readonly mode = 'packed';
	readonly vocabularySize = exactVocabulary;
	readonly maxBatchSize: number;
	readonly maxStepTokens = 48;
	readonly batchInvariant = true;
	readonly bytesPerToken = tokenBytes;
	readonly longRopeThreshold?: number;
	/** Caches made and not released. */
	readonly alive = new Set<KvCache>();
	steps = 0;
	/** Steps that were ended by their signal. */
	ended = 0;
	/** Most rows of any step. */
	widest = 0;
	readonly #options: ExactOptions;

	constructor(options: ExactOptions = {}) {
		this.#options = options;
		this.maxBatchSize = options.maxBatchSize ?? 4;
		if (options.longRopeThreshold !== undefined) this.longRopeThreshold = options.longRopeThreshold;
	}

	createCache(): ExactCache {
		return new ExactCache(this.alive, this.#options.maxTokens ?? 4096);
	}

	async step(rows: readonly BatchItem[], signal?: AbortSignal): Promise<Float32Array[][]> {
		if (rows.length > this.maxBatchSize || rows.some(({ tokens }) => tokens.length === 0))
			throw new Error('These rows cannot be run.');
		this.steps++;
		this.widest = Math.max(this.widest, rows.length);
		for (let turn = 0; turn < (this.#options.turns ?? 1); turn++) {
			await new Promise((resolve) => setImmediate(resolve));
			if (signal?.aborted !== true) continue;
			this.ended++;
			throw new AppError('cancelled');
		}
		if (this.#options.fails?.(rows) === true) throw new AppError('internal', 'The step failed.');
		return rows.map(({ cache, tokens, logits }) => {
			const held = cache as ExactCache;
			// The factors are chosen by the total length of the run.
			const total = Math.max(held.length + tokens.length, held.ropeTotalLength);
			const isLong = total > (this.longRopeThreshold ?? Number.POSITIVE_INFINITY);
			held.feed(tokens.map((token) => keyOf(token, isLong)));
			return Array.from({ length: logits }, (_, k) =>
				exactLogits(held.tokens.slice(0, held.length - logits + 1 + k)),
			);
		});
	}

	close(): void {}
}

class ExactCache implements KvCache {
	tokens: number[] = [];
	ropeTotalLength = 0;
	reproducibleTokens = 0;
	#room = 0;
	readonly #alive: Set<KvCache>;
	readonly #most: number;

	constructor(alive: Set<KvCache>, most: number) {
		this.#alive = alive;
		this.#most = most;
		alive.add(this);
	}

	get length(): number {
		return this.tokens.length;
	}

	get bytes(): number {
		return this.#room * tokenBytes;
	}

	feed(tokens: readonly number[]): void {
		if (!this.#alive.has(this)) throw new Error('A released cache was fed.');
		this.tokens.push(...tokens);
		this.#room = Math.max(this.#room, this.tokens.length);
	}

	reserve(tokens: number): void {
		if (tokens > this.#most) throw new RangeError('Array buffer allocation failed');
		this.#room = Math.max(this.#room, tokens);
	}

	canTruncate(length: number): boolean {
		return length <= this.tokens.length;
	}

	truncate(length: number): void {
		this.tokens.length = length;
	}

	fork(length = this.tokens.length): ExactCache {
		const copy = new ExactCache(this.#alive, this.#most);
		copy.feed(this.tokens.slice(0, length));
		copy.reproducibleTokens = Math.min(length, this.reproducibleTokens);
		return copy;
	}

	release(): void {
		if (!this.#alive.delete(this)) throw new Error('A cache was released twice.');
	}
}
