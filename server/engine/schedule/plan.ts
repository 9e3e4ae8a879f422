/** Decides what the next run computes. Pure: sequences in, rows out. */

import type { Decoder, StepRow } from '../decode/decoder.ts';
import type { Sequence } from './sequence.ts';

/** Prompt tokens per run while others are streaming, so that streams never stall. */
const prefillBudget = 192;

/**
 * Tokens per run with a reproducible sequence among several. Matrix products are computed in blocks of
 * 128 tokens, and a single token left over by the others would be computed in another way.
 */
const reproducibleBudget = 96;

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
	const sequence = turns[0];
	if (sequence === undefined) return [];
	if (maxRows === 1 || sequence.reproducible === 'alone') {
		// Logits of all tokens of a prompt then come token by token.
		const oneByOne = decoder.lastLogitsOnly === true && sequence.readsPrompt;
		return [{ sequence, row: sequence.row(oneByOne ? 1 : maxStepTokens) }];
	}
	const planned: { sequence: Sequence; row: StepRow }[] = [];
	const together = turns.filter(({ reproducible }) => reproducible !== 'alone');
	const decoding = together.filter((one) => one.isDecoding);
	let left = decoding.length > 0 ? Math.min(prefillBudget, maxStepTokens) : maxStepTokens;
	if (together.length > 1 && together.some(({ reproducible }) => reproducible === 'even'))
		left = Math.min(left, reproducibleBudget);
	const chosen = decoding.slice(0, maxRows);
	// Verifying guesses costs every row of the run, so the more rows, the fewer guesses each.
	const perRow = Math.max(1, Math.floor(16 / Math.max(1, chosen.length)));
	for (const one of chosen) {
		const row = one.row(perRow);
		left -= row.tokens.length;
		planned.push({ sequence: one, row });
	}
	for (const one of together) {
		if (planned.length >= maxRows || left <= 0) break;
		if (decoding.includes(one)) continue;
		const row = one.row(left);
		left -= row.tokens.length;
		planned.push({ sequence: one, row });
	}
	return planned;
}
