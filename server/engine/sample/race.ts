/**
 * Draws from the softmax without adding it up: every entry runs for a time −ln(u) / weight, the first
 * to arrive is drawn (the Gumbel-max trick). The times of 64 neighbours are made in ascending order
 * and only while one could still win, so few are. Noise belongs to an entry's index alone: rounding
 * in the logits changes a draw only where two entries arrive together.
 */

import { type Blocks, firstOfMax } from './blocks.ts';
import { uniform } from './random.ts';
import { blockSize } from './rowKernels.ts';

/** Entries that may be drawn. */
export interface Cut {
	/** Entries below are out; those at or above are in when {@link allows} says so. */
	readonly least: number;
	readonly allows?: (index: number) => boolean;
}

/** The two seeds in the 53 bits of a number in [0, 1). */
function seedsOf(random: number): readonly [number, number] {
	const high = Math.floor(random * 4_294_967_296);
	return [high, Math.floor((random * 4_294_967_296 - high) * 2_097_152)];
}

/**
 * An entry allowed by the cut, with the probability of its share of e^(logit / temperature).
 * `random`: uniform in [0, 1); all noise is made of it.
 */
export function race(
	blocks: Blocks,
	temperature: number,
	cut: Cut | undefined,
	random: number,
): number {
	const { values, largest, count, max } = blocks;
	const least = cut?.least ?? -Number.MAX_VALUE;
	const [high, low] = seedsOf(random);
	let winner = -1;
	let best = Number.POSITIVE_INFINITY;
	const enter = (block: number): void => {
		const slowest = Math.exp((max - (largest[block] as number)) / temperature) / blockSize;
		let time = 0;
		for (let lap = 0; ; lap++) {
			const noise = uniform(high ^ block, low, lap);
			const spread = noise * blockSize;
			const member = Math.floor(spread);
			// What is left of the number after choosing the entry is as good as a new one.
			const rest = spread - member;
			// −ln(1 − x) ≥ x spares most blocks the logarithm.
			if ((time + rest) * slowest >= best) return;
			time -= Math.log(1 - rest);
			if (time * slowest >= best) return;
			const index = block * blockSize + member;
			const value = values[index];
			if (value === undefined || !(value >= least)) continue;
			const arrival = (time * Math.exp((max - value) / temperature)) / blockSize;
			if (arrival < best && cut?.allows?.(index) !== false) {
				best = arrival;
				winner = index;
			}
		}
	};
	// From the heaviest block on, nearly all others are left after one look.
	const first = Math.floor(firstOfMax(blocks) / blockSize);
	enter(first);
	for (let block = 0; block < count; block++) {
		if (block !== first && (largest[block] as number) >= least) enter(block);
	}
	return winner;
}

/** As {@link race} among a few entries of given weights. */
export function raceAmong(
	indices: readonly number[],
	weights: readonly number[],
	random: number,
): number {
	const [high, low] = seedsOf(random);
	let winner = indices[0] as number;
	let best = Number.POSITIVE_INFINITY;
	for (const [at, index] of indices.entries()) {
		const arrival = -Math.log(1 - uniform(high, low, index)) / (weights[at] as number);
		if (arrival < best) {
			best = arrival;
			winner = index;
		}
	}
	return winner;
}
