/** Small tools for changing graphs. */

import { pushAll } from '../../protocol/lists.ts';
import type { OnnxAttribute, OnnxGraph, OnnxNode } from './onnxModel.ts';
import { packedInts } from './tensorProto.ts';
import { fieldInt, readFields, WireWriter } from './wire.ts';

/** A new node. */
export function makeNode(
	op: string,
	inputs: string[],
	outputs: string[],
	attributes: OnnxAttribute[] = [],
	domain = '',
): OnnxNode {
	return {
		name: `nearglot/${outputs[0] ?? op}`,
		op,
		domain,
		inputs,
		outputs,
		attributes,
		rest: [],
	};
}

/** A float attribute. */
export function floatAttribute(name: string, value: number): OnnxAttribute {
	// AttributeProto: f = 2, type = 20 (FLOAT = 1).
	return { name, bytes: new WireWriter().text(1, name).float(2, value).int(20, 1).finish() };
}

/** A text attribute. */
export function textAttribute(name: string, value: string): OnnxAttribute {
	// AttributeProto: s = 4, type = 20 (STRING = 3).
	return { name, bytes: new WireWriter().text(1, name).text(4, value).int(20, 3).finish() };
}

/** An integer attribute. */
export function intAttribute(name: string, value: number): OnnxAttribute {
	// AttributeProto: name = 1, i = 3, type = 20 (INT = 2).
	return { name, bytes: new WireWriter().text(1, name).int(3, value).int(20, 2).finish() };
}

/** An attribute of several integers. */
export function intsAttribute(name: string, values: readonly number[]): OnnxAttribute {
	// AttributeProto: ints = 8, type = 20 (INTS = 7).
	const writer = new WireWriter().text(1, name);
	for (const value of values) writer.int(8, value);
	return { name, bytes: writer.int(20, 7).finish() };
}

/** Integer attribute of a node; `undefined` when it is absent. */
export function readInt(node: OnnxNode, name: string): number | undefined {
	const attribute = node.attributes.find((one) => one.name === name);
	if (attribute === undefined) return undefined;
	for (const field of readFields(attribute.bytes)) if (field.number === 3) return fieldInt(field);
	return undefined;
}

/** Attribute of several integers of a node; `undefined` when it is absent. */
export function readInts(node: OnnxNode, name: string): number[] | undefined {
	const attribute = node.attributes.find((one) => one.name === name);
	if (attribute === undefined) return undefined;
	return [...readFields(attribute.bytes)].flatMap((field) =>
		field.number === 8 ? packedInts(field.wire, field.bytes, field.value) : [],
	);
}

/** TensorProto of a Constant node. */
export function constantTensor(node: OnnxNode): Uint8Array | undefined {
	const attribute = node.attributes.find((one) => one.name === 'value');
	if (attribute === undefined) return undefined;
	for (const field of readFields(attribute.bytes)) if (field.number === 5) return field.bytes;
	return undefined;
}

/** Value name → the node that makes it. */
export function producers(graph: OnnxGraph): Map<string, OnnxNode> {
	return new Map(
		graph.nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)),
	);
}

/** All value names a node reads, those of its subgraphs included. */
export function reads(node: OnnxNode): string[] {
	const inner = node.attributes.flatMap(({ graph }) =>
		graph === undefined
			? []
			: [...graph.nodes.flatMap(reads), ...graph.outputs.map(({ name }) => name)],
	);
	return [...node.inputs, ...inner];
}

/** Removes nodes, weights and inputs that no output needs. */
export function removeDead(graph: OnnxGraph): void {
	const made = producers(graph);
	const needed = new Set<string>();
	const live = new Set<OnnxNode>();
	const queue = graph.outputs.map(({ name }) => name);
	for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
		if (name === '' || needed.has(name)) continue;
		needed.add(name);
		const node = made.get(name);
		if (node === undefined || live.has(node)) continue;
		live.add(node);
		pushAll(queue, reads(node));
	}
	graph.nodes = graph.nodes.filter((node) => live.has(node));
	graph.initializers = graph.initializers.filter(({ name }) => needed.has(name));
	graph.inputs = graph.inputs.filter(({ name }) => needed.has(name));
}
