/** The best entries of logits without sorting all of them. */

import { type Blocks, findBlocks, firstOfMax, indicesAtLeast } from './blocks.ts';

/** Index of the largest entry; the lowest index wins ties. NaN is never chosen over a number. */
export function argmax(values: Float32Array): number {
	return firstOfMax(findBlocks(values));
}

/** Indices of the `count` largest entries, best first; equal entries by lower index. */
export function topIndices(values: Float32Array, count: number): number[] {
	const size = Math.min(count, values.length);
	if (size <= 0) return [];
	if (size === 1) return [argmax(values)];
	return topOfBlocks(findBlocks(values), size);
}

/**
 * As {@link topIndices}. The `count`-th largest of the blocks' largest entries is a bound that at
 * least `count` entries reach and few pass, so only those are compared with each other.
 */
export function topOfBlocks(blocks: Blocks, count: number): number[] {
	const { values, largest } = blocks;
	const size = Math.min(count, values.length);
	const bound =
		size < blocks.count ? (largest[heapTop(largest, size).at(-1) as number] as number) : -Infinity;
	if (bound === -Infinity) return heapTop(values, size);
	const candidates = indicesAtLeast(blocks, bound);
	const kept = heapTop(
		Float32Array.from(candidates, (index) => values[index] as number),
		size,
	);
	return kept.map((at) => candidates[at] as number);
}

/** A heap of `count` entries over one pass: O(n) when few entries beat the smallest kept. */
function heapTop(values: Float32Array, count: number): number[] {
	const size = Math.min(count, values.length);
	if (size <= 0) return [];
	const heap = new Int32Array(size);
	let filled = 0;
	// `worse(a, b)`: a belongs nearer the root of the min-heap.
	const worse = (a: number, b: number): boolean => {
		const x = values[a] as number;
		const y = values[b] as number;
		return x < y || (x === y && a > b);
	};
	const sink = (from: number): void => {
		let at = from;
		for (;;) {
			let child = 2 * at + 1;
			if (child >= filled) return;
			if (child + 1 < filled && worse(heap[child + 1] as number, heap[child] as number)) child++;
			if (!worse(heap[child] as number, heap[at] as number)) return;
			const held = heap[at] as number;
			heap[at] = heap[child] as number;
			heap[child] = held;
			at = child;
		}
	};
	for (let index = 0; index < values.length; index++) {
		if (filled < size) {
			heap[filled++] = index;
			if (filled === size) for (let at = (size >> 1) - 1; at >= 0; at--) sink(at);
		} else if ((values[index] as number) > (values[heap[0] as number] as number)) {
			heap[0] = index;
			sink(0);
		}
	}
	return [...heap].sort((a, b) => (worse(b, a) ? -1 : 1));
}
