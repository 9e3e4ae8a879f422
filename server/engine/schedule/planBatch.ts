/** Decides what the next run computes. Pure: sequences in, a batch out. */

import type { BatchItem, Decoder } from '../decode/decoder.ts';
import type { Sequence } from './sequence.ts';

/** Prompt tokens per run while others are streaming, so that streams never stall. */
const prefillBudget = 192;

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
 * Batch of the next step, from the run queue (round robin). Sequences that stream come first; what
 * is left of the budget goes to prompts. A graph that runs one sequence at a time serves the first of
 * the queue.
 */
export function planBatch(
	runQueue: readonly Sequence[],
	decoder: Pick<Decoder, 'maxBatchSize' | 'maxStepTokens' | 'lastLogitsOnly'>,
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
	const together = runQueue.filter(({ reproducible }) => reproducible !== 'alone');
	const decoding = together.filter((one) => one.isDecoding);
	let left = decoding.length > 0 ? Math.min(prefillBudget, maxStepTokens) : maxStepTokens;
	if (together.length > 1 && together.some(({ reproducible }) => reproducible === 'even'))
		left = Math.min(left, reproducibleBudget);
	const chosen = decoding.slice(0, maxBatchSize);
	// Every drafted token is computed in the run, so the larger the batch, the fewer of them per sequence.
	const perItem = Math.max(1, Math.floor(16 / Math.max(1, chosen.length)));
	for (const one of chosen) {
		const item = one.nextItem(perItem);
		left -= item.tokens.length;
		planned.push({ sequence: one, item });
	}
	for (const one of together) {
		if (planned.length >= maxBatchSize || left <= 0) break;
		if (decoding.includes(one)) continue;
		const item = one.nextItem(left);
		left -= item.tokens.length;
		planned.push({ sequence: one, item });
	}
	return planned;
}
