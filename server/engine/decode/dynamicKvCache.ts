/**
 * Dynamic KV cache of one sequence, for graphs that concatenate (plain attention): two buffers per tensor
 * alternate as past `[1, heads, length, headSize]` and present `[1, heads, length + new, headSize]`.
 */

import { AppError } from '../../protocol/index.ts';
import { createData, type TensorData } from '../runtime/tensorType.ts';
import type { KvCache } from './decoder.ts';
import type { CacheTensor } from './decoderGraph.ts';
import { grownCapacity } from './grownCapacity.ts';

export class DynamicKvCache implements KvCache {
	readonly tensors: readonly CacheTensor[];
	ropeTotalLength = 0;
	reproducibleTokens = 0;
	readonly #limit: number;
	#now: TensorData[];
	#next: TensorData[];
	#length = 0;
	#capacity = 0;

	constructor(tensors: readonly CacheTensor[], limit: number) {
		this.tensors = tensors;
		this.#limit = limit;
		this.#now = tensors.map((tensor) => createData(tensor.type, 0));
		this.#next = tensors.map((tensor) => createData(tensor.type, 0));
	}

	get length(): number {
		return this.#length;
	}

	get bytes(): number {
		return [...this.#now, ...this.#next].reduce((sum, buffer) => sum + buffer.byteLength, 0);
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

	reserve(tokens: number): void {
		if (tokens <= this.#capacity) return;
		this.#capacity = grownCapacity(tokens, this.#capacity, this.#limit);
		const grow = (buffers: TensorData[], keep: boolean): TensorData[] =>
			this.tensors.map(({ type, heads, headSize }, index) => {
				const bigger = createData(type, heads * this.#capacity * headSize);
				const used = heads * this.#length * headSize;
				if (keep && used > 0) {
					(bigger as Float32Array).set((buffers[index] as Float32Array).subarray(0, used));
				}
				return bigger;
			});
		this.#now = grow(this.#now, true);
		this.#next = grow(this.#next, false);
	}

	canTruncate(length: number): boolean {
		return length <= this.#length;
	}

	truncate(length: number): void {
		if (length > this.#length) {
			throw new AppError('internal', `A cache of ${this.#length} tokens cannot grow to ${length}.`);
		}
		for (const [index, { heads, headSize }] of this.tensors.entries()) {
			const buffer = this.#now[index] as TensorData;
			for (let head = 1; head < heads; head++) {
				const from = head * this.#length * headSize;
				buffer.copyWithin(head * length * headSize, from, from + length * headSize);
			}
		}
		this.#length = length;
	}

	fork(length = this.#length): DynamicKvCache {
		const copy = new DynamicKvCache(this.tensors, this.#limit);
		copy.reserve(this.#length);
		copy.#length = this.#length;
		for (const [index, buffer] of this.#now.entries()) {
			const { heads, headSize } = this.tensors[index] as CacheTensor;
			const used = (buffer as Float32Array).subarray(0, heads * this.#length * headSize);
			(copy.#now[index] as Float32Array).set(used);
		}
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
}
