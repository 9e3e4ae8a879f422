/** Texts that wait to be translated, and which of them go into one batch. */

import type { Seq2SeqItem, Seq2SeqOutput } from '../api.ts';
import { paddedWidth } from '../runtime/paddedWidth.ts';
import { addTokens, type OwnTokens } from './batchShortlist.ts';
import type { EncoderDecoder } from './encoderDecoder.ts';
import type { EncodedItem } from './languageTokens.ts';
import type { SearchOptions } from './searchOptions.ts';

/** A text as the search needs it. */
export interface PreparedText {
	readonly item: Seq2SeqItem;
	readonly encoded: EncodedItem;
	readonly search: SearchOptions;
	/** Tokens beside the frequent ones; absent = all tokens. */
	readonly ownTokens: OwnTokens | undefined;
	readonly wantsAttention: boolean;
	readonly alternatives: number;
	readonly priority: 'interactive' | 'batch';
}

export interface TranslationJob extends PreparedText {
	readonly signal: AbortSignal | undefined;
	readonly resolve: (output: Seq2SeqOutput) => void;
	readonly reject: (error: unknown) => void;
}

export interface BatchLimits {
	readonly model: EncoderDecoder;
	readonly contextLength: number;
}

const maxSequences = 64;
const maxPaddedTokens = 4096;

/** Equal for texts that may share a batch. */
export function batchKey({ priority, search, wantsAttention, ownTokens, encoded }: PreparedText) {
	return [
		priority,
		search.beams,
		wantsAttention,
		ownTokens === undefined,
		encoded.start.length,
	].join();
}

/**
 * A text and what fits best beside it.
 * @param candidates others of equal {@link batchKey}, best first
 */
export function chooseBatch<T extends PreparedText>(
	first: T,
	candidates: Iterable<T>,
	{ model, contextLength }: BatchLimits,
): T[] {
	const batch = [first];
	if (!model.batchInvariant) return batch;
	const { beams } = first.search;
	const ownTokens = new Set(first.ownTokens);
	let longest = first.encoded.source.length;
	for (const work of candidates) {
		longest = Math.max(longest, work.encoded.source.length);
		const items = batch.length + 1;
		const tokens = items * paddedWidth(longest, contextLength);
		if (items * beams > maxSequences || tokens > maxPaddedTokens) break;
		if (work.ownTokens !== undefined && !addTokens(model, ownTokens, work.ownTokens)) break;
		batch.push(work);
	}
	return batch;
}
