/** Decodes a batch of items together; items that are done leave the batch. */

import type { Tensor } from '../runtime/runtime.ts';
import { BeamItem, type Finished } from './beamItem.ts';
import type { CompactWords } from './compactWords.ts';
import type { EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';
import type { HeadColumns } from './headWeights.ts';
import type { SearchOptions } from './searchOptions.ts';

export interface SearchItem {
	/** Tokens the decoder is started with; equal in number for all items of a batch. */
	readonly start: readonly number[];
	/**
	 * Row of the encoded batch; default: the item's own place. Items that share one have more than
	 * one start token, the first of them the same for all items.
	 */
	readonly row?: number;
	readonly options: SearchOptions;
	/** True when nobody waits for the item any more. */
	readonly abandoned?: () => boolean;
}

/** Reads one row's attention out of the layers' tensors: `[positions]`. */
export type ReadAttention = (attentions: ReadonlyMap<number, Tensor>, row: number) => Float32Array;

export interface SearchBatch {
	readonly encoded: EncodedBatch;
	readonly items: readonly SearchItem[];
	/** Columns of the head for the only words that may be said, and those words. */
	readonly shortlist?: { readonly words: CompactWords; readonly columns: HeadColumns } | undefined;
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
	const { shortlist } = batch;
	if (shortlist === undefined) return searchPlaces(model, batch, (tokens) => tokens, signal);
	const { words } = shortlist;
	const items = batch.items.map((item) => words.item(item));
	const found = await searchPlaces(model, { ...batch, items }, (rows) => words.words(rows), signal);
	return words.finished(found);
}

async function searchPlaces(
	model: EncoderDecoder,
	batch: SearchBatch,
	toWords: (rows: readonly (readonly number[])[]) => readonly (readonly number[])[],
	signal: AbortSignal | undefined,
): Promise<Finished[][]> {
	const beams = batch.items[0]?.options.beams ?? 1;
	const states = batch.items.map(({ start, options }) => new BeamItem(start, options));
	const rows = batch.items.map(({ row }, index) => row ?? index);
	const shares = rows.some((row, index) => row !== index);
	const run = model.start(batch.encoded, {
		rowsPerItem: shares ? 1 : beams,
		attentions: batch.readAttention !== undefined,
		columns: batch.shortlist?.columns,
	});
	try {
		let live = batch.items.map((_, index) => index);
		let feed = live.flatMap((item) => states[item]?.beams.map(({ ids }) => ids) ?? []);
		if (shares) {
			// The first token makes the cross-attention caches, once per source; then they are copied.
			const first = feed[0]?.slice(0, 1) ?? [];
			await run.feed(toWords(Array.from({ length: run.rows }, () => first)), signal);
			run.select(rows.flatMap((row) => new Array<number>(beams).fill(row)));
			feed = feed.map((ids) => ids.slice(1));
		}
		while (live.length > 0) {
			const output = await run.feed(toWords(feed), signal);
			const parents: number[] = [];
			const still: number[] = [];
			let row = 0;
			for (const item of live) {
				const state = states[item] as BeamItem;
				const first = row;
				const steps = state.beams.map((_, beam) => {
					const at = first + beam;
					const attention =
						output.attentions === undefined
							? undefined
							: batch.readAttention?.(output.attentions, at);
					return { logits: output.logits(at), attention };
				});
				row += steps.length;
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
				(item) => states[item]?.beams.map(({ ids }) => [ids[ids.length - 1] as number]) ?? [],
			);
		}
	} finally {
		run.release();
	}
	return states.map((state) => [...state.results]);
}
