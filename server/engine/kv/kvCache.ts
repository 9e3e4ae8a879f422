/** What is kept of tokens that were read: keys and values of every layer, or states. */

import type { TensorType } from '../runtime/tensorType.ts';

/** One key or value tensor of one layer: `[sequences, heads, length, headSize]`. */
export interface CacheTensor {
	readonly past: string;
	readonly present: string;
	readonly type: TensorType;
	readonly heads: number;
	readonly headSize: number;
	/** Fixed length of a ring cache (sliding window), which is written in place. */
	readonly ring?: number;
	/** Fixed length of a state, which every token replaces as a whole (recurrent decoders). */
	readonly stateLength?: number;
}

/** KV cache of a sequence of tokens, or of several of equal length. */
export interface KvCache {
	/** Tokens whose keys and values are valid. Advanced by a successful step only. */
	readonly length: number;
	/** Bytes held now. */
	readonly bytes: number;
	/**
	 * LongRoPE: minimum total length the graph is given, because it chooses its rotary factors by the
	 * total; set while the cache is empty. 0 = the true total.
	 */
	ropeTotalLength: number;
	/** Number of first tokens that were read reproducibly; set by the caller of the step. */
	reproducibleTokens: number;
	/** Makes room for `tokens` in all, so that the next steps need not grow. */
	reserve(tokens: number): void;
	/** Forgets everything from `length` on. @throws AppError when the cache cannot go back */
	truncate(length: number): void;
	/** True if {@link truncate} to this length works. */
	canTruncate(length: number): boolean;
	/** An independent copy of the first `length` tokens (default all). */
	fork(length?: number): KvCache;
	release(): void;
}
