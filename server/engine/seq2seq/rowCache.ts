/** Tensors whose first dimension is the row: `[rows, heads, length, headSize]`, gathered when rows move. */

import { createData, type TensorData, type TensorType } from '../runtime/tensorType.ts';

export interface RowTensor {
	readonly past: string;
	readonly present: string;
	readonly type: TensorType;
	readonly heads: number;
	readonly headSize: number;
}

/** True when row i continues row i and none is added. */
export function isIdentity(parents: readonly number[], rows: number): boolean {
	return parents.length === rows && parents.every((parent, index) => parent === index);
}

/**
 * Rearranges rows of `width` elements inside `data`: new row i = old row `parents[i]`. Returns the
 * memory that holds the result: the same, unless rows were added.
 */
export function gatherRows(
	data: TensorData,
	type: TensorType,
	width: number,
	parents: readonly number[],
): TensorData {
	const from = data as Float32Array;
	if (from.length < parents.length * width) {
		const bigger = createData(type, parents.length * width) as Float32Array;
		for (const [row, parent] of parents.entries()) {
			bigger.set(from.subarray(parent * width, (parent + 1) * width), row * width);
		}
		return bigger;
	}
	// Rows only moving up never overwrite one that is still to be read.
	if (
		parents.every(
			(parent, row) => parent >= row && (row === 0 || parent > (parents[row - 1] ?? -1)),
		)
	) {
		for (const [row, parent] of parents.entries()) {
			if (parent !== row) from.copyWithin(row * width, parent * width, (parent + 1) * width);
		}
		return data;
	}
	const moved = parents.flatMap((parent, row) =>
		parent === row ? [] : [{ row, copy: from.slice(parent * width, (parent + 1) * width) }],
	);
	for (const { row, copy } of moved) from.set(copy, row * width);
	return data;
}

/** Growing self-attention cache of all rows of a run: two buffers per tensor take turns. */
export class SelfCache {
	readonly tensors: readonly RowTensor[];
	#now: TensorData[];
	#next: TensorData[];
	#rows: number;
	#length = 0;

	constructor(tensors: readonly RowTensor[], rows: number) {
		this.tensors = tensors;
		this.#rows = rows;
		this.#now = tensors.map(({ type }) => createData(type, 0));
		this.#next = tensors.map(({ type }) => createData(type, 0));
	}

	get length(): number {
		return this.#length;
	}

	past(index: number): TensorData {
		return this.#now[index] as TensorData;
	}

	/** Memory for tensor `index` with `tokens` more per row. */
	present(index: number, tokens: number): TensorData {
		const { type, heads, headSize } = this.tensors[index] as RowTensor;
		const needed = this.#rows * heads * (this.#length + tokens) * headSize;
		const have = this.#next[index] as TensorData;
		if (have.length >= needed) return have;
		// Room for as many tokens again, so that a long text grows rarely.
		const bigger = createData(type, needed * 2);
		this.#next[index] = bigger;
		return bigger;
	}

	advance(tokens: number): void {
		this.#length += tokens;
		[this.#now, this.#next] = [this.#next, this.#now];
	}

	select(parents: readonly number[]): void {
		for (const [index, { type, heads, headSize }] of this.tensors.entries()) {
			const width = heads * this.#length * headSize;
			this.#now[index] = gatherRows(this.#now[index] as TensorData, type, width, parents);
		}
		this.#rows = parents.length;
	}

	release(): void {
		this.#now = [];
		this.#next = [];
	}
}
