/**
 * One decoder graph with two branches (`use_cache_branch`), as transformers.js wants it, out of the two
 * graphs that the random models are made as. Both draw the same weights, which are kept once.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { makeNode } from '../server/engine/onnx/graphEdit.ts';
import {
	decodeModel,
	encodeModel,
	type OnnxGraph,
	type OnnxTensor,
	type OnnxValue,
} from '../server/engine/onnx/onnxModel.ts';
import { readTensorHeader } from '../server/engine/onnx/tensorProto.ts';
import { WireWriter } from '../server/engine/onnx/wire.ts';

/** `TensorProto.DataType`. */
const float = 1;
const bool = 9;
/** `AttributeProto.type` of a graph. */
const graphType = 5;

/** Writes the merged graph beside the first one, whose data file it uses. */
export function mergeDecoders(firstPath: string, laterPath: string, mergedPath: string): void {
	const model = decodeModel(readFileSync(firstPath));
	const later = decodeModel(readFileSync(laterPath)).graph;
	const first = model.graph;
	const weights = first.initializers.filter(isExternal);
	const inputs = new Map([...first.inputs, ...later.inputs].map((value) => [value.name, value]));
	const shared = new Set([...inputs.keys(), ...weights.map(({ name }) => name)]);
	addMissing(later, first.outputs);
	const branches = { then_branch: later, else_branch: first };
	for (const [name, graph] of Object.entries(branches))
		makeBranch(graph, name, shared, first.outputs);
	const outputs = first.outputs;
	model.graph = {
		...first,
		name: 'merged',
		nodes: [
			makeNode(
				'If',
				['use_cache_branch'],
				outputs.map(({ name }) => name),
				Object.entries(branches).map(([name, graph]) => ({
					name,
					graph: { ...graph, outputs: graph.outputs.map((value) => inner(value, name)) },
					bytes: new WireWriter()
						.text(1, name)
						.bytes(6, new Uint8Array(0))
						.int(20, graphType)
						.finish(),
				})),
			),
		],
		inputs: [...inputs.values(), { name: 'use_cache_branch', elementType: bool, dims: [1] }],
		outputs,
		initializers: weights,
	};
	writeFileSync(mergedPath, encodeModel(model));
}

function isExternal({ bytes }: OnnxTensor): boolean {
	return readTensorHeader(bytes).external !== undefined;
}

const inner = (value: OnnxValue, branch: string): OnnxValue => ({
	...value,
	name: `${branch}/${value.name}`,
	dims: undefined,
});

/** The later steps give nothing for the caches of the source: empty tensors, as exports have. */
function addMissing(graph: OnnxGraph, wanted: readonly OnnxValue[]): void {
	const given = new Set(graph.outputs.map(({ name }) => name));
	for (const value of wanted) {
		if (given.has(value.name)) continue;
		const [, heads = 1, , headSize = 1] = value.dims ?? [];
		const dims = [0, Number(heads), 1, Number(headSize)];
		const name = `${value.name}/empty`;
		const tensor = new WireWriter();
		for (const dim of dims) tensor.int(1, dim);
		graph.initializers.push({ name, bytes: tensor.int(2, float).text(8, name).finish() });
		graph.nodes.push(makeNode('Identity', [name], [value.name]));
	}
}

/** Gives what a branch makes names of its own; what it takes from outside keeps its name. */
function makeBranch(
	graph: OnnxGraph,
	branch: string,
	shared: ReadonlySet<string>,
	outputs: readonly OnnxValue[],
): void {
	const own = (name: string): string =>
		name === '' || shared.has(name) ? name : `${branch}/${name}`;
	graph.name = branch;
	graph.inputs = [];
	graph.outputs = [...outputs];
	graph.initializers = graph.initializers
		.filter(({ name }) => !shared.has(name))
		.map(({ name, bytes }) => ({
			name: own(name),
			// The last value of a field counts.
			bytes: new WireWriter().raw(bytes).text(8, own(name)).finish(),
		}));
	graph.nodes = graph.nodes.map((node) => ({
		...node,
		name: own(node.name),
		inputs: node.inputs.map(own),
		outputs: node.outputs.map(own),
	}));
}
