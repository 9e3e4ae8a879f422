/**
 * Rewrite: attention that an exporter spelled out (concatenate, multiply, scale before or after, mask,
 * softmax, multiply) becomes GroupQueryAttention, so that caches are kept in place and sequences can be packed. Graphs
 * in float16 whose caches are float32 attend in float32. Whoever uses the result compares it with the original first:
 * scale and mask are taken to be the usual ones.
 */

import { pushAll } from '../../protocol/lists.ts';
import { intAttribute, makeNode, producers, removeDead } from './graphEdit.ts';
import type { OnnxGraph, OnnxNode } from './onnxModel.ts';
import { int64Tensor } from './tensorProto.ts';

interface Layer {
	readonly past: readonly [key: string, value: string];
	readonly present: readonly [key: string, value: string];
	/** New keys and values, `[batch, kvHeads, tokens, headSize]`. */
	readonly fresh: readonly [key: string, value: string];
	readonly query: string;
	/** What the attention gives, `[batch, tokens, hidden]`, and the node that makes it. */
	readonly result: string;
	readonly last: OnnxNode;
	readonly kvHeads: number;
	/** The graph computes in float16, and casts the caches from float32 and back. */
	readonly isCast: boolean;
}

/** Element types of ONNX. */
const float32 = 1;
const float16 = 10;

const mask = 'attention_mask';

/** How exporters repeat keys and values for the query heads that share them. */
const repeating = new Set(['Unsqueeze', 'Expand', 'Tile', 'Reshape', 'Cast']);

/** Changes the graph in place. Returns why it cannot be done, or `undefined` when it was. */
export function fuseAttention(graph: OnnxGraph, heads: number): string | undefined {
	if (!graph.inputs.some(({ name }) => name === mask)) return 'the graph has no attention_mask';
	const layers: Layer[] = [];
	for (const { name, dims, elementType } of graph.inputs) {
		if (!/^past_key_values\.\d+\.key$/.test(name)) continue;
		const layer = readLayer(graph, name, Number(dims?.[1]), elementType === float32);
		if (typeof layer === 'string') return `${name}: ${layer}`;
		layers.push(layer);
	}
	if (layers.length === 0) return 'no caches were recognised';
	const removed = new Set(layers.map(({ last }) => last));
	const shared = lengths(graph);
	const added: OnnxNode[] = [];
	for (const layer of layers) added.push(...attention(layer, heads));
	const concatenations = new Set(layers.flatMap(({ present }) => present));
	graph.nodes = [
		...shared,
		...graph.nodes.filter(
			(node) => !removed.has(node) && !node.outputs.some((name) => concatenations.has(name)),
		),
		...added,
	];
	graph.initializers.push(int64Tensor('nearglot/flat', [0, 0, -1], [3]));
	removeDead(graph);
	const pasts = new Set(layers.flatMap(({ past }) => past));
	const reader = graph.nodes.find(
		({ op, inputs }) => op !== 'GroupQueryAttention' && inputs.some((name) => pasts.has(name)),
	);
	if (reader !== undefined) return `${reader.name} reads the size of the cache`;
	return sortNodes(graph);
}

function readLayer(
	graph: OnnxGraph,
	key: string,
	kvHeads: number,
	mayCast: boolean,
): Layer | string {
	const value = key.replace(/key$/, 'value');
	const made = producers(graph);
	const present = [key, value].map((name) => name.replace('past_key_values', 'present'));
	const outputs = present.map((name) => made.get(name));
	const isCast = mayCast && outputs.every((node) => node?.op === 'Cast');
	const joins = outputs.map((node) => (isCast ? made.get(node?.inputs[0] as string) : node));
	const [keyJoin, valueJoin] = joins;
	if (keyJoin?.op !== 'Concat' || valueJoin?.op !== 'Concat')
		return 'the cache is not a concatenation';
	const [firstKey, firstValue] = [keyJoin, valueJoin].map(({ inputs: [first = ''] }) => {
		const cast = isCast ? made.get(first) : undefined;
		return cast?.op === 'Cast' ? cast.inputs[0] : first;
	});
	if (firstKey !== key || firstValue !== value) return 'the past does not come first';
	if (!(kvHeads > 0)) return 'the number of heads is not fixed';
	const mixed = readersUntil(graph, valueJoin.outputs[0] as string, 'MatMul');
	if (mixed === undefined) return 'no product with the values was found';
	const softmax = made.get(skip(made, mixed.inputs[0] as string, ['Where', 'Cast', 'Dropout'], 2));
	if (softmax?.op !== 'Softmax') return 'no softmax was found';
	const scores = made.get(
		skip(made, softmax.inputs[0] as string, ['Add', 'Cast', 'Mul', 'Div'], 0),
	);
	if (scores?.op !== 'MatMul') return 'the scores are not a product with a mask added';
	// Instead of repeating keys and values, some reshape the queries into the groups that share them.
	const query = skip(made, scores.inputs[0] as string, ['Mul', 'Div', 'Reshape', 'Cast'], 0);
	const ungrouped = graph.nodes.find(
		({ op, inputs }) => op === 'Reshape' && inputs[0] === mixed.outputs[0],
	);
	const transposed = graph.nodes.find(
		({ op, inputs }) => op === 'Transpose' && inputs[0] === (ungrouped ?? mixed).outputs[0],
	);
	const last = graph.nodes.find(
		({ op, inputs }) => op === 'Reshape' && inputs[0] === transposed?.outputs[0],
	);
	if (last === undefined) return 'the result is not put together as usual';
	return {
		past: [key, value],
		present: [present[0] as string, present[1] as string],
		fresh: [keyJoin.inputs[1] as string, valueJoin.inputs[1] as string],
		query,
		result: last.outputs[0] as string,
		last,
		kvHeads,
		isCast,
	};
}

