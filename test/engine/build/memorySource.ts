/** A source of weights in memory: numbers by name. */

import {
	columnsOf,
	rowsOf,
	type SourceTensor,
	type TensorSource,
} from '../../../server/engine/build/sources/tensorSource.ts';

export interface NamedNumbers {
	readonly shape: readonly number[];
	readonly numbers: Float32Array;
}

/** Rows that have been read, for tests of what is read again. */
export interface MemorySource extends TensorSource {
	readonly reads: string[];
}

export function memorySource(tensors: ReadonlyMap<string, NamedNumbers>): MemorySource {
	const reads: string[] = [];
	const headers = new Map(
		[...tensors].map(([name, { shape }]): [string, SourceTensor] => [
			name,
			{ name, shape, type: 'f32', bytesPerRow: columnsOf(shape) * 4 },
		]),
	);
	const rows = async (name: string, from: number, to: number): Promise<Float32Array> => {
		const { shape, numbers } = tensors.get(name) as NamedNumbers;
		if (from < 0 || to > rowsOf(shape)) throw new RangeError(`Rows ${from} to ${to} of ${name}`);
		reads.push(`${name} ${from} ${to}`);
		return numbers.slice(from * columnsOf(shape), to * columnsOf(shape));
	};
	return {
		reads,
		tensors: headers,
		metadata: new Map(),
		rows,
		raw: async (name, from, to) => new Uint8Array((await rows(name, from, to)).buffer),
		[Symbol.asyncDispose]: async () => undefined,
	};
}
