/** What a decoder-only model computes, whatever its files call it: all that its graph is made from. */

/** How the rotary embedding's frequencies are made (`rope_scaling` of config.json). */
export type RopeScaling =
	| { readonly kind: 'none' }
	/** Positions divided by `factor` (arXiv 2306.15595). */
	| { readonly kind: 'linear'; readonly factor: number }
	/** Low frequencies divided by `factor`, high ones kept, those between blended (Llama 3.1). */
	| {
			readonly kind: 'llama3';
			readonly factor: number;
			readonly lowFrequencyFactor: number;
			readonly highFrequencyFactor: number;
			readonly originalLength: number;
	  }
	/** One divisor for each frequency, `[rotarySize / 2]`, as files of GGUF hold those of Llama 3.1. */
	| { readonly kind: 'divisors'; readonly divisors: readonly number[] }
	/** Two sets of divisors, chosen by the total length (arXiv 2402.13753). */
	| {
			readonly kind: 'longrope';
			readonly short: readonly number[];
			readonly long: readonly number[];
			readonly originalLength: number;
			/** On cosines and sines. */
			readonly attentionFactor: number;
	  }
	/** NTK by parts (arXiv 2309.00071). */
	| {
			readonly kind: 'yarn';
			readonly factor: number;
			readonly originalLength: number;
			readonly betaFast: number;
			readonly betaSlow: number;
			readonly truncate: boolean;
			/** On cosines and sines. */
			readonly attentionFactor: number;
	  };

/** One rotary embedding of a model; layers may have different ones. */
export interface Rope {
	readonly theta: number;
	/** Numbers of a head that are rotated: an even number up to the head's size. */
	readonly rotarySize: number;
	readonly scaling: RopeScaling;
}

/** What one layer does differently from others. */
export interface LayerShape {
	/** Tokens that attention reaches back, the token itself included; 0 = all. */
	readonly window: number;
	/** Index into {@link DecoderShape.ropes}; `undefined` = no positions. */
	readonly rope: number | undefined;
}

/**
 * Where the norms are:
 * - `pre`: before attention and before the feed-forward part
 * - `sandwich`: there, and on what both give
 * - `post`: only on what both give
 * - `parallel`: both parts read the same norm of the layer's input
 */
export type NormPlaces = 'pre' | 'sandwich' | 'post' | 'parallel';

export type Activation = 'silu' | 'gelu' | 'gelu_tanh' | 'relu';

/** Feed-forward parts of which a router picks some for each token. */
export interface ExpertsShape {
	readonly count: number;
	/** For each token. */
	readonly used: number;
	/** What the chosen ones count adds up to 1. */
	readonly normalised: boolean;
}

export interface DecoderShape {
	readonly modelType: string;
	readonly hiddenSize: number;
	readonly heads: number;
	readonly kvHeads: number;
	readonly headSize: number;
	readonly contextLength: number;
	readonly layers: readonly LayerShape[];
	readonly ropes: readonly Rope[];
	readonly norms: {
		readonly places: NormPlaces;
		/** Root mean square, or mean and variance. */
		readonly kind: 'rms' | 'layer';
		readonly epsilon: number;
		/** Added to the weights of the files. */
		readonly offset: 0 | 1;
		/** They have no weights. */
		readonly plain: boolean;
		/** Norms of queries and keys: of each head, or of all heads as one vector. */
		readonly queryKey: 'none' | 'head' | 'all';
	};
	readonly activation: Activation;
	/** Two matrices, one of them through the activation, instead of one. */
	readonly gated: boolean;
	/** In layers that have a router. */
	readonly experts?: ExpertsShape;
	/** Factors; 1 = none. */
	readonly scales: {
		readonly embedding: number;
		/** Of attention scores. */
		readonly attention: number;
		/** Of what attention and the feed-forward part add. */
		readonly residual: number;
		readonly logits: number;
	};
	/** `cap · tanh(x / cap)`; 0 = none. */
	readonly softcaps: { readonly attention: number; readonly logits: number };
	/** Bound of queries, keys and values; 0 = none. */
	readonly clip: number;
	/** Rows of one tensor for queries, keys and values come group by group in the hub's files. */
	readonly groupedQueryKeyValue: boolean;
	/** The head is the embedding. */
	readonly tied: boolean;
	/** In files of GGUF the rotated rows of queries and keys come in pairs. */
	readonly pairedInGguf: boolean;
}
