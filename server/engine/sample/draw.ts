/** Draws a token from a logits row: temperature, then top-k, top-p and min-p, as the reference library. */

import type { SamplingOptions } from '../api.ts';
import { type Blocks, findBlocks, firstOfMax } from './blocks.ts';
import { topOfBlocks } from './candidates.ts';
import { findCut } from './nucleus.ts';
import { type Cut, race, raceAmong } from './race.ts';

/** Above this the best entries are not listed but cut off by counting. */
const mostListed = 512;

/**
 * Token for a uniform number in [0, 1). Temperature 0 takes the best. The row is not changed.
 * Equal rows and numbers give equal tokens.
 */
export function drawToken(logits: Float32Array, options: SamplingOptions, random: number): number {
	return drawFrom(findBlocks(logits), options, random);
}

/** As {@link drawToken}, from a row already looked at. */
export function drawFrom(blocks: Blocks, options: SamplingOptions, random: number): number {
	const { temperature, topP, topK, minP } = options;
	if (temperature <= 0 || topK === 1 || !Number.isFinite(blocks.max)) return firstOfMax(blocks);
	if (topK > 0 && topK <= mostListed) return drawListed(blocks, options, random);
	let cut: Cut | undefined =
		topP < 1 || (topK > 0 && topK < blocks.values.length)
			? findCut(blocks, temperature, topP, topK)
			: undefined;
	if (minP > 0) {
		const least = blocks.max + temperature * Math.log(minP);
		if (cut === undefined || least > cut.least) cut = { ...cut, least };
	}
	return race(blocks, temperature, cut, random);
}

/** Draws among the `topK` best, heaviest first. */
function drawListed(blocks: Blocks, options: SamplingOptions, random: number): number {
	const { temperature, topP, topK, minP } = options;
	const { values, max } = blocks;
	const listed = topOfBlocks(blocks, topK);
	const weights = listed.map((index) => Math.exp(((values[index] as number) - max) / temperature));
	const wanted = topP * weights.reduce((sum, weight) => sum + weight, 0);
	let count = 0;
	let total = 0;
	for (const weight of weights) {
		if (count > 0 && (total >= wanted || weight < minP)) break;
		total += weight;
		count++;
	}
	return raceAmong(listed.slice(0, count), weights, random);
}
