/**
 * Tensors whose first dimension is the sequence: `[sequences, heads, length, headSize]`, gathered when sequences move.
 * Those of recurrent decoders keep their length.
 */

import { createData, type TensorData, type TensorType } from '../runtime/tensorType.ts';

export interface SequenceTensor {
	readonly past: string;
	readonly present: string;
	readonly type: TensorType;
	readonly heads: number;
	readonly headSize: number;
	/** Of a state, which every token replaces; absent: one more for each token. */
	readonly fixedLength?: number;
}

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

/** Self-attention cache or states of all sequences of a run: two buffers per tensor alternate. */
export class SelfAttentionCache {
	readonly tensors: readonly SequenceTensor[];
	#now: TensorData[];
	#next: TensorData[];
	#batchSize: number;
	#length = 0;

	constructor(tensors: readonly SequenceTensor[], batchSize: number) {
		this.tensors = tensors;
		this.#batchSize = batchSize;
		// A state is zeros before the first token.
		this.#now = tensors.map(({ type, heads, headSize, fixedLength = 0 }) =>
			createData(type, batchSize * heads * fixedLength * headSize),
		);
		this.#next = tensors.map(({ type }) => createData(type, 0));
	}

	get length(): number {
		return this.#length;
	}

	/** Positions that tensor `index` has after as many tokens. */
	lengthOf(index: number, tokens: number): number {
		return this.tensors[index]?.fixedLength ?? tokens;
	}

	past(index: number): TensorData {
		return this.#now[index] as TensorData;
	}

	/** Memory for tensor `index` with `tokens` more per sequence. */
	present(index: number, tokens: number): TensorData {
		const { type, heads, headSize, fixedLength } = this.tensors[index] as SequenceTensor;
		const length = this.lengthOf(index, this.#length + tokens);
		const needed = this.#batchSize * heads * length * headSize;
		const have = this.#next[index] as TensorData;
		if (have.length >= needed) return have;
		// Room for as many tokens again, so that a long text grows rarely.
		const bigger = createData(type, fixedLength === undefined ? needed * 2 : needed);
		this.#next[index] = bigger;
		return bigger;
	}

	advance(tokens: number): void {
		this.#length += tokens;
		[this.#now, this.#next] = [this.#next, this.#now];
	}

	select(parents: readonly number[]): void {
		for (const [index, { type, heads, headSize }] of this.tensors.entries()) {
			const width = heads * this.lengthOf(index, this.#length) * headSize;
			this.#now[index] = gatherSequences(this.#now[index] as TensorData, type, width, parents);
		}
		this.#batchSize = parents.length;
	}

	release(): void {
		this.#now = [];
		this.#next = [];
	}
}
