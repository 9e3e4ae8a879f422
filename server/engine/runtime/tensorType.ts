/** Element types of tensors: ONNX numbers, names, and the typed arrays that hold them. */

import { AppError } from '../../protocol/index.ts';

/** Element types the engine feeds and reads. */
export type TensorType =
	| 'float32'
	| 'uint8'
	| 'int8'
	| 'uint16'
	| 'int16'
	| 'int32'
	| 'int64'
	| 'bool'
	| 'float16'
	| 'float64'
	| 'uint32'
	| 'uint64';

/** Storage of a tensor. float16 is kept as its 16 bits in a Uint16Array. */
export type TensorData =
	| Float32Array
	| Float64Array
	| Uint8Array
	| Int8Array
	| Uint16Array
	| Int16Array
	| Int32Array
	| Uint32Array
	| BigInt64Array
	| BigUint64Array;

/** A tensor in the process's own memory, row-major. */
export interface Tensor {
	readonly type: TensorType;
	readonly dims: readonly number[];
	readonly data: TensorData;
}

interface Entry {
	/** `ONNXTensorElementDataType` (onnxruntime_c_api.h), equal to `TensorProto.DataType`. */
	readonly code: number;
	readonly bytes: number;
	readonly create: (length: number) => TensorData;
}

const entries: Readonly<Record<TensorType, Entry>> = {
	float32: { code: 1, bytes: 4, create: (n) => new Float32Array(n) },
	uint8: { code: 2, bytes: 1, create: (n) => new Uint8Array(n) },
	int8: { code: 3, bytes: 1, create: (n) => new Int8Array(n) },
	uint16: { code: 4, bytes: 2, create: (n) => new Uint16Array(n) },
	int16: { code: 5, bytes: 2, create: (n) => new Int16Array(n) },
	int32: { code: 6, bytes: 4, create: (n) => new Int32Array(n) },
	int64: { code: 7, bytes: 8, create: (n) => new BigInt64Array(n) },
	bool: { code: 9, bytes: 1, create: (n) => new Uint8Array(n) },
	float16: { code: 10, bytes: 2, create: (n) => new Uint16Array(n) },
	float64: { code: 11, bytes: 8, create: (n) => new Float64Array(n) },
	uint32: { code: 12, bytes: 4, create: (n) => new Uint32Array(n) },
	uint64: { code: 13, bytes: 8, create: (n) => new BigUint64Array(n) },
};

const names = new Map<number, TensorType>(
	Object.entries(entries).map(([name, entry]) => [entry.code, name as TensorType]),
);

/** ONNX number of an element type. */
export function typeCode(type: TensorType): number {
	return entries[type].code;
}

/** Bytes of one element. */
export function typeBytes(type: TensorType): number {
	return entries[type].bytes;
}

/** Zeroed storage for `length` elements. */
export function createData(type: TensorType, length: number): TensorData {
	return entries[type].create(length);
}

/** Name of an ONNX element type; throws `unsupported_model` for types no graph input here may have. */
export function typeName(code: number, tensorName: string): TensorType {
	const name = names.get(code);
	if (name === undefined) {
		throw new AppError(
			'unsupported_model',
			`The graph's tensor '${tensorName}' has element type ${code}, which this engine cannot feed.`,
		);
	}
	return name;
}

/** Product of the dimensions; 1 for a scalar. */
export function elementCount(dims: readonly number[]): number {
	return dims.reduce((product, dim) => product * dim, 1);
}
