/** Texts that wait to be translated, and which of them go into one batch. */

import type { Seq2SeqItem, Seq2SeqOutput } from '../api.ts';
import { paddedWidth } from '../runtime/paddedWidth.ts';
import { addWords, type OwnWords } from './batchShortlist.ts';
import type { EncoderDecoder } from './encoderDecoder.ts';
import type { EncodedItem } from './languageTokens.ts';
import type { SearchOptions } from './searchOptions.ts';

export interface TranslationWork {
	readonly item: Seq2SeqItem;
	readonly encoded: EncodedItem;
	readonly search: SearchOptions;
	/** Words beside the frequent ones; absent = all words. */
	readonly words: OwnWords | undefined;
	readonly wantsAttention: boolean;
	readonly alternatives: number;
	readonly priority: 'interactive' | 'batch';
	readonly signal: AbortSignal | undefined;
	readonly resolve: (output: Seq2SeqOutput) => void;
	readonly reject: (error: unknown) => void;
}

const mostRows = 64;
const mostPaddedTokens = 4096;

/**
 * Interactive work first; then what fits best beside it: same settings, similar length. Empty when
 * nothing waits.
 */
export function chooseBatch(
	waiting: readonly TranslationWork[],
	{ model, contextLength }: { readonly model: EncoderDecoder; readonly contextLength: number },
): TranslationWork[] {
	const first = waiting.find(({ priority }) => priority === 'interactive') ?? waiting[0];
	if (first === undefined) return [];
	const { beams } = first.search;
	const mates = waiting
		.filter(
			(work) =>
				work.search.beams === beams &&
				work.wantsAttention === first.wantsAttention &&
				(work.words === undefined) === (first.words === undefined) &&
				work.encoded.start.length === first.encoded.start.length,
		)
		.sort((a, b) => distance(a, first) - distance(b, first));
	const batch: TranslationWork[] = [];
	const words = new Set(first.words);
	let longest = 0;
	for (const work of mates) {
		longest = Math.max(longest, work.encoded.source.length);
		const items = batch.length + 1;
		const tokens = items * paddedWidth(longest, contextLength);
		if (items > 1 && (items * beams > mostRows || tokens > mostPaddedTokens)) break;
		if (work.words !== undefined && !addWords(model, words, work.words)) break;

		batch.push(work);
		if (!model.batchInvariant) break;
	}
	return batch;
}

function distance(work: TranslationWork, first: TranslationWork): number {
	if (work === first) return -1;
	const apart = Math.abs(work.encoded.source.length - first.encoded.source.length);
	return apart + (work.priority === first.priority ? 0 : 1000);
}
