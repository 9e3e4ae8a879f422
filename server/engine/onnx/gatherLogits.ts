/**
 * Rewrite: only the wanted positions go through the head. `Gather(hidden, logits_index)` is put before the
 * matrix product that makes the logits; for a long prompt that is most of the work saved.
 */

import { pushAll } from '../../protocol/lists.ts';
import {
	constantTensor,
	intAttribute,
	makeNode,
	producers,
	readInt,
	readInts,
	reads,
	removeDead,
} from './graphEdit.ts';
import type { OnnxGraph, OnnxNode } from './onnxModel.ts';
import { tensorNumbers } from './tensorProto.ts';

/** Name of the input added: int64 `[count]`, indices into the tokens of the run. */
const logitsIndex = 'logits_index';

const heads = new Set(['MatMul', 'MatMulNBits', 'Gemm', 'FusedMatMul']);
/** Ops between head and logits that work on each entry by itself. */
const elementwise = new Set(['Cast', 'Mul', 'Div', 'Tanh', 'Add', 'Sub', 'Identity']);

/**
 * Changes the graph in place. Returns why it cannot be done, or `undefined` when it was.
 * Dynamic int8 gives other results then, unless it is quantized per token.
 */
export function gatherLogits(graph: OnnxGraph): string | undefined {
	const made = producers(graph);
	const head = findHead(graph, made, 'logits');
	if (head === undefined) return 'the logits do not come from one matrix product';
	const read = head.inputs[0] as string;
	let hidden = read;
	// A graph that keeps the last N positions does it with a Slice in the same place: the Gather replaces it.
	const before = made.get(hidden);
	const keeps = graph.inputs.some(({ name }) => name === 'num_logits_to_keep');
	if (keeps && before?.op === 'Slice') hidden = before.inputs[0] as string;
	else if (keeps) return 'num_logits_to_keep is used in an unknown way';
	else hidden = beforeLastRow(graph, made, hidden) ?? hidden;
	const logits = graph.outputs.find(({ name }) => name === 'logits')?.dims;
	const givesLast = logits?.length === 2 || Number(logits?.[1]) === 1;
	if (givesLast && hidden === head.inputs[0]) return 'it selects the last token in an unknown way';
	const gathered = `${hidden}/gathered`;
	const gather = makeNode('Gather', [hidden, logitsIndex], [gathered], [intAttribute('axis', 1)]);
	// A head of several products, such as one with what its blocks leave over, reads the same states in each.
	const after = between(made, read, 'logits');
	const first = graph.nodes.findIndex((node) => after.has(node) && node.inputs.includes(read));
	for (const node of after)
		node.inputs = node.inputs.map((input) => (input === read ? gathered : input));
	graph.nodes.splice(first, 0, gather);
	graph.inputs.push({ name: logitsIndex, elementType: 7, dims: ['logits_count'] });
	graph.outputs = graph.outputs.map((output) =>
		output.name === 'logits'
			? { ...output, dims: [output.dims?.[0], 'logits_count', output.dims?.at(-1)] }
			: output,
	);
	removeDead(graph);
	return undefined;
}

/** The nodes on the ways from one value to another. */
function between(made: ReadonlyMap<string, OnnxNode>, from: string, to: string): Set<OnnxNode> {
	const found = new Set<OnnxNode>();
	const queue = [to];
	for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
		const node = name === from ? undefined : made.get(name);
		if (node === undefined || found.has(node)) continue;
		found.add(node);
		pushAll(queue, reads(node));
	}
	return found;
}

/**
 * The hidden states of all tokens, where `name` are those of the last one: `Gather(-1)` on the axis of the
 * tokens, with or without the axis put back by an Unsqueeze, or a Slice that begins at -1.
 */
function beforeLastRow(
	graph: OnnxGraph,
	made: ReadonlyMap<string, OnnxNode>,
	name: string,
): string | undefined {
	const constants = constantReader(graph, made);
	const last = made.get(name);
	const node = last?.op === 'Unsqueeze' ? made.get(last.inputs[0] ?? '') : last;
	if (last === undefined || node === undefined) return undefined;
	const [hidden, first] = node.inputs;
	if (constants(first)?.join() !== '-1') return undefined;
	if (node.op === 'Gather') {
		const axes = last === node ? [1] : (constants(last.inputs[1]) ?? readInts(last, 'axes'));
		return readInt(node, 'axis') === 1 && axes?.join() === '1' ? hidden : undefined;
	}
	const [ends, axes, steps = [1]] = node.inputs.slice(2).map(constants);
	const isLastRow = axes?.join() === '1' && steps.join() === '1' && (ends?.[0] ?? 0) >= 2 ** 31 - 1;
	return node.op === 'Slice' && last === node && isLastRow ? hidden : undefined;
}

/** Reads small constants, kept as weights or as nodes. */
function constantReader(
	graph: OnnxGraph,
	made: ReadonlyMap<string, OnnxNode>,
): (name: string | undefined) => number[] | undefined {
	const weights = new Map(graph.initializers.map(({ name, bytes }) => [name, bytes] as const));
	return (name = '') => {
		const node = made.get(name);
		const bytes = node?.op === 'Constant' ? constantTensor(node) : weights.get(name);
		return bytes === undefined ? undefined : tensorNumbers(bytes);
	};
}

/** What quantises the hidden state for the head, and for nothing else. */
function quantiserOf(
	graph: OnnxGraph,
	made: ReadonlyMap<string, OnnxNode>,
	head: OnnxNode,
): OnnxNode | undefined {
	const node = made.get(head.inputs[0] ?? '');
	if (node?.op !== 'DynamicQuantizeLinear') return undefined;
	const users = graph.nodes.filter((one) => reads(one).some((name) => node.outputs.includes(name)));
	return users.every((one) => one === head || one.op === 'Mul') && users.length === 2
		? node
		: undefined;
}

function findHead(
	graph: OnnxGraph,
	made: ReadonlyMap<string, OnnxNode>,
	output: string,
): OnnxNode | undefined {
	let name = output;
	for (let steps = 0; steps < 12; steps++) {
		const node = made.get(name);
		if (node === undefined) return undefined;
		if (heads.has(node.op)) return node;
		if (node.op === 'MatMulInteger') return quantiserOf(graph, made, node);
		if (!elementwise.has(node.op)) return undefined;
		// Of two operands one is a constant or a bias; the other leads to the head.
		const next = node.inputs.find((input) => made.has(input) && made.get(input)?.op !== 'Constant');
		if (next === undefined) return undefined;
		name = next;
	}
	return undefined;
}
