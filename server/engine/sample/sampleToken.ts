/** Samples a token from logits: temperature, then top-k, top-p and min-p, as the reference library. */

import type { SamplingOptions } from '../api.ts';
import { type Blocks, findBlocks, firstOfMax } from './blocks.ts';
import { topOfBlocks } from './candidates.ts';
import { gumbelMax, gumbelMaxAmong, type TopPThreshold } from './gumbelMax.ts';
import { findTopPThreshold } from './nucleus.ts';

/** What the draw itself needs. */
export type DrawOptions = Pick<SamplingOptions, 'temperature' | 'topP' | 'topK' | 'minP'>;

/** Above this the best entries are not listed but cut off by counting. */
const maxListed = 512;

/**
 * Token for a uniform number in [0, 1). Temperature 0 takes the best. The logits are not changed.
 * Equal logits and numbers give equal tokens.
 */
export function sampleToken(
	logits: Float32Array,
	options: SamplingOptions,
	random: number,
): number {
	return sampleFrom(findBlocks(logits), options, random);
}

/** As {@link sampleToken}, from logits already looked at. */
export function sampleFrom(blocks: Blocks, options: DrawOptions, random: number): number {
	const { temperature, topP, topK, minP } = options;
	if (temperature <= 0 || topK === 1 || !Number.isFinite(blocks.max)) return firstOfMax(blocks);
	if (topK > 0 && topK <= maxListed) return sampleListed(blocks, options, random);
	let threshold: TopPThreshold | undefined =
		topP < 1 || (topK > 0 && topK < blocks.values.length)
			? findTopPThreshold(blocks, temperature, topP, topK)
			: undefined;
	if (minP > 0) {
		const minLogit = blocks.max + temperature * Math.log(minP);
		if (threshold === undefined || minLogit > threshold.minLogit)
			threshold = { ...threshold, minLogit };
	}
	return gumbelMax(blocks, temperature, threshold, random);
}

/** Draws among the `topK` best, heaviest first. */
function sampleListed(blocks: Blocks, options: DrawOptions, random: number): number {
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
	return gumbelMaxAmong(listed.slice(0, count), weights, random);
}
