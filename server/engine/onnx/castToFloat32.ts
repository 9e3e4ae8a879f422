/**
 * Turns a graph of half-precision numbers (float16, bfloat16) into one of float32: processors compute
 * those faster. Weights are converted where they are written; this changes the declared types.
 */

import { float16ToFloat32 } from '../runtime/float16.ts';
import type { OnnxAttribute, OnnxGraph, OnnxNode, OnnxTensor } from './onnxModel.ts';
import { readTensorHeader } from './tensorProto.ts';
import { fieldInt, readFields, WireWriter } from './wire.ts';

const float32 = 1;
/** `TensorProto.DataType`. */
const float16 = 10;
const bfloat16 = 16;

/** True for the types that {@link castToFloat32} replaces. */
export function isHalf(dataType: number): boolean {
	return dataType === float16 || dataType === bfloat16;
}

/** The numbers of float32, float16 or bfloat16 bytes; `undefined` for other types. */
export function toFloat32(dataType: number, bytes: Uint8Array): Float32Array | undefined {
	// A copy of its own: the bytes may begin anywhere in a larger buffer.
	const { buffer } = Uint8Array.from(bytes);
	if (dataType === float32) return new Float32Array(buffer);
	if (dataType === float16) return float16ToFloat32(new Uint16Array(buffer)) as Float32Array;
	if (dataType !== bfloat16) return undefined;
	// A bfloat16 is the upper half of a float32.
	return new Float32Array(Uint32Array.from(new Uint16Array(buffer), (half) => half << 16).buffer);
}

/** Declares float32 for every half-precision input, output, constant and cast, subgraphs included. */
export function castToFloat32(graph: OnnxGraph): void {
	for (const values of [graph.inputs, graph.outputs]) {
		for (const [index, value] of values.entries()) {
			if (isHalf(value.elementType)) values[index] = { ...value, elementType: float32 };
		}
	}
	for (const node of graph.nodes) {
		for (const { graph: inner } of node.attributes) {
			if (inner === undefined) continue;
			castToFloat32(inner);
			for (const [index, tensor] of inner.initializers.entries()) {
				inner.initializers[index] = { ...tensor, bytes: castTensor(tensor.bytes) };
			}
		}
		node.attributes = node.attributes.map((attribute) => castAttribute(node, attribute));
	}
}

/** A weight kept inside the graph, as float32 when it was half as wide. */
export function castInlineToFloat32(tensor: OnnxTensor): OnnxTensor {
	return { ...tensor, bytes: castTensor(tensor.bytes) };
}

/** AttributeProto: name = 1, i = 3, t = 5. */
function castAttribute(node: OnnxNode, attribute: OnnxAttribute): OnnxAttribute {
	const namesType = (node.op === 'Cast' && attribute.name === 'to') || attribute.name === 'dtype';
	const writer = new WireWriter();
	let changed = false;
	for (const field of readFields(attribute.bytes)) {
		if (namesType && field.number === 3 && isHalf(fieldInt(field))) {
			writer.int(3, float32);
			changed = true;
		} else if (field.number === 5 && isHalf(readTensorHeader(field.bytes).dataType)) {
			writer.bytes(5, castTensor(field.bytes));
			changed = true;
		} else writer.raw(field.raw);
	}
	return changed ? { ...attribute, bytes: writer.finish() } : attribute;
}

/** TensorProto with its numbers in `raw_data` (9) or, 16 bits each, in `int32_data` (5). */
function castTensor(bytes: Uint8Array): Uint8Array {
	const { name, dims, dataType, raw, external } = readTensorHeader(bytes);
	if (!isHalf(dataType) || external !== undefined) return bytes;
	const numbers = toFloat32(dataType, raw ?? halvesOf(bytes)) as Float32Array;
	const writer = new WireWriter();
	for (const dim of dims) writer.int(1, dim);
	return writer.int(2, float32).text(8, name).bytes(9, new Uint8Array(numbers.buffer)).finish();
}

function halvesOf(tensor: Uint8Array): Uint8Array {
	const halves: number[] = [];
	for (const field of readFields(tensor)) {
		if (field.number !== 5) continue;
		if (field.wire === 0) halves.push(Number(field.value));
		else {
			let current = 0;
			let shift = 0;
			for (const byte of field.bytes) {
				current |= (byte & 0x7f) << shift;
				shift += 7;
				if (byte >= 0x80) continue;
				halves.push(current);
				current = 0;
				shift = 0;
			}
		}
	}
	return new Uint8Array(Uint16Array.from(halves).buffer);
}
