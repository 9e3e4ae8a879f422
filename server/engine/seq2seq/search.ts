/** Decodes a batch of items together; items that are done leave the batch. */

import type { Tensor } from '../runtime/runtime.ts';
import { BeamItem, type Finished } from './beamItem.ts';
import type { EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';
import type { HeadColumns } from './headWeights.ts';
import type { SearchItem } from './searchOptions.ts';
import type { ShortlistVocabulary } from './shortlistVocabulary.ts';

/** Reads one sequence's attention out of the layers' tensors: `[positions]`. */
export type ReadAttention = (
	attentions: ReadonlyMap<number, Tensor>,
	sequence: number,
) => Float32Array;

export interface SearchBatch {
	readonly encoded: EncodedBatch;
	readonly items: readonly SearchItem[];
	/** Columns of the head for the only tokens that may be generated, and those of each item. */
	readonly shortlist?:
		| { readonly vocabularies: readonly ShortlistVocabulary[]; readonly columns: HeadColumns }
		| undefined;
	/** Also collect attention. */
	readonly readAttention?: ReadAttention | undefined;
}

/**
 * Runs greedy or beam search. All items have the same number of beams.
 * Returns the finished hypotheses of every item, best first; none for abandoned items.
 */
export async function search(
	model: EncoderDecoder,
	batch: SearchBatch,
	signal?: AbortSignal,
): Promise<Finished[][]> {
	const { vocabularies } = batch.shortlist ?? {};
	if (vocabularies === undefined) return searchTokens(model, batch, signal);
	const items = batch.items.map((item, index) => vocabularies[index]?.compactItem(item) ?? item);
	const found = await searchTokens(model, { ...batch, items }, signal);
	return found.map((texts, index) => vocabularies[index]?.expandFinished(texts) ?? texts);
}

async function searchTokens(
	model: EncoderDecoder,
	batch: SearchBatch,
	signal: AbortSignal | undefined,
): Promise<Finished[][]> {
	const { vocabularies } = batch.shortlist ?? {};
	/** Tokens for the decoder. */
	const toTokens = (item: number, ids: readonly number[]): readonly number[] =>
		vocabularies?.[item]?.toTokens(ids) ?? ids;
	const beams = batch.items[0]?.options.beams ?? 1;
	const states = batch.items.map(({ start, options }) => new BeamItem(start, options));
	const encodedIndices = batch.items.map(({ encodedIndex }, index) => encodedIndex ?? index);
	const sharesSources = encodedIndices.some((encodedIndex, index) => encodedIndex !== index);
	const run = model.start(batch.encoded, {
		sequencesPerItem: sharesSources ? 1 : beams,
		attentions: batch.readAttention !== undefined,
		columns: batch.shortlist?.columns,
	});
	try {
		let live = batch.items.map((_, index) => index);
		let feed = live.flatMap(
			(item) => states[item]?.beams.map(({ ids }) => toTokens(item, ids)) ?? [],
		);
		if (sharesSources) {
			// The first token makes the cross-attention caches, once per source; then they are copied.
			const first = feed[0]?.slice(0, 1) ?? [];
			await run.feed(
				Array.from({ length: run.batchSize }, () => first),
				signal,
			);
			run.select(encodedIndices.flatMap((index) => new Array<number>(beams).fill(index)));
			feed = feed.map((ids) => ids.slice(1));
		}
		while (live.length > 0) {
			const output = await run.feed(feed, signal);
			const parents: number[] = [];
			const still: number[] = [];
			let sequence = 0;
			for (const item of live) {
				const state = states[item] as BeamItem;
				const first = sequence;
				const steps = state.beams.map((_, beam) => {
					const at = first + beam;
					const attention =
						output.attentions === undefined
							? undefined
							: batch.readAttention?.(output.attentions, at);
					const logits = output.logits(at);
					return { logits: vocabularies?.[item]?.pick(logits) ?? logits, attention };
				});
				sequence += steps.length;
				if (batch.items[item]?.abandoned?.() === true) continue;
				const continued = state.advance(steps);
				if (continued.length === 0) continue;
				still.push(item);
				parents.push(...continued.map((beam) => first + beam));
			}
			live = still;
			if (live.length === 0) break;
			run.select(parents);
			feed = live.flatMap(
				(item) => states[item]?.beams.map(({ ids }) => toTokens(item, ids.slice(-1))) ?? [],
			);
		}
	} finally {
		run.release();
	}
	return states.map((state) => [...state.results]);
}
