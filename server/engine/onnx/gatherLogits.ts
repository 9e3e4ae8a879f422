/**
 * Rewrite: only the wanted rows go through the head. `Gather(hidden, logits_index)` is put before the
 * matrix product that makes the logits; for a long prompt that is most of the work saved.
 */

import { intAttribute, makeNode, producers, reads, removeDead } from './graphEdit.ts';
import type { OnnxGraph, OnnxNode } from './onnxModel.ts';

/** Name of the input added: int64 `[count]`, indices into the tokens of the run. */
export const logitsIndex = 'logits_index';

const heads = new Set(['MatMul', 'MatMulNBits', 'Gemm', 'FusedMatMul']);
/** Ops between head and logits that work on each entry by itself. */
const elementwise = new Set(['Cast', 'Mul', 'Div', 'Tanh', 'Add', 'Sub', 'Identity']);

/**
 * Changes the graph in place. Returns why it cannot be done, or `undefined` when it was.
 * Dynamic int8 gives other results then, unless each row has a scale of its own.
 */
export function gatherLogits(graph: OnnxGraph): string | undefined {
	const made = producers(graph);
	const head = findHead(graph, made, 'logits');
	if (head === undefined) return 'the logits do not come from one matrix product';
	let hidden = head.inputs[0] as string;
	// A graph that keeps the last N rows does it with a Slice in the same place: the Gather replaces it.
	const before = made.get(hidden);
	const keeps = graph.inputs.some(({ name }) => name === 'num_logits_to_keep');
	if (keeps && before?.op === 'Slice') hidden = before.inputs[0] as string;
	else if (keeps) return 'num_logits_to_keep is used in an unknown way';
	const gathered = `${hidden}/gathered`;
	const gather = makeNode('Gather', [hidden, logitsIndex], [gathered], [intAttribute('axis', 1)]);
	graph.nodes.splice(graph.nodes.indexOf(head), 0, gather);
	head.inputs[0] = gathered;
	graph.inputs.push({ name: logitsIndex, elementType: 7, dims: ['logits_count'] });
	graph.outputs = graph.outputs.map((output) =>
		output.name === 'logits'
			? { ...output, dims: [output.dims?.[0], 'logits_count', output.dims?.[2]] }
			: output,
	);
	removeDead(graph);
	return undefined;
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
