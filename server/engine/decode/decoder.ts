/**
 * What every way of running a decoder-only graph offers to the scheduler: sequences with caches, and
 * one step over a batch of them.
 */

import type { KvCache } from '../kv/kvCache.ts';

/** What one sequence computes in a step. */
export interface BatchItem {
	readonly cache: KvCache;
	/** Next tokens, at least one. */
	readonly tokens: readonly number[];
	/** All tokens of the sequence, from its first, for graphs whose positions depend on what was read before. */
	readonly history?: readonly number[];
	/** Number of last tokens whose logits are wanted; 0 while a prompt is not finished. */
	readonly logits: number;
	/** Results must be the same to the last bit in every run: see {@link Decoder.bitwiseInvariant}. */
	readonly reproducible?: boolean;
}

/**
 * - `packed`: sequences of any length mix in one run (GroupQueryAttention, one slot per sequence)
 * - `serial`: one sequence per run
 */
export type DecoderMode = 'packed' | 'serial';

export interface Decoder {
	readonly mode: DecoderMode;
	readonly vocabularySize: number;
	/** Maximum items of one step. */
	readonly maxBatchSize: number;
	/** Maximum tokens of one step over all items. */
	readonly maxStepTokens: number;
	/** False where results depend on how tokens are grouped into runs (dynamic int8). */
	readonly batchInvariant: boolean;
	/**
	 * True where a token's results are the same to the last bit however tokens are grouped into runs, as
	 * long as each item has an even number of them: kernels compute a single token, also one that is left
	 * over at the end of a block, in another order than several.
	 */
	readonly bitwiseInvariant?: boolean;
	/** Bytes of cache per token of a sequence. */
	readonly bytesPerToken: number;
	/**
	 * LongRoPE: length at which the graph switches to other rotary factors; a sequence that crosses it
	 * must be computed again from its first token.
	 */
	readonly longRopeThreshold?: number;
	/** The graph gives logits of an item's last token only: items must not ask for more. */
	readonly lastLogitsOnly?: boolean;
	/** Sequences worth running at the same time; {@link maxBatchSize} when absent. */
	readonly maxSequences?: number;
	/**
	 * Called between steps with the number of running sequences, so that a larger batch can be made
	 * possible. Resolves soon: what takes long continues in the background.
	 */
	prepareForBatchSize?(sequences: number): Promise<void>;
	createCache(): KvCache;
	/**
	 * Runs the items together and advances their caches. Returns, per item, the wanted logits (last
	 * token last); the arrays are writable and valid until the next step. After a rejection (error,
	 * cancel) no cache has advanced and the same items may be run again.
	 */
	step(batch: readonly BatchItem[], signal?: AbortSignal): Promise<Float32Array[][]>;
	close(): void;
}
