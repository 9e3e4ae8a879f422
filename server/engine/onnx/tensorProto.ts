/** Small tensors of a graph: constants read from it, and constants and weights written into it. */

import { defined } from '../../protocol/defined.ts';
import { pushAll } from '../../protocol/lists.ts';
import type { OnnxTensor } from './onnxModel.ts';
import { fieldInt, fieldText, readFields, WireWriter } from './wire.ts';

/** Where a weight's bytes lie in another file of the same folder. */
export interface ExternalData {
	readonly location: string;
	readonly offset: number;
	readonly length: number;
}

export interface TensorHeader {
	readonly name: string;
	readonly dims: readonly number[];
	/** `TensorProto.DataType`. */
	readonly dataType: number;
	readonly external?: ExternalData;
	/** Bytes held in the graph itself (`raw_data`). */
	readonly raw?: Uint8Array;
}

/** Reads what a TensorProto says about itself. */
export function readTensorHeader(bytes: Uint8Array): TensorHeader {
	let name = '';
	let dataType = 0;
	const dims: number[] = [];
	const entries = new Map<string, string>();
	let raw: Uint8Array | undefined;
	const floats: Uint8Array[] = [];
	const whole: number[] = [];
	for (const field of readFields(bytes)) {
		if (field.number === 1) pushAll(dims, packedInts(field.wire, field.bytes, field.value));
		else if (field.number === 2) dataType = fieldInt(field);
		else if (field.number === 4) floats.push(field.bytes);
		else if (field.number === 5) pushAll(whole, packedInts(field.wire, field.bytes, field.value));
		else if (field.number === 8) name = fieldText(field);
		else if (field.number === 9) raw = field.bytes;
		else if (field.number === 13) {
			const [key = '', value = ''] = [...readFields(field.bytes)].map(fieldText);
			entries.set(key, value);
		}
	}
	const location = entries.get('location');
	// float_data and int32_data: other places for the same bytes.
	if (dataType === 1 && floats.length > 0) raw ??= Uint8Array.from(Buffer.concat(floats));
	if ((dataType === 2 || dataType === 3) && whole.length > 0) raw ??= Uint8Array.from(whole);
	return {
		name,
		dims,
		dataType,
		...defined({ raw }),
		...(location === undefined
			? {}
			: {
					external: {
						location,
						offset: placeOf(entries.get('offset')),
						length: placeOf(entries.get('length')),
					},
				}),
	};
}

/** A place in a file. @throws Error when no file has it */
function placeOf(text = '0'): number {
	const place = Number(text);
	if (!Number.isSafeInteger(place) || place < 0)
		throw new Error(`A weight is at the impossible place ${JSON.stringify(text)} of its file.`);
	return place;
}

/** Numbers of a small int32, int64 or float tensor kept in the graph; `undefined` for others. */
export function tensorNumbers(tensor: Uint8Array): number[] | undefined {
	const { dataType, raw } = readTensorHeader(tensor);
	if (raw !== undefined) {
		const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
		const at = <T>(size: number, read: (offset: number) => T): T[] =>
			Array.from({ length: raw.byteLength / size }, (_, index) => read(index * size));
		if (dataType === 7) return at(8, (offset) => Number(view.getBigInt64(offset, true)));
		if (dataType === 6) return at(4, (offset) => view.getInt32(offset, true));
		if (dataType === 1) return at(4, (offset) => view.getFloat32(offset, true));
		return undefined;
	}
	const numbers: number[] = [];
	for (const field of readFields(tensor)) {
		// int32_data = 5, int64_data = 7.
		if (field.number === 5 || field.number === 7) {
			pushAll(numbers, packedInts(field.wire, field.bytes, field.value));
		}
	}
	return numbers.length > 0 ? numbers : undefined;
}

/** An int64 constant. */
export function int64Tensor(
	name: string,
	values: readonly number[],
	dims: readonly number[],
): OnnxTensor {
	const writer = new WireWriter();
	for (const dim of dims) writer.int(1, dim);
	const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
	return { name, bytes: writer.int(2, 7).text(8, name).bytes(9, raw).finish() };
}

/** A constant of one number. */
export function scalarTensor(name: string, type: 'float32' | 'uint8', value: number): OnnxTensor {
	const raw =
		type === 'uint8' ? Uint8Array.of(value) : new Uint8Array(Float32Array.of(value).buffer);
	const dataType = type === 'uint8' ? 2 : 1;
	return { name, bytes: new WireWriter().int(2, dataType).text(8, name).bytes(9, raw).finish() };
}

/** A weight whose bytes stay in another file. */
export function externalTensor(header: TensorHeader, external: ExternalData): OnnxTensor {
	const writer = new WireWriter();
	for (const dim of header.dims) writer.int(1, dim);
	writer.int(2, header.dataType).text(8, header.name);
	const entry = (key: string, value: string): void => {
		writer.bytes(13, new WireWriter().text(1, key).text(2, value).finish());
	};
	entry('location', external.location);
	entry('offset', String(external.offset));
	entry('length', String(external.length));
	return { name: header.name, bytes: writer.int(14, 1).finish() };
}

/** A tensor as its header says it: of bytes in the graph or in another file. */
export function tensorFromHeader(header: TensorHeader): OnnxTensor {
	if (header.external !== undefined) return externalTensor(header, header.external);
	const writer = new WireWriter();
	for (const dim of header.dims) writer.int(1, dim);
	writer
		.int(2, header.dataType)
		.text(8, header.name)
		.bytes(9, header.raw ?? new Uint8Array());
	return { name: header.name, bytes: writer.finish() };
}

/** Numbers of a repeated integer field, packed or not. */
export function packedInts(wire: number, bytes: Uint8Array, value: bigint): number[] {
	if (wire === 0) return [Number(BigInt.asIntN(64, value))];
	const numbers: number[] = [];
	let current = 0n;
	let shift = 0n;
	for (const byte of bytes) {
		current |= BigInt(byte & 0x7f) << shift;
		shift += 7n;
		if (byte >= 0x80) continue;
		numbers.push(Number(BigInt.asIntN(64, current)));
		current = 0n;
		shift = 0n;
	}
	return numbers;
}
