/** OrtValues over memory of this process, and copies out of memory of ONNX Runtime. */

import type { CApi, Pointer } from './capi.ts';
import {
	createData,
	elementCount,
	type Tensor,
	type TensorData,
	type TensorType,
	typeBytes,
	typeCode,
	typeName,
} from './tensorType.ts';

/** Some platforms refuse a null data pointer even for zero elements. */
const emptyByte = new Uint8Array(8);

/**
 * An OrtValue over `data`. The caller keeps `data` alive and releases the value.
 * @throws OrtError when the shape does not fit the bytes
 */
export function bindTensor(
	api: CApi,
	memory: Pointer,
	type: TensorType,
	data: TensorData,
	dims: readonly number[],
): Pointer {
	const bytes = elementCount(dims) * typeBytes(type);
	return api.get(
		'CreateTensorWithDataAsOrtValue',
		memory,
		data.byteLength === 0 ? emptyByte : data,
		bytes,
		BigInt64Array.from(dims, BigInt),
		dims.length,
		typeCode(type),
	);
}

/** Shape and element type of an OrtValue or of a tensor type description. */
function describe(api: CApi, info: Pointer): { code: number; dims: number[] } {
	const code = Number(api.get('GetTensorElementType', info));
	const rank = Number(api.get('GetDimensionsCount', info));
	const dims = new BigInt64Array(rank);
	if (rank > 0) api.call('GetDimensions', info, dims, rank);
	return { code, dims: [...dims].map(Number) };
}

/** Type and shape of a graph's input or output. */
export function describeTypeInfo(
	api: CApi,
	typeInfo: Pointer,
	name: string,
): { type: TensorType; dims: number[] } {
	const { code, dims } = describe(api, api.get('CastTypeInfoToTensorInfo', typeInfo));
	return { type: typeName(code, name), dims };
}

/** Copies an OrtValue into memory of this process. */
export function copyTensor(api: CApi, value: Pointer, name: string): Tensor {
	const info = api.get('GetTensorTypeAndShape', value);
	const { code, dims } = describe(api, info);
	api.release('ReleaseTensorTypeAndShapeInfo', info);
	const type = typeName(code, name);
	const count = elementCount(dims);
	if (count === 0) return { type, dims, data: createData(type, 0) };
	const bytes = api.copy(
		api.get('GetTensorMutableData', value),
		'uint8_t',
		count * typeBytes(type),
	);
	const buffer = (bytes as Uint8Array).buffer as ArrayBuffer;
	return { type, dims, data: over(type, buffer, count) };
}

function over(type: TensorType, buffer: ArrayBuffer, count: number): TensorData {
	const Store = createData(type, 0).constructor as new (
		buffer: ArrayBuffer,
		offset: number,
		length: number,
	) => TensorData;
	return new Store(buffer, 0, count);
}
