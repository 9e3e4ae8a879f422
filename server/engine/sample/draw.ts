/** Draws a token from a logits row: temperature, then top-k, top-p and min-p, as the reference library. */

import type { SamplingOptions } from '../api.ts';
import { argmax, BestFirst, topIndices } from './candidates.ts';

/** Below this distance (in units of temperature) 10⁶ entries together weigh less than 10⁻⁷. */
const negligible = -30;

/**
 * Token for a uniform number in [0, 1). Temperature 0 takes the best. The row is not changed.
 * Candidates are taken best first, so equal rows and numbers give equal tokens.
 */
export function drawToken(logits: Float32Array, options: SamplingOptions, random: number): number {
	const { temperature, topP, topK, minP } = options;
	const best = argmax(logits);
	if (temperature <= 0 || topK === 1) return best;
	const max = logits[best] as number;
	if (!Number.isFinite(max)) return best;
	const weight = (index: number): number =>
		Math.exp(((logits[index] as number) - max) / temperature);
	const floor = Math.max(negligible, minP > 0 ? Math.log(minP) : negligible);
	const threshold = max + floor * temperature;

	if (topK > 0) {
		const kept = topIndices(logits, topK).filter((index) => (logits[index] as number) >= threshold);
		return pick(kept, kept.map(weight), topP, random);
	}
	const kept = above(logits, threshold);
	if (topP >= 1) return pickUnordered(kept, weight, random);
	let total = 0;
	for (const index of kept) total += weight(index);
	const ordered = new BestFirst(logits, kept);
	const chosen: number[] = [];
	const weights: number[] = [];
	let sum = 0;
	for (let index = ordered.next(); index !== -1; index = ordered.next()) {
		chosen.push(index);
		const value = weight(index);
		weights.push(value);
		sum += value;
		if (sum >= topP * total) break;
	}
	return pick(chosen, weights, 1, random);
}

function above(logits: Float32Array, threshold: number): Int32Array {
	let count = 0;
	for (let i = 0; i < logits.length; i++) if ((logits[i] as number) >= threshold) count++;
	const kept = new Int32Array(count);
	let at = 0;
	for (let i = 0; i < logits.length && at < count; i++) {
		if ((logits[i] as number) >= threshold) kept[at++] = i;
	}
	return kept;
}

/** Inverse of the cumulative weights; candidates are best first and cut at `topP`. */
function pick(
	indices: readonly number[],
	weights: readonly number[],
	topP: number,
	random: number,
): number {
	const total = weights.reduce((sum, value) => sum + value, 0);
	let end = weights.length;
	let kept = total;
	if (topP < 1) {
		let sum = 0;
		for (let k = 0; k < weights.length; k++) {
			sum += weights[k] as number;
			if (sum >= topP * total) {
				end = k + 1;
				kept = sum;
				break;
			}
		}
	}
	let left = random * kept;
	for (let k = 0; k < end; k++) {
		left -= weights[k] as number;
		if (left < 0) return indices[k] as number;
	}
	return indices[end - 1] as number;
}

function pickUnordered(
	indices: Int32Array,
	weight: (index: number) => number,
	random: number,
): number {
	const weights = Float64Array.from(indices, weight);
	let left = random * weights.reduce((sum, value) => sum + value, 0);
	for (let k = 0; k < weights.length; k++) {
		left -= weights[k] as number;
		if (left < 0) return indices[k] as number;
	}
	return indices[indices.length - 1] as number;
}
