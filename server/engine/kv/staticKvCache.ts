/**
 * Cache of one sequence for graphs that work in place (GroupQueryAttention): per tensor one buffer
 * `[1, heads, capacity, headSize]`, read as past and written as present by the same run.
 */

import { AppError } from '../../protocol/index.ts';
import { createData, type TensorData } from '../runtime/tensorType.ts';
import { grownCapacity } from './grownCapacity.ts';
import type { CacheTensor, KvCache } from './kvCache.ts';

export class StaticKvCache implements KvCache {
	readonly tensors: readonly CacheTensor[];
	/** One per tensor, `[1, heads, capacity (or ring), headSize]`. Replaced when the cache grows. */
	buffers: readonly TensorData[];
	/** Changes whenever {@link buffers} is replaced, so that bindings know. */
	generation = 0;
	ropeTotalLength = 0;
	reproducibleTokens = 0;
	readonly #limit: number;
	#length = 0;
	#capacity = 0;

	/** `limit`: most tokens the sequence may ever hold. */
	constructor(tensors: readonly CacheTensor[], limit: number) {
		this.tensors = tensors;
		this.#limit = limit;
		this.buffers = tensors.map((tensor) =>
			createData(tensor.type, (tensor.ring ?? 0) * tensor.heads * tensor.headSize),
		);
	}

	get length(): number {
		return this.#length;
	}

	get capacity(): number {
		return this.#capacity;
	}

	get bytes(): number {
		return this.buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0);
	}

	reserve(tokens: number): void {
		if (tokens <= this.#capacity) return;
		const capacity = grownCapacity(tokens, this.#capacity, this.#limit);
		const old = this.#capacity;
		this.buffers = this.tensors.map((tensor, index) => {
			const from = this.buffers[index] as TensorData;
			if (tensor.ring !== undefined) return from;
			const to = createData(tensor.type, tensor.heads * capacity * tensor.headSize);
			copyHeads(tensor, from, old, to, capacity, this.#length);
			return to;
		});
		this.#capacity = capacity;
		this.generation++;
	}

	/** Called after a successful run. */
	advance(tokens: number): void {
		this.#length += tokens;
	}

	canTruncate(length: number): boolean {
		if (length === this.#length || length === 0) return true;
		// A ring that has not wrapped still holds everything in order.
		return length < this.#length && this.tensors.every(({ ring }) => ring === undefined);
	}

	truncate(length: number): void {
		if (!this.canTruncate(length)) {
			throw new AppError(
				'internal',
				`A cache of ${this.#length} tokens cannot go back to ${length}.`,
			);
		}
		if (length === 0) {
			for (const [index, tensor] of this.tensors.entries()) {
				if (tensor.ring !== undefined) this.buffers[index]?.fill(0 as never);
			}
		}
		this.#length = length;
	}

	fork(length = this.#length): StaticKvCache {
		const copy = new StaticKvCache(this.tensors, this.#limit);
		if (length > 0) {
			copy.reserve(length);
			for (const [index, tensor] of this.tensors.entries()) {
				const from = this.buffers[index] as TensorData;
				const to = copy.buffers[index] as TensorData;
				if (tensor.ring !== undefined) (to as Float32Array).set(from as Float32Array);
				else copyHeads(tensor, from, this.#capacity, to, copy.#capacity, length);
			}
			copy.#length = length;
			copy.ropeTotalLength = this.ropeTotalLength;
			copy.reproducibleTokens = Math.min(length, this.reproducibleTokens);
		}
		return copy;
	}

	release(): void {
		this.buffers = [];
		this.#length = 0;
		this.#capacity = 0;
		this.generation++;
	}
}

/** Copies the first `length` tokens of every head between buffers of different capacity. */
function copyHeads(
	tensor: CacheTensor,
	from: TensorData,
	fromCapacity: number,
	to: TensorData,
	toCapacity: number,
	length: number,
): void {
	if (length === 0) return;
	const { heads, headSize } = tensor;
	for (let head = 0; head < heads; head++) {
		const start = head * fromCapacity * headSize;
		const part = from.subarray(start, start + length * headSize);
		(to as Float32Array).set(part as Float32Array, head * toCapacity * headSize);
	}
}
