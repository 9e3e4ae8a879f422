/**
 * The part of the ONNX format (onnx.proto3) that graph preparation touches. What is not understood
 * is kept as bytes and written back unchanged; tensors are never unpacked.
 */

import { checkFileLimit, graphLimits } from '../../hub/modelData/fileLimits.ts';
import { defined } from '../../protocol/defined.ts';
import { fieldInt, fieldText, readFields, WireWriter } from './wire.ts';

export interface OnnxModel {
	graph: OnnxGraph;
	/** Everything but the graph: versions, opsets, metadata. */
	readonly rest: readonly Uint8Array[];
}

export interface OnnxGraph {
	name: string;
	nodes: OnnxNode[];
	inputs: OnnxValue[];
	outputs: OnnxValue[];
	initializers: OnnxTensor[];
	readonly rest: readonly Uint8Array[];
}

export interface OnnxNode {
	name: string;
	op: string;
	/** `''` for the default domain. */
	domain: string;
	/** An empty name is an input that is left out. */
	inputs: string[];
	outputs: string[];
	attributes: OnnxAttribute[];
	readonly rest: readonly Uint8Array[];
}

export interface OnnxAttribute {
	readonly name: string;
	readonly bytes: Uint8Array;
	/** Decoded subgraph (If, Loop); replaces the one in `bytes` when the model is written. */
	readonly graph?: OnnxGraph;
}

/**
 * A graph input or output. Dims: a number, a symbol, or unknown; no dims at all = unknown rank.
 * Element type 0 = to be inferred.
 */
export interface OnnxValue {
	readonly name: string;
	readonly elementType: number;
	readonly dims: readonly (number | string | undefined)[] | undefined;
}

/** A weight, by name; `bytes` is the whole TensorProto. */
export interface OnnxTensor {
	readonly name: string;
	readonly bytes: Uint8Array;
}

/** @throws Error when the bytes are not an ONNX model */
export function decodeModel(bytes: Uint8Array): OnnxModel {
	const rest: Uint8Array[] = [];
	let graph: OnnxGraph | undefined;
	for (const field of readFields(bytes)) {
		if (field.number === 7) graph = decodeGraph(field.bytes);
		else rest.push(field.raw);
	}
	if (graph === undefined) throw new Error('The file holds no graph.');
	return { graph, rest };
}

export function encodeModel(model: OnnxModel): Uint8Array {
	const writer = new WireWriter();
	for (const raw of model.rest) writer.raw(raw);
	return writer.bytes(7, encodeGraph(model.graph)).finish();
}

/** @param depth graphs it is in; @throws AppError `unsupported_model` when there are too many */
function decodeGraph(bytes: Uint8Array, depth = 0): OnnxGraph {
	checkFileLimit('with the graph', 'graphs inside each other', depth, graphLimits.maxDepth);
	const rest: Uint8Array[] = [];
	const graph: OnnxGraph = {
		name: '',
		nodes: [],
		inputs: [],
		outputs: [],
		initializers: [],
		rest,
	};
	for (const field of readFields(bytes)) {
		if (field.number === 1) graph.nodes.push(decodeNode(field.bytes, depth));
		else if (field.number === 2) graph.name = fieldText(field);
		else if (field.number === 5) graph.initializers.push(decodeTensor(field.bytes));
		else if (field.number === 11) graph.inputs.push(decodeValue(field.bytes));
		else if (field.number === 12) graph.outputs.push(decodeValue(field.bytes));
		// Shapes of inner values are dropped: they may not hold after a rewrite, and are inferred.
		else if (field.number !== 13) rest.push(field.raw);
	}
	return graph;
}

function encodeGraph(graph: OnnxGraph): Uint8Array {
	const writer = new WireWriter();
	for (const node of graph.nodes) writer.bytes(1, encodeNode(node));
	writer.text(2, graph.name);
	for (const tensor of graph.initializers) writer.bytes(5, tensor.bytes);
	for (const value of graph.inputs) writer.bytes(11, encodeValue(value));
	for (const value of graph.outputs) writer.bytes(12, encodeValue(value));
	for (const raw of graph.rest) writer.raw(raw);
	return writer.finish();
}

