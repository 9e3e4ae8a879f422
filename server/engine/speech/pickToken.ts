/** Choosing a token from logits, with its log-probability. */

import { findBlocks, firstOfMax, logSumExpOf } from '../sample/blocks.ts';

/** The likeliest token and its natural-log probability. */
export function argmaxToken(logits: Float32Array): {
	readonly id: number;
	readonly logprob: number;
} {
	const blocks = findBlocks(logits);
	const id = firstOfMax(blocks);
	return { id, logprob: (logits[id] as number) - logSumExpOf(blocks) };
}

/**
 * A token drawn at a temperature; its log-probability is that without the temperature.
 * @param random uniform in [0, 1)
 */
export function sampleAtTemperature(
	logits: Float32Array,
	temperature: number,
	random: number,
): { readonly id: number; readonly logprob: number } {
	const blocks = findBlocks(logits);
	const largest = blocks.max;
	let total = 0;
	for (const value of logits) total += Math.exp((value - largest) / temperature);
	let left = random * total;
	let id = 0;
	for (let i = 0; i < logits.length; i++) {
		const weight = Math.exp(((logits[i] as number) - largest) / temperature);
		if (weight === 0) continue;
		id = i;
		left -= weight;
		if (left < 0) break;
	}
	return { id, logprob: (logits[id] as number) - logSumExpOf(blocks) };
}
