/**
 * What every way of running a decoder-only graph offers to the scheduler: sequences with caches, and
 * one step over rows of several sequences.
 */

/** Keys and values of one sequence. */
export interface SequenceCache {
	/** Tokens whose keys and values are valid. Advanced by a successful step only. */
	readonly length: number;
	/** Bytes held now. */
	readonly bytes: number;
	/**
	 * Total length to tell the graph at least, because it chooses rotary factors by the total; set
	 * while the cache is empty. 0 = the true total.
	 */
	minimumTotal: number;
	/** So many of the first tokens were read reproducibly; noted by whoever feeds it. */
	reproducibleTokens: number;
	/** Makes room for `tokens` in all, so that the next steps need not grow. */
	reserve(tokens: number): void;
	/** Forgets everything from `length` on. @throws AppError when the cache cannot go back */
	truncate(length: number): void;
	/** True when {@link truncate} to this length works. */
	canTruncate(length: number): boolean;
	/** An independent copy of the first `length` tokens (default all). */
	fork(length?: number): SequenceCache;
	release(): void;
}

/** Work for one sequence in a step. */
export interface StepRow {
	readonly cache: SequenceCache;
	/** Next tokens, at least one. */
	readonly tokens: readonly number[];
	/** Logits wanted for the last so many of these tokens; 0 while a prompt is not finished. */
	readonly logits: number;
	/** Results must be the same to the last bit in every run: see {@link Decoder.bitwiseInvariant}. */
	readonly reproducible?: boolean;
}

/**
 * - `packed`: rows of any length mix in one run (GroupQueryAttention, one slot per sequence)
 * - `holes`: rows of any length mix in one run, padded to a common cache size
 * - `serial`: one sequence per run
 */
export type DecoderMode = 'packed' | 'holes' | 'serial';

export interface Decoder {
	readonly mode: DecoderMode;
	readonly vocabularySize: number;
	/** Most rows of one step. */
	readonly maxRows: number;
	/** Most tokens of one step over all rows. */
	readonly maxStepTokens: number;
	/** False where results depend on how tokens are grouped into runs (dynamic int8). */
	readonly batchInvariant: boolean;
	/**
	 * True where a token's results are the same to the last bit however tokens are grouped into runs, as
	 * long as each row has an even number of them: kernels compute a single row, also one that is left
	 * over at the end of a block, in another order than several.
	 */
	readonly bitwiseInvariant?: boolean;
	/** Bytes of cache per token of a sequence. */
	readonly bytesPerToken: number;
	/**
	 * Length at which the graph switches to other rotary factors: a sequence that crosses it must be
	 * computed again from its first token.
	 */
	readonly recomputeAbove?: number;
	/** The graph gives logits of the last token of a row only: rows ask for one at most. */
	readonly lastLogitsOnly?: boolean;
	/** Sequences worth running at the same time; {@link maxRows} when absent. */
	readonly mostSequences?: number;
	/**
	 * Told between steps how many sequences are running, so that more rows can be made possible.
	 * Resolves soon: what takes long goes on in the background.
	 */
	expect?(sequences: number): Promise<void>;
	createCache(): SequenceCache;
	/**
	 * Runs the rows together and advances their caches. Returns, per row, the wanted logits (last
	 * token last); the arrays are writable and valid until the next step. After a rejection (error,
	 * cancel) no cache has advanced and the same rows may be run again.
	 */
	step(rows: readonly StepRow[], signal?: AbortSignal): Promise<Float32Array[][]>;
	close(): void;
}
