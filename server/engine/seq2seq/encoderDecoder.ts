/**
 * What the engine can do with an encoder-decoder, free of any model's own rules: encode a batch,
 * then feed tokens to sequences that share their cross-attention caches. Translation and speech both
 * drive this; opened by {@link ./openEncoderDecoder.ts}.
 */

import type { Tensor, TensorInfo } from '../runtime/runtime.ts';
import type { HeadColumns, HeadWeights } from './headWeights.ts';
import type { Lexicon } from './lexicon.ts';

/** A loaded encoder and decoder. */
export interface EncoderDecoder {
	/** Inputs of the encoder graph by name (`input_ids`, `input_features`, `input_values`, …). */
	readonly encoderInputs: ReadonlyMap<string, TensorInfo>;
	/** Width of a logits vector. */
	readonly vocabularySize: number;
	/** Bytes of cross-attention cache for one encoder position of one sequence, where it is known. */
	readonly crossBytesPerPosition?: number;
	/** Decoder layers whose cross-attention the graph can output, ascending; often none. */
	readonly attentionLayers: readonly number[];
	/** Set where steps can be limited to some tokens, and a table says which. */
	readonly shortlist?: Shortlist | undefined;
	/** The graph of the first run computes logits for its last token only. */
	readonly lastLogitsOnly?: boolean;
	/** False where a sequence's result depends on its neighbours (int8 with a scale per tensor): use one item per batch. */
	readonly batchInvariant: boolean;
	/**
	 * Runs the encoder on a batch. An `encoder_attention_mask`, else an `attention_mask`,
	 * becomes the decoder's `encoder_attention_mask`; without one every position counts.
	 */
	encode(inputs: Readonly<Record<string, Tensor>>, signal?: AbortSignal): Promise<EncodedBatch>;
	/**
	 * Opens sequences over encoded items: item 0's sequences first, then item 1's, …
	 * One `DecoderRun` at a time is fed; several may be open.
	 */
	start(encoded: EncodedBatch, options?: DecoderStart): DecoderRun;
	close(): void;
}

/** A lexical shortlist, and the head to be cut to them. */
export interface Shortlist {
	readonly lexicon: Lexicon;
	readonly head: HeadWeights;
	/** The table's tokens for any text. */
	readonly frequent: ReadonlySet<number>;
}

/** Output of the encoder for a batch. */
export interface EncodedBatch {
	readonly items: number;
	/** Encoder positions, padding included. */
	readonly positions: number;
	/** `[items, positions, width]`. */
	readonly hidden: Tensor;
	/** int64 `[items, positions]`. */
	readonly mask: Tensor;
	/** Cross-attention caches `[items, heads, positions, headSize]`, where the encoder makes them. */
	readonly cross?: readonly Tensor[];
}

export interface DecoderStart {
	/** Sequences per item, e.g. the number of beams or samples; default 1. */
	readonly sequencesPerItem?: number;
	/** Ask for cross-attention (see {@link EncoderDecoder.attentionLayers}). */
	readonly attentions?: boolean;
	/** Compute these tokens only; logits are then as many (see {@link EncoderDecoder.shortlist}). */
	readonly columns?: HeadColumns | undefined;
}

/** Sequences being decoded together. All sequences have the same length. */
export interface DecoderRun {
	/** Sequences now alive. */
	readonly batchSize: number;
	/** Tokens fed so far, per sequence. */
	readonly length: number;
	/** Index into the encoded batch for every sequence. */
	readonly itemOfSequence: readonly number[];
	/**
	 * Feeds the next tokens: one list per sequence, all of equal length ≥ 1. After a rejected call (error
	 * or cancel) the caches are unchanged and the same tokens may be fed again.
	 */
	feed(tokens: readonly (readonly number[])[], signal?: AbortSignal): Promise<DecoderOutput>;
	/**
	 * Continues with sequence `parents[i]` as sequence i: reorders beams, drops finished sequences.
	 * Cross-attention caches move only when the items change.
	 */
	select(parents: readonly number[]): void;
	release(): void;
}

/** Result of one {@link DecoderRun.feed}; valid until the next one. */
export interface DecoderOutput {
	/** Tokens fed per sequence in this call. */
	readonly tokens: number;
	/**
	 * Logits after token `position` (default: the last) of `sequence`; writable, length = vocabulary.
	 * With {@link EncoderDecoder.lastLogitsOnly} there are those of the last position only.
	 */
	logits(sequence: number, position?: number): Float32Array;
	/** Per layer: cross-attention `[sequences, heads, tokens, positions]`, float32. */
	readonly attentions?: ReadonlyMap<number, Tensor>;
}
