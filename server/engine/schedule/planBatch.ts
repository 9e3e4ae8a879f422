/** Decides what the next run computes. Pure: sequences in, a batch out. */

import type { BatchItem, Decoder } from '../decode/decoder.ts';
import type { Sequence } from './sequence.ts';

/**
 * Tokens per run with a reproducible sequence among several. Matrix products are computed in blocks of
 * 128 tokens, and a single token left over by the others would be computed in another way.
 */
const reproducibleBudget = 96;

/** A sequence's part of a run. */
export interface PlannedItem {
	readonly sequence: Sequence;
	readonly item: BatchItem;
}

/**
 * The run queue with people in turn: the first sequence of each of them, then the second ones; among people who was
 * served longest ago comes first. With one person it is the run queue. Background work stays before or behind all
 * that is not, as the first of the queue is one or the other.
 * @param servedAt number of the step that computed something for a person last
 */
export function fairOrder(
	runQueue: readonly Sequence[],
	servedAt: ReadonlyMap<string | undefined, number>,
): readonly Sequence[] {
	const counts = new Map<string | undefined, number>();
	const ranked = runQueue.map((sequence) => {
		const rank = counts.get(sequence.owner) ?? 0;
		counts.set(sequence.owner, rank + 1);
		const group = Number(sequence.isBackground !== runQueue[0]?.isBackground);
		return { sequence, group, rank, served: servedAt.get(sequence.owner) ?? -1 };
	});
	if (counts.size < 2) return runQueue;
	ranked.sort(
		(left, right) =>
			left.group - right.group || left.rank - right.rank || left.served - right.served,
	);
	return ranked.map(({ sequence }) => sequence);
}

/**
 * Batch of the next step, from the run queue in {@link fairOrder}. Sequences that stream come first, all but one where
 * they would leave no place to a prompt; what is left of the budget goes to prompts. A graph that runs one sequence
 * at a time serves the first of the queue.
 * @param sharedTokens tokens of a run beside streams, or beside a prompt that is read in one such run
 */
export function planBatch(
	runQueue: readonly Sequence[],
	decoder: Pick<Decoder, 'maxBatchSize' | 'maxStepTokens' | 'lastLogitsOnly'>,
	sharedTokens: number,
): PlannedItem[] {
	const { maxBatchSize, maxStepTokens } = decoder;
	const sequence = runQueue[0];
	if (sequence === undefined) return [];
	if (maxBatchSize === 1 || sequence.reproducible === 'alone') {
		// Logits of all tokens of a prompt then come token by token.
		const oneByOne = decoder.lastLogitsOnly === true && sequence.wantsPromptLogprobs;
		return [{ sequence, item: sequence.nextItem(oneByOne ? 1 : maxStepTokens) }];
	}
	const planned: PlannedItem[] = [];
	const able = runQueue.filter(({ reproducible }) => reproducible !== 'alone');
	const isShared = able.some(({ owner }) => owner !== sequence.owner);
	// One person's streams may be more than a step can hold: the others' prompts do not wait for them to end.
	const together = isShared ? able.slice(0, maxBatchSize) : able;
	const decoding = together.filter((one) => one.isDecoding);
	const prompts = together.filter((one) => !one.isDecoding);
	const isAwaited =
		decoding.length > 0 ||
		(prompts.length > 1 && prompts.some(({ pending }) => pending <= sharedTokens));
	let left = isAwaited ? Math.min(sharedTokens, maxStepTokens) : maxStepTokens;
	if (together.length > 1 && together.some(({ reproducible }) => reproducible === 'even'))
		left = Math.min(left, reproducibleBudget);
	// Streams take turns, so that no prompt has to wait for the end of one.
	const chosen = decoding.slice(0, maxBatchSize - (prompts.length > 0 ? 1 : 0));
	// Every drafted token is computed in the run, so the larger the batch, the fewer of them per sequence.
	const perItem = Math.max(1, Math.floor(16 / Math.max(1, chosen.length)));
	for (const one of chosen) {
		const item = one.nextItem(perItem);
		left -= item.tokens.length;
		planned.push({ sequence: one, item });
	}
	for (const one of prompts) {
		if (planned.length >= maxBatchSize || left <= 0) break;
		const item = one.nextItem(left);
		left -= item.tokens.length;
		planned.push({ sequence: one, item });
	}
	return planned;
}
