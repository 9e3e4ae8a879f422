/**
 * Largest entry of every 64 neighbours: one cheap pass that lets later ones skip nearly all of a
 * large vocabulary.
 */

import { blockSize, type LoadedLogits, logitsKernels } from './logitsKernels.ts';

/** Logits and what is known of their blocks. Valid until the next call of {@link findBlocks}. */
export interface Blocks extends LoadedLogits {
	readonly values: Float32Array;
	readonly count: number;
}

/** Looks at every entry once. */
export function findBlocks(values: Float32Array): Blocks {
	const loaded = logitsKernels.load(values);
	return { ...loaded, values, count: loaded.largest.length };
}

/** The same after the listed entries have changed. */
export function changedBlocks(blocks: Blocks, changed: readonly number[]): Blocks {
	const { values, padded, largest, count } = blocks;
	if (changed.length === 0) return blocks;
	if (changed.length > count / 4) return findBlocks(values);
	for (const index of changed) {
		padded[index] = values[index] as number;
		const block = Math.floor(index / blockSize);
		let blockMax = Number.NEGATIVE_INFINITY;
		for (let at = block * blockSize; at < (block + 1) * blockSize; at++) {
			if ((padded[at] as number) > blockMax) blockMax = padded[at] as number;
		}
		largest[block] = blockMax;
	}
	let max = Number.NEGATIVE_INFINITY;
	for (let block = 0; block < count; block++) {
		if ((largest[block] as number) > max) max = largest[block] as number;
	}
	return { ...blocks, max };
}

/** ln Σ e^value, −∞ and NaN counting as 0, exact to six digits behind the point. */
export function logSumExpOf(blocks: Blocks): number {
	const { max } = blocks;
	return Number.isFinite(max) ? max + Math.log(logitsKernels.sum(blocks)) : max;
}

/** Lowest index of an entry equal to the maximum; 0 when there is none. */
export function firstOfMax({ values, largest, count, max }: Blocks): number {
	for (let block = 0; block < count; block++) {
		if (largest[block] !== max) continue;
		const end = Math.min(values.length, (block + 1) * blockSize);
		for (let index = block * blockSize; index < end; index++) {
			if (values[index] === max) return index;
		}
	}
	return 0;
}

/** Indices, ascending, of the entries that are at least `least`. */
export function indicesAtLeast({ values, largest, count }: Blocks, minValue: number): number[] {
	const found: number[] = [];
	for (let block = 0; block < count; block++) {
		if (!((largest[block] as number) >= minValue)) continue;
		const end = Math.min(values.length, (block + 1) * blockSize);
		for (let index = block * blockSize; index < end; index++) {
			if ((values[index] as number) >= minValue) found.push(index);
		}
	}
	return found;
}

/** Indices, ascending, of the entries at most `reach` away from `middle`. */
export function around(
	{ values, largest, count }: Blocks,
	middle: number,
	reach: number,
): number[] {
	const found: number[] = [];
	const minValue = middle - reach;
	for (let block = 0; block < count; block++) {
		if (!((largest[block] as number) >= minValue)) continue;
		const end = Math.min(values.length, (block + 1) * blockSize);
		for (let index = block * blockSize; index < end; index++) {
			// One test that nearly always fails; two would be a coin toss for the processor.
			if (Math.abs((values[index] as number) - middle) <= reach) found.push(index);
		}
	}
	return found;
}
