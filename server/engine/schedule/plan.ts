/** Decides what the next run computes. Pure: sequences in, rows out. */

import type { Decoder, StepRow } from '../decode/decoder.ts';
import type { Sequence } from './sequence.ts';

/** Prompt tokens per run while others are streaming, so that streams never stall. */
const prefillBudget = 192;

/**
 * Rows of the next step, from sequences in the order of their turns. Sequences that stream come
 * first; what is left of the budget goes to prompts. A graph that runs one sequence at a time serves
 * them in turns.
 */
export function planRows(
	turns: readonly Sequence[],
	decoder: Pick<Decoder, 'maxRows' | 'maxStepTokens' | 'lastLogitsOnly'>,
): { readonly sequence: Sequence; readonly row: StepRow }[] {
	const { maxRows, maxStepTokens } = decoder;
	const decoding = turns.filter((sequence) => sequence.isDecoding);
	if (maxRows === 1) {
		const sequence = turns[0];
		if (sequence === undefined) return [];
		// Logits of all tokens of a prompt then come token by token.
		const oneByOne = decoder.lastLogitsOnly === true && sequence.readsPrompt;
		return [{ sequence, row: sequence.row(oneByOne ? 1 : maxStepTokens) }];
	}
	const planned: { sequence: Sequence; row: StepRow }[] = [];
	let left = decoding.length > 0 ? Math.min(prefillBudget, maxStepTokens) : maxStepTokens;
	const chosen = decoding.slice(0, maxRows);
	// Verifying guesses costs every row of the run, so the more rows, the fewer guesses each.
	const perRow = Math.max(1, Math.floor(16 / Math.max(1, chosen.length)));
	for (const sequence of chosen) {
		const row = sequence.row(perRow);
		left -= row.tokens.length;
		planned.push({ sequence, row });
	}
	for (const sequence of turns) {
		if (planned.length >= maxRows || left <= 0) break;
		if (sequence.isDecoding) continue;
		const row = sequence.row(left);
		left -= row.tokens.length;
		planned.push({ sequence, row });
	}
	return planned;
}
