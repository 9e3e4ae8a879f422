/** Fills the id, mask and position inputs in whichever integer type the graph has. */

import { AppError } from '../../protocol/index.ts';
import type { TensorInfo } from './runtime.ts';
import { createData, type TensorData } from './tensorType.ts';

/** Writable integers of an input; grows as needed and keeps its memory between runs. */
export class IntegerInput {
	readonly #info: TensorInfo;
	#data: TensorData;

	constructor(info: TensorInfo) {
		if (info.type !== 'int64' && info.type !== 'int32') {
			throw new AppError(
				'unsupported_model',
				`The graph's input '${info.name}' has type ${info.type}; int64 or int32 is expected.`,
			);
		}
		this.#info = info;
		this.#data = createData(info.type, 64);
	}

	get name(): string {
		return this.#info.name;
	}

	/** Memory with room for `length` elements; old contents are not kept when it grows. */
	data(length: number): TensorData {
		if (this.#data.length < length) {
			this.#data = createData(this.#info.type, 2 ** Math.ceil(Math.log2(length)));
		}
		return this.#data;
	}

	/** Writes values from index 0 and returns the memory. */
	write(values: ArrayLike<number>): TensorData {
		const data = this.data(Math.max(values.length, 1));
		if (data instanceof BigInt64Array) {
			for (let index = 0; index < values.length; index++)
				data[index] = BigInt(values[index] as number);
		} else (data as Int32Array).set(values);
		return data;
	}

	/** Sets `[from, to)` to a value. */
	fill(value: 0 | 1, from: number, to: number): TensorData {
		const data = this.data(to);
		if (data instanceof BigInt64Array) data.fill(BigInt(value), from, to);
		else (data as Int32Array).fill(value, from, to);
		return data;
	}
}
