/**
 * KV cache for graphs that concatenate (plain attention), of one sequence or of several in lockstep: two buffers
 * per tensor alternate as past `[sequences, heads, length, headSize]` and present
 * `[sequences, heads, length + new, headSize]`.
 */

import { AppError } from '../../protocol/index.ts';
import { createData, type TensorData } from '../runtime/tensorType.ts';
import { gatherSequences } from './gatherSequences.ts';
import { grownCapacity } from './grownCapacity.ts';
import type { CacheTensor, KvCache } from './kvCache.ts';

export interface DynamicKvCacheOptions {
	/** Maximum tokens of a sequence; absent: whoever feeds it knows. */
	readonly limit?: number;
	/** At the beginning; default 1. */
	readonly sequences?: number;
}

export class DynamicKvCache implements KvCache {
	readonly tensors: readonly CacheTensor[];
	ropeTotalLength = 0;
	reproducibleTokens = 0;
	readonly #limit: number;
	#sequences: number;
	#now: TensorData[];
	#next: TensorData[];
	#length = 0;
	/** Tokens of a sequence that there is room for. */
	#capacity = 0;

	constructor(
		tensors: readonly CacheTensor[],
		{ limit = Number.POSITIVE_INFINITY, sequences = 1 }: DynamicKvCacheOptions = {},
	) {
		this.tensors = tensors;
		this.#limit = limit;
		this.#sequences = sequences;
		// A state is zeros before the first token.
		this.#now = tensors.map((tensor, index) => createData(tensor.type, this.#size(index, 0)));
		this.#next = tensors.map(({ type }) => createData(type, 0));
	}

	get length(): number {
		return this.#length;
	}

	get bytes(): number {
		return [...this.#now, ...this.#next].reduce((sum, buffer) => sum + buffer.byteLength, 0);
	}

	/** Shape of tensor `index` after so many tokens. */
	dims(index: number, tokens: number): readonly [number, number, number, number] {
		const { heads, stateLength, headSize } = this.tensors[index] as CacheTensor;
		return [this.#sequences, heads, stateLength ?? tokens, headSize];
	}

	/** Memory of tensor `index` to read as past. */
	past(index: number): TensorData {
		return this.#now[index] as TensorData;
	}

	/** Memory of tensor `index` to write as present; {@link reserve} has made room. */
	present(index: number): TensorData {
		return this.#next[index] as TensorData;
	}

	/** After a successful run: what was present is past now. */
	advance(tokens: number): void {
		this.#length += tokens;
		[this.#now, this.#next] = [this.#next, this.#now];
	}

	/** Before every run: of the two buffers only the one that is written next grows, so nothing is copied. */
	reserve(tokens: number): void {
		if (tokens > this.#capacity)
			this.#capacity = grownCapacity(tokens, this.#capacity, this.#limit, this.#sequences);
		for (const [index, { type }] of this.tensors.entries()) {
			const needed = this.#size(index, this.#capacity);
			if (this.present(index).length < needed) this.#next[index] = createData(type, needed);
		}
	}

	/** Sequence i becomes what sequence `parents[i]` was; there may be more or fewer than before. */
	select(parents: readonly number[]): void {
		for (const [index, { type }] of this.tensors.entries()) {
			const width = this.#size(index, this.#length) / this.#sequences;
			this.#now[index] = gatherSequences(this.past(index), type, width, parents);
		}
		this.#sequences = parents.length;
	}

	canTruncate(length: number): boolean {
		if (length === this.#length) return true;
		return (
			length < this.#length && this.tensors.every(({ stateLength }) => stateLength === undefined)
		);
	}

	truncate(length: number): void {
		if (!this.canTruncate(length))
			throw new AppError(
				'internal',
				`A cache of ${this.#length} tokens cannot go back to ${length}.`,
			);
		if (length === this.#length) return;
		for (const [index, { heads, headSize }] of this.tensors.entries()) {
			const buffer = this.past(index);
			for (let row = 1; row < this.#sequences * heads; row++) {
				const from = row * this.#length * headSize;
				buffer.copyWithin(row * length * headSize, from, from + length * headSize);
			}
		}
		this.#length = length;
	}

	fork(length = this.#length): DynamicKvCache {
		const copy = new DynamicKvCache(this.tensors, {
			...{ limit: this.#limit, sequences: this.#sequences },
		});
		copy.#capacity = this.#capacity;
		copy.#length = this.#length;
		copy.#now = this.tensors.map(({ type }, index) => {
			const data = createData(type, this.#size(index, this.#capacity));
			const used = this.past(index).subarray(0, this.#size(index, this.#length));
			(data as Float32Array).set(used as Float32Array);
			return data;
		});
		copy.truncate(length);
		copy.reproducibleTokens = Math.min(length, this.reproducibleTokens);
		return copy;
	}

	release(): void {
		this.#now = [];
		this.#next = [];
		this.#length = 0;
		this.#capacity = 0;
	}

	/** Elements of tensor `index` after so many tokens. */
	#size(index: number, tokens: number): number {
		return this.dims(index, tokens).reduce((product, size) => product * size);
	}
}
