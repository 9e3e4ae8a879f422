/**
 * Gumbel-max sampling: draws from the softmax without adding it up. Every entry gets an arrival time
 * −ln(u) / weight, and the first to arrive is drawn. The times of 64 neighbours are made in ascending order
 * and only while one could still win, so few are. Noise belongs to an entry's index alone: rounding
 * in the logits changes a draw only where two entries arrive together.
 */

import { type Blocks, firstOfMax } from './blocks.ts';
import { blockSize } from './logitsKernels.ts';
import { uniform } from './random.ts';

/** Entries that may be drawn. */
export interface TopPThreshold {
	/** Entries below are excluded; those at or above are included if {@link allows} agrees. */
	readonly minLogit: number;
	readonly allows?: (index: number) => boolean;
}

/** The two seeds in the 53 bits of a number in [0, 1). */
function seedsOf(random: number): readonly [number, number] {
	const high = Math.floor(random * 4_294_967_296);
	return [high, Math.floor((random * 4_294_967_296 - high) * 2_097_152)];
}

/**
 * An entry that the threshold allows, with the probability of its share of e^(logit / temperature).
 * `random`: uniform in [0, 1); all noise is made of it.
 */
export function gumbelMax(
	blocks: Blocks,
	temperature: number,
	threshold: TopPThreshold | undefined,
	random: number,
): number {
	const { values, largest, count, max } = blocks;
	const minLogit = threshold?.minLogit ?? -Number.MAX_VALUE;
	const [high, low] = seedsOf(random);
	let chosen = -1;
	let best = Number.POSITIVE_INFINITY;
	const visit = (block: number): void => {
		const scale = Math.exp((max - (largest[block] as number)) / temperature) / blockSize;
		let time = 0;
		for (let round = 0; ; round++) {
			const noise = uniform(high ^ block, low, round);
			const spread = noise * blockSize;
			const member = Math.floor(spread);
			// What is left of the number after choosing the entry is as good as a new one.
			const rest = spread - member;
			// −ln(1 − x) ≥ x spares most blocks the logarithm.
			if ((time + rest) * scale >= best) return;
			time -= Math.log(1 - rest);
			if (time * scale >= best) return;
			const index = block * blockSize + member;
			const value = values[index];
			if (value === undefined || !(value >= minLogit)) continue;
			const arrival = (time * Math.exp((max - value) / temperature)) / blockSize;
			if (arrival < best && threshold?.allows?.(index) !== false) {
				best = arrival;
				chosen = index;
			}
		}
	};
	// From the heaviest block on, nearly all others are left after one look.
	const first = Math.floor(firstOfMax(blocks) / blockSize);
	visit(first);
	for (let block = 0; block < count; block++) {
		if (block !== first && (largest[block] as number) >= minLogit) visit(block);
	}
	return chosen;
}

/** As {@link gumbelMax} among a few entries of given weights. */
export function gumbelMaxAmong(
	indices: readonly number[],
	weights: readonly number[],
	random: number,
): number {
	const [high, low] = seedsOf(random);
	let chosen = indices[0] as number;
	let best = Number.POSITIVE_INFINITY;
	for (const [at, index] of indices.entries()) {
		const arrival = -Math.log(1 - uniform(high, low, index)) / (weights[at] as number);
		if (arrival < best) {
			best = arrival;
			chosen = index;
		}
	}
	return chosen;
}
