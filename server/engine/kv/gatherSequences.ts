/** Moves sequences of tensors whose first dimension is the sequence. */

import { createData, type TensorData, type TensorType } from '../runtime/tensorType.ts';

/** True if sequence i continues sequence i and none is added. */
export function isIdentity(parents: readonly number[], batchSize: number): boolean {
	return parents.length === batchSize && parents.every((parent, index) => parent === index);
}

/**
 * Rearranges sequences of `width` elements inside `data`: new sequence i = old sequence `parents[i]`. Returns the
 * memory that holds the result: the same, unless sequences were added.
 */
export function gatherSequences(
	data: TensorData,
	type: TensorType,
	width: number,
	parents: readonly number[],
): TensorData {
	const from = data as Float32Array;
	if (from.length < parents.length * width) {
		const bigger = createData(type, parents.length * width) as Float32Array;
		for (const [index, parent] of parents.entries()) {
			bigger.set(from.subarray(parent * width, (parent + 1) * width), index * width);
		}
		return bigger;
	}
	// Sequences only moving up never overwrite one that is still to be read.
	if (
		parents.every(
			(parent, index) => parent >= index && (index === 0 || parent > (parents[index - 1] ?? -1)),
		)
	) {
		for (const [index, parent] of parents.entries()) {
			if (parent !== index) from.copyWithin(index * width, parent * width, (parent + 1) * width);
		}
		return data;
	}
	const moved = parents.flatMap((parent, index) =>
		parent === index
			? []
			: [{ sequence: index, copy: from.slice(parent * width, (parent + 1) * width) }],
	);
	for (const { sequence: index, copy } of moved) from.set(copy, index * width);
	return data;
}
