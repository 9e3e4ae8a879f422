/** Texts that wait to be translated, and which of them go into one batch. */

import type { Seq2SeqItem, Seq2SeqOutput } from '../api.ts';
import { paddedWidth } from '../runtime/paddedWidth.ts';
import { addTokens, type OwnTokens } from './batchShortlist.ts';
import type { EncoderDecoder } from './encoderDecoder.ts';
import type { EncodedItem } from './languageTokens.ts';
import type { SearchOptions } from './searchOptions.ts';

export interface TranslationJob {
	readonly item: Seq2SeqItem;
	readonly encoded: EncodedItem;
	readonly search: SearchOptions;
	/** Tokens beside the frequent ones; absent = all tokens. */
	readonly ownTokens: OwnTokens | undefined;
	readonly wantsAttention: boolean;
	readonly alternatives: number;
	readonly priority: 'interactive' | 'batch';
	readonly signal: AbortSignal | undefined;
	readonly resolve: (output: Seq2SeqOutput) => void;
	readonly reject: (error: unknown) => void;
}

const maxSequences = 64;
const maxPaddedTokens = 4096;

/**
 * Interactive work first; then what fits best beside it: same settings, similar length. Empty when
 * nothing waits.
 */
export function chooseBatch(
	waiting: readonly TranslationJob[],
	{ model, contextLength }: { readonly model: EncoderDecoder; readonly contextLength: number },
): TranslationJob[] {
	const first = waiting.find(({ priority }) => priority === 'interactive') ?? waiting[0];
	if (first === undefined) return [];
	const { beams } = first.search;
	const candidates = waiting
		.filter(
			(work) =>
				work.search.beams === beams &&
				work.wantsAttention === first.wantsAttention &&
				(work.ownTokens === undefined) === (first.ownTokens === undefined) &&
				work.encoded.start.length === first.encoded.start.length,
		)
		.sort((a, b) => distance(a, first) - distance(b, first));
	const batch: TranslationJob[] = [];
	const ownTokens = new Set(first.ownTokens);
	let longest = 0;
	for (const work of candidates) {
		longest = Math.max(longest, work.encoded.source.length);
		const items = batch.length + 1;
		const tokens = items * paddedWidth(longest, contextLength);
		if (items > 1 && (items * beams > maxSequences || tokens > maxPaddedTokens)) break;
		if (work.ownTokens !== undefined && !addTokens(model, ownTokens, work.ownTokens)) break;

		batch.push(work);
		if (!model.batchInvariant) break;
	}
	return batch;
}

function distance(work: TranslationJob, first: TranslationJob): number {
	if (work === first) return -1;
	const apart = Math.abs(work.encoded.source.length - first.encoded.source.length);
	return apart + (work.priority === first.priority ? 0 : 1000);
}