/** The first node of this kind reached from a value through reshaping alone. */
function readersUntil(graph: OnnxGraph, name: string, op: string, steps = 8): OnnxNode | undefined {
	const readers = graph.nodes.filter(({ inputs }) => inputs.includes(name));
	const found = readers.find((node) => node.op === op && node.inputs[1] === name);
	if (found !== undefined || steps === 1) return found;
	for (const { op: kind, inputs, outputs } of readers) {
		const isReshaped =
			inputs[0] === name &&
			(repeating.has(kind) || (kind === 'Concat' && inputs.every((one) => one === name)));
		const further = isReshaped && readersUntil(graph, outputs[0] as string, op, steps - 1);
		if (further) return further;
	}
	return undefined;
}

/** Walks back over nodes of these kinds along one input. */
function skip(
	made: ReadonlyMap<string, OnnxNode>,
	from: string,
	ops: readonly string[],
	input: number,
): string {
	let name = from;
	for (let steps = 0; steps < 3; steps++) {
		const node = made.get(name);
		if (node === undefined || !ops.includes(node.op)) return name;
		const at = node.op === 'Cast' ? 0 : input;
		name = node.inputs[at] as string;
	}
	return name;
}

/** Nodes for the lengths, shared by all layers: total − 1 of every sequence, and the total. */
function lengths(graph: OnnxGraph): OnnxNode[] {
	const axis = int64Tensor('nearglot/axis', [1], [1]);
	const one = int64Tensor('nearglot/one', [1], [1]);
	graph.initializers.push(axis, one);
	return [
		makeNode('ReduceSum', [mask, axis.name], ['nearglot/sum'], [intAttribute('keepdims', 0)]),
		makeNode('Sub', ['nearglot/sum', one.name], ['nearglot/last']),
		makeNode('Cast', ['nearglot/last'], ['nearglot/rows'], [intAttribute('to', 6)]),
		makeNode('Shape', [mask], ['nearglot/shape']),
		makeNode('Gather', ['nearglot/shape', one.name], ['nearglot/width'], [intAttribute('axis', 0)]),
		makeNode('Cast', ['nearglot/width'], ['nearglot/width32'], [intAttribute('to', 6)]),
	];
}

function attention(
	{ past, present, fresh, query, result, kvHeads, isCast }: Layer,
	heads: number,
): OnnxNode[] {
	const nodes: OnnxNode[] = [];
	const cast = (from: string, to: string, type: number): string => {
		nodes.push(makeNode('Cast', [from], [to], [intAttribute('to', type)]));
		return to;
	};
	const flat = (name: string): string => {
		const transposed = `${name}/turned`;
		const whole = `${result}/${name}/flat`;
		nodes.push(
			makeNode('Transpose', [name], [`${result}/${transposed}`], [permutation()]),
			makeNode('Reshape', [`${result}/${transposed}`, 'nearglot/flat'], [whole]),
		);
		return isCast ? cast(whole, `${whole}/wide`, float32) : whole;
	};
	const attended = isCast ? `${result}/wide` : result;
	const inputs = [query, ...fresh].map(flat);
	nodes.push(
		makeNode(
			'GroupQueryAttention',
			[...inputs, ...past, 'nearglot/rows', 'nearglot/width32'],
			[attended, ...present],
			[intAttribute('num_heads', heads), intAttribute('kv_num_heads', kvHeads)],
			'com.microsoft',
		),
	);
	if (isCast) cast(attended, result, float16);
	return nodes;
}

/** `perm = [0, 2, 1, 3]`. */
function permutation() {
	// AttributeProto: name 1, ints 8, type 20 (INTS = 7).
	const bytes = Uint8Array.from([
		0x0a, 4, 0x70, 0x65, 0x72, 0x6d, 0x40, 0, 0x40, 2, 0x40, 1, 0x40, 3, 0xa0, 1, 7,
	]);
	return { name: 'perm', bytes };
}

/** Puts nodes after what they read. Returns a reason when that is impossible. */
function sortNodes(graph: OnnxGraph): string | undefined {
	const made = producers(graph);
	const done = new Set<OnnxNode>();
	const open = new Set<OnnxNode>();
	const order: OnnxNode[] = [];
	const stack = [...graph.nodes].reverse();
	for (let node = stack[stack.length - 1]; node !== undefined; node = stack[stack.length - 1]) {
		const waiting = node.inputs
			.map((name) => made.get(name))
			.filter((one): one is OnnxNode => one !== undefined && !done.has(one));
		if (done.has(node) || waiting.length === 0) {
			stack.pop();
			if (!done.has(node)) order.push(node);
			done.add(node);
			continue;
		}
		if (open.has(node)) return 'the graph would have a cycle';
		open.add(node);
		pushAll(stack, waiting);
	}
	graph.nodes = order;
	return undefined;
}
