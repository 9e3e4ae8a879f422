/** Draws a token from a logits row: temperature, then top-k, top-p and min-p, as the reference library. */

import type { SamplingOptions } from '../api.ts';
import { argmax, topIndices } from './candidates.ts';
import { expMinus } from './fastExp.ts';

/** Below this distance (in units of temperature) 10⁶ entries together weigh less than 10⁻⁷. */
const negligible = -30;

/** Scratch memory of one draw; the engine draws one token at a time. */
let weights = new Float64Array(0);
let indices = new Int32Array(0);

/**
 * Token for a uniform number in [0, 1). Temperature 0 takes the best. The row is not changed.
 * Equal rows and numbers give equal tokens.
 */
export function drawToken(logits: Float32Array, options: SamplingOptions, random: number): number {
	const { temperature, topP, topK, minP } = options;
	const best = argmax(logits);
	if (temperature <= 0 || topK === 1) return best;
	const max = logits[best] as number;
	if (!Number.isFinite(max)) return best;
	const floor = Math.max(negligible, minP > 0 ? Math.log(minP) : negligible);
	const kept =
		topK > 0
			? keep(logits, max, temperature, floor, topIndices(logits, topK))
			: keep(logits, max, temperature, floor);
	const { count, total } = topP < 1 ? nucleus(logits, kept, topP, max, temperature) : kept;
	let left = random * total;
	for (let k = 0; k < count; k++) {
		left -= weights[k] as number;
		if (left < 0) return indices[k] as number;
	}
	return indices[count - 1] as number;
}

interface Kept {
	readonly count: number;
	readonly total: number;
}

/** Fills the scratch memory with candidates and their weights e^((logit − max) / temperature). */
function keep(
	logits: Float32Array,
	max: number,
	temperature: number,
	floor: number,
	only?: readonly number[],
): Kept {
	const length = only?.length ?? logits.length;
	if (weights.length < length) {
		weights = new Float64Array(length);
		indices = new Int32Array(length);
	}
	const threshold = max + floor * temperature;
	const scale = 1 / temperature;
	let count = 0;
	let total = 0;
	for (let k = 0; k < length; k++) {
		const index = only === undefined ? k : (only[k] as number);
		const value = logits[index] as number;
		if (!(value >= threshold)) continue;
		const weight = expMinus((max - value) * scale);
		weights[count] = weight;
		indices[count++] = index;
		total += weight;
	}
	return { count, total };
}

const bins = 1024;

/**
 * Keeps the fewest best candidates that together weigh at least `topP` of all. Weights are summed in
 * classes of equal magnitude, so only the class at the border has to be sorted.
 */
function nucleus(
	logits: Float32Array,
	kept: Kept,
	topP: number,
	max: number,
	temperature: number,
): Kept {
	const scale = bins / (temperature * -negligible);
	const classOf = (index: number): number =>
		Math.min(bins - 1, Math.floor((max - (logits[index] as number)) * scale));
	const sums = new Float64Array(bins);
	for (let k = 0; k < kept.count; k++) {
		const at = classOf(indices[k] as number);
		sums[at] = (sums[at] as number) + (weights[k] as number);
	}
	const wanted = topP * kept.total;
	let border = 0;
	let above = 0;
	while (border < bins - 1 && above + (sums[border] as number) < wanted) {
		above += sums[border++] as number;
	}
	let count = 0;
	const onBorder: { index: number; weight: number }[] = [];
	for (let k = 0; k < kept.count; k++) {
		const index = indices[k] as number;
		const weight = weights[k] as number;
		const at = classOf(index);
		if (at === border) onBorder.push({ index, weight });
		if (at >= border) continue;
		weights[count] = weight;
		indices[count++] = index;
	}
	onBorder.sort((a, b) => b.weight - a.weight || a.index - b.index);
	let total = above;
	for (const { index, weight } of onBorder) {
		if (count > 0 && total >= wanted) break;
		weights[count] = weight;
		indices[count++] = index;
		total += weight;
	}
	return { count, total };
}
