/**
 * e^−x by table and straight line between entries: relative error below 2·10⁻⁶, less than what the
 * logits themselves are off by, at a third of the time of Math.exp over a large vocabulary.
 */

/** Entries per unit. */
const density = 256;
/** Beyond this a weight is nothing beside 1, whatever the size of the vocabulary. */
const reach = 40;

const table = new Float64Array(reach * density + 2);
for (let k = 0; k < table.length; k++) table[k] = Math.exp(-k / density);

/** Σ e^(value − max) over all values; `max` is the largest of them. −∞ counts as 0. */
export function sumOfExp(values: Float32Array, max: number): number {
	const last = reach * density;
	let sum = 0;
	for (let k = 0; k < values.length; k++) {
		const at = (max - (values[k] as number)) * density;
		if (!(at < last)) continue;
		const index = at | 0;
		const low = table[index] as number;
		sum += low + (at - index) * ((table[index + 1] as number) - low);
	}
	return sum;
}
