/**
 * Largest entry of every 64 neighbours: one cheap pass that lets later ones skip nearly all of a
 * large vocabulary.
 */

/** Entries per block. */
export const blockSize = 64;

export interface Blocks {
	readonly values: Float32Array;
	/** Largest entry of each block, −∞ where all are −∞ or NaN. Valid until the next call. */
	readonly largest: Float32Array;
	readonly count: number;
	readonly max: number;
}

/** Scratch memory; the engine works on one row at a time. */
let scratch = new Float32Array(0);

/** Looks at every entry once. */
export function findBlocks(values: Float32Array): Blocks {
	const count = Math.ceil(values.length / blockSize);
	if (scratch.length < count) scratch = new Float32Array(count);
	const largest = scratch.subarray(0, count);
	let max = Number.NEGATIVE_INFINITY;
	for (let block = 0; block < count; block++) {
		const end = Math.min(values.length, (block + 1) * blockSize);
		let most = Number.NEGATIVE_INFINITY;
		for (let index = block * blockSize; index < end; index++) {
			const value = values[index] as number;
			if (value > most) most = value;
		}
		largest[block] = most;
		if (most > max) max = most;
	}
	return { values, largest, count, max };
}

/** The same after the listed entries have changed. */
export function changedBlocks(blocks: Blocks, changed: readonly number[]): Blocks {
	const { values, largest } = blocks;
	if (changed.length === 0) return blocks;
	if (changed.length > blocks.count / 4) return findBlocks(values);
	let max = Number.NEGATIVE_INFINITY;
	for (const index of changed) {
		const block = Math.floor(index / blockSize);
		const end = Math.min(values.length, (block + 1) * blockSize);
		let most = Number.NEGATIVE_INFINITY;
		for (let at = block * blockSize; at < end; at++) {
			if ((values[at] as number) > most) most = values[at] as number;
		}
		largest[block] = most;
	}
	for (let block = 0; block < blocks.count; block++) {
		if ((largest[block] as number) > max) max = largest[block] as number;
	}
	return { ...blocks, max };
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
export function atLeast({ values, largest, count }: Blocks, least: number): number[] {
	const found: number[] = [];
	for (let block = 0; block < count; block++) {
		if (!((largest[block] as number) >= least)) continue;
		const end = Math.min(values.length, (block + 1) * blockSize);
		for (let index = block * blockSize; index < end; index++) {
			if ((values[index] as number) >= least) found.push(index);
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
	const least = middle - reach;
	for (let block = 0; block < count; block++) {
		if (!((largest[block] as number) >= least)) continue;
		const end = Math.min(values.length, (block + 1) * blockSize);
		for (let index = block * blockSize; index < end; index++) {
			// One test that nearly always fails; two would be a coin toss for the processor.
			if (Math.abs((values[index] as number) - middle) <= reach) found.push(index);
		}
	}
	return found;
}
