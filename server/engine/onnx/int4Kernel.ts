/**
 * Rewrite: products of 4-bit weights by the engine's own operator instead of MatMulNBits, whose inputs and
 * layout it takes as they are. Only of nodes that already ask for 8-bit activations: no rewrite makes what
 * a model computes less exact. Products of float16 numbers are computed in float32, between casts.
 */

import type { GraphSummary } from '../modelFiles/graphSummary.ts';
import { kernelOperator } from '../runtime/kernelLibrary.ts';
import { intAttribute, makeNode, readInt } from './graphEdit.ts';
import type { OnnxGraph, OnnxModel, OnnxNode } from './onnxModel.ts';
import { readTensorHeader } from './tensorProto.ts';
import { WireWriter } from './wire.ts';

const blockSizes = new Set([32, 64, 128]);
/** Activations in 8 bits. */
const int8Level = 4;
const float32 = 1;
const uint8 = 2;
const float16 = 10;

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
	if (!useInGraph(model.graph, new Map())) return 'no product of 4-bit weights suits the kernel';
	const { domain } = kernelOperator;
	const id = new WireWriter().text(1, domain).int(2, 1).finish();
	(model.rest as Uint8Array[]).push(new WireWriter().bytes(8, id).finish());
	return undefined;
}

/**
 * Changes a graph and its subgraphs; false when nothing was.
 * @param outer element types of the weights that the graphs around it give
 */
function useInGraph(graph: OnnxGraph, outer: ReadonlyMap<string, number>): boolean {
	const types = new Map(outer);
	for (const { name, bytes } of graph.initializers)
		types.set(name, readTensorHeader(bytes).dataType);
	let isChanged = false;
	const casts = new Set<string>();
	graph.nodes = graph.nodes.flatMap((node) => {
		for (const { graph: inner } of node.attributes)
			if (inner !== undefined && useInGraph(inner, types)) isChanged = true;
		if (node.op !== 'MatMulNBits' || !fits(node, types)) return [node];
		isChanged = true;
		const isHalf = types.get(node.inputs[2] ?? '') === float16;
		replace(node);
		return isHalf ? inFloat32(node, casts) : [node];
	});
	return isChanged;
}

/**
 * A product of float16 numbers as one of float32 ones. The cast of its scales is made once, when the graph is opened.
 * @param casts what has been cast already
 */
function inFloat32(node: OnnxNode, casts: Set<string>): OnnxNode[] {
	const before: OnnxNode[] = [];
	for (const at of [0, 2]) {
		const name = node.inputs[at] as string;
		const wide = `${name}/float32`;
		node.inputs[at] = wide;
		if (casts.has(wide)) continue;
		casts.add(wide);
		before.push(makeNode('Cast', [name], [wide], [intAttribute('to', float32)]));
	}
	const output = node.outputs[0] as string;
	const wide = `${output}/float32`;
	node.outputs[0] = wide;
	return [...before, node, makeNode('Cast', [wide], [output], [intAttribute('to', float16)])];
}

function fits(node: OnnxNode, types: ReadonlyMap<string, number>): boolean {
	const [, weights = '', scales = '', zeros = '', order = '', bias = ''] = node.inputs;
	return (
		(readInt(node, 'bits') ?? 4) === 4 &&
		blockSizes.has(readInt(node, 'block_size') ?? 0) &&
		readInt(node, 'accuracy_level') === int8Level &&
		types.get(weights) === uint8 &&
		[float32, float16].includes(types.get(scales) ?? 0) &&
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
