/** What a grammar must offer to steer sampling; implemented in engine/grammar. */

/** Decides which tokens may come next. One per sequence. */
export interface TokenConstraint {
	/**
	 * Bitmask over the vocabulary: bit `id & 31` of word `id >> 5` is 1 when the token is allowed.
	 * `null` = everything is allowed. Valid until the next call of any method.
	 */
	mask(): Int32Array | null;
	/** Advances by a chosen token; false (and no change) when the token is not allowed. */
	accept(tokenId: number): boolean;
	/** Takes back the last `count` accepted tokens. */
	rollback(count: number): void;
	/** True if the text is complete and only an end token may follow. */
	isTerminated(): boolean;
	dispose(): void;
}