function decodeNode(bytes: Uint8Array, depth: number): OnnxNode {
	const rest: Uint8Array[] = [];
	const node: OnnxNode = {
		name: '',
		op: '',
		domain: '',
		inputs: [],
		outputs: [],
		attributes: [],
		rest,
	};
	for (const field of readFields(bytes)) {
		if (field.number === 1) node.inputs.push(fieldText(field));
		else if (field.number === 2) node.outputs.push(fieldText(field));
		else if (field.number === 3) node.name = fieldText(field);
		else if (field.number === 4) node.op = fieldText(field);
		else if (field.number === 5) node.attributes.push(decodeAttribute(field.bytes, depth));
		else if (field.number === 7) node.domain = fieldText(field);
		else rest.push(field.raw);
	}
	if (node.domain === 'ai.onnx') node.domain = '';
	return node;
}

function encodeNode(node: OnnxNode): Uint8Array {
	const writer = new WireWriter();
	for (const name of node.inputs) writer.text(1, name);
	for (const name of node.outputs) writer.text(2, name);
	writer.text(3, node.name).text(4, node.op);
	for (const attribute of node.attributes) writer.bytes(5, encodeAttribute(attribute));
	if (node.domain !== '') writer.text(7, node.domain);
	for (const raw of node.rest) writer.raw(raw);
	return writer.finish();
}

function decodeAttribute(bytes: Uint8Array, depth: number): OnnxAttribute {
	let name = '';
	let graph: OnnxGraph | undefined;
	for (const field of readFields(bytes)) {
		if (field.number === 1) name = fieldText(field);
		else if (field.number === 6) graph = decodeGraph(field.bytes, depth + 1);
	}
	return { name, bytes, ...defined({ graph }) };
}

function encodeAttribute(attribute: OnnxAttribute): Uint8Array {
	if (attribute.graph === undefined) return attribute.bytes;
	const writer = new WireWriter();
	for (const field of readFields(attribute.bytes)) {
		if (field.number === 6) writer.bytes(6, encodeGraph(attribute.graph));
		else writer.raw(field.raw);
	}
	return writer.finish();
}

function decodeTensor(bytes: Uint8Array): OnnxTensor {
	let name = '';
	for (const field of readFields(bytes)) if (field.number === 8) name = fieldText(field);
	return { name, bytes };
}

function decodeValue(bytes: Uint8Array): OnnxValue {
	let name = '';
	let elementType = 0;
	let dims: (number | string | undefined)[] | undefined;
	for (const field of readFields(bytes)) {
		if (field.number === 1) name = fieldText(field);
		if (field.number !== 2) continue;
		for (const type of readFields(field.bytes)) {
			if (type.number !== 1) continue;
			for (const tensor of readFields(type.bytes)) {
				if (tensor.number === 1) elementType = fieldInt(tensor);
				if (tensor.number !== 2) continue;
				dims ??= [];
				for (const dim of readFields(tensor.bytes)) {
					if (dim.number === 1) dims.push(decodeDim(dim.bytes));
				}
			}
		}
	}
	return { name, elementType, dims };
}

function decodeDim(bytes: Uint8Array): number | string | undefined {
	for (const field of readFields(bytes)) {
		if (field.number === 1) return fieldInt(field);
		if (field.number === 2) return fieldText(field);
	}
	return undefined;
}

function encodeValue(value: OnnxValue): Uint8Array {
	if (value.elementType === 0) return new WireWriter().text(1, value.name).finish();
	const tensor = new WireWriter().int(1, value.elementType);
	if (value.dims !== undefined) {
		const shape = new WireWriter();
		for (const dim of value.dims) {
			const one = new WireWriter();
			if (typeof dim === 'number') one.int(1, dim);
			else if (dim !== undefined) one.text(2, dim);
			shape.bytes(1, one.finish());
		}
		tensor.bytes(2, shape.finish());
	}
	const type = new WireWriter().bytes(1, tensor.finish()).finish();
	return new WireWriter().text(1, value.name).bytes(2, type).finish();
}
