/**
 * Rewrite: products of 4-bit weights by the engine's own operator instead of MatMulNBits, whose inputs and
 * layout it takes as they are. Only of nodes that already ask for 8-bit activations: no rewrite makes what
 * a model computes less exact.
 */

import type { GraphSummary } from '../modelFiles/graphSummary.ts';
import { kernelOperator } from '../runtime/kernelLibrary.ts';
import { intAttribute, readInt } from './graphEdit.ts';
import type { OnnxGraph, OnnxModel, OnnxNode } from './onnxModel.ts';
import { readTensorHeader } from './tensorProto.ts';
import { WireWriter } from './wire.ts';

const blockSizes = new Set([32, 64, 128]);
/** Activations in 8 bits. */
const int8Level = 4;
const float32 = 1;
const uint8 = 2;

/** Whether a graph may have products that the kernel takes. */
export function mayUseInt4Kernel({ integers }: GraphSummary): boolean {
	const has = (name: string, value: number): boolean =>
		integers.get(`MatMulNBits.${name}`)?.has(value) === true;
	return (
		has('bits', 4) &&
		has('accuracy_level', int8Level) &&
		[...blockSizes].some((size) => has('block_size', size))
	);
}

/** Changes the graph in place. Returns why nothing was changed, or `undefined` when something was. */
export function useInt4Kernel(model: OnnxModel): string | undefined {
	const types = new Map<string, number>();
	const found = collect(model.graph, types);
	const nodes = found.filter((node) => fits(node, types));
	if (nodes.length === 0) return 'no product of 4-bit weights suits the kernel';
	for (const node of nodes) replace(node);
	const { domain } = kernelOperator;
	const id = new WireWriter().text(1, domain).int(2, 1).finish();
	(model.rest as Uint8Array[]).push(new WireWriter().bytes(8, id).finish());
	return undefined;
}

/** The MatMulNBits of a graph and its subgraphs; fills in the element types of their weights. */
function collect(graph: OnnxGraph, types: Map<string, number>): OnnxNode[] {
	for (const { name, bytes } of graph.initializers)
		types.set(name, readTensorHeader(bytes).dataType);
	return graph.nodes.flatMap((node) => [
		...(node.op === 'MatMulNBits' ? [node] : []),
		...node.attributes.flatMap(({ graph: inner }) =>
			inner === undefined ? [] : collect(inner, types),
		),
	]);
}

function fits(node: OnnxNode, types: ReadonlyMap<string, number>): boolean {
	const [, weights = '', scales = '', zeros = '', order = '', bias = ''] = node.inputs;
	return (
		(readInt(node, 'bits') ?? 4) === 4 &&
		blockSizes.has(readInt(node, 'block_size') ?? 0) &&
		readInt(node, 'accuracy_level') === int8Level &&
		types.get(weights) === uint8 &&
		types.get(scales) === float32 &&
		(zeros === '' || types.get(zeros) === uint8) &&
		order === '' &&
		bias === ''
	);
}

/** The operator's inputs: activations, weights, scales, zero points. */
function replace(node: OnnxNode): void {
	const inputs = node.inputs.slice(0, 4);
	if (inputs[3] === '') inputs.pop();
	const attributes = ['K', 'N', 'block_size'].map((name) =>
		intAttribute(name, readInt(node, name) ?? 0),
	);
	// Without zero points of their own, 8 stands for zero.
	Object.assign(node, {
		...kernelOperator,
		inputs,
		attributes: [...attributes, intAttribute('zero_point', 8)],
	});
}
