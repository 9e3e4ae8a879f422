/** What an encoder can be asked: vectors of texts, and how well documents answer a query. */

/** A part of two texts that are read together: special tokens, or one of the texts. */
export type PairPiece =
	| { readonly ids: readonly number[]; readonly type: number }
	| { readonly text: 0 | 1; readonly type: number };

export interface EmbedRequest {
	readonly inputs: readonly (string | readonly number[])[];
	/** Cut the vector to this many dimensions (Matryoshka models) and normalise again. */
	readonly dimensions?: number;
	/** Whose turn it takes. */
	readonly owner?: string | undefined;
	/** Gives way to everybody's; default by its size. */
	readonly priority?: 'interactive' | 'batch' | undefined;
}

export interface EmbedResult {
	readonly vectors: readonly Float32Array[];
	readonly promptTokens: number;
}

export interface RerankRequest {
	readonly query: string;
	readonly documents: readonly string[];
	/** Cut documents that are too long to be read with the query; false: refuse them. */
	readonly truncate: boolean;
	/** Whose turn it takes. */
	readonly owner?: string | undefined;
	/** Gives way to everybody's; default by its size. */
	readonly priority?: 'interactive' | 'batch' | undefined;
}

export interface RerankResult {
	/** What the model gives for each document, before any sigmoid. */
	readonly logits: Float32Array;
	readonly promptTokens: number;
	/** Places of the documents that were cut. */
	readonly truncated: readonly number[];
}
