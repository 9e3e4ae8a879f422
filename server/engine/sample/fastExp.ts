/**
 * e^−x by table and straight line between entries: relative error below 2·10⁻⁶, less than what the
 * logits themselves are off by, at a third of the time of Math.exp over a large vocabulary.
 */

import { type Blocks, blockSize } from './blocks.ts';

/** Entries per unit. */
const density = 256;
/** Beyond this a weight is nothing beside 1, whatever the size of the vocabulary. */
const reach = 40;

const table = new Float64Array(reach * density + 2);
for (let k = 0; k < table.length; k++) table[k] = Math.exp(-k / density);

/** Entries lighter than e^−5 of the heaviest come from a table without the line between entries. */
const far = 5;
const fine = 1024;
const coarse = Float64Array.from({ length: 32 * fine }, (_, k) => Math.exp(-(k + 0.5) / fine));

/**
 * ln Σ e^value, −∞ counting as 0. Blocks far below the maximum are summed with an error of up to
 * 1/2048 per entry that goes either way; what remains of it is below 10⁻⁵.
 */
export function logSumExpOf({ values, largest, count, max }: Blocks): number {
	if (!Number.isFinite(max)) return max;
	const last = reach * density;
	let sum = 0;
	for (let block = 0; block < count; block++) {
		const end = Math.min(values.length, (block + 1) * blockSize);
		let own = 0;
		if ((largest[block] as number) > max - far) {
			for (let k = block * blockSize; k < end; k++) {
				const at = (max - (values[k] as number)) * density;
				if (!(at < last)) continue;
				const index = at | 0;
				const low = table[index] as number;
				own += low + (at - index) * ((table[index + 1] as number) - low);
			}
		} else {
			for (let k = block * blockSize; k < end; k++) {
				const at = (max - (values[k] as number)) * fine;
				if (at < coarse.length) own += coarse[at | 0] as number;
			}
		}
		sum += own;
	}
	return max + Math.log(sum);
}
