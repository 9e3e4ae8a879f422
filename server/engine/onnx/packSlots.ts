/**
 * Rewrite: "packed slots". The tokens of several sequences run as one sequence `[1, total]`, so matrix
 * products are shared, while every GroupQueryAttention is split into one per slot, each with keys and
 * values of its own. Prompts, decode steps and verified proposals of any length then mix in one run.
 */

import { intAttribute, makeNode, removeDead } from './graphEdit.ts';
import type { OnnxGraph, OnnxNode, OnnxValue } from './onnxModel.ts';

/** Tokens of each slot, int64 `[slots]`, each at least 1. */
export const slotTokens = 'slot_tokens';
/** Total length of each slot after the run minus 1, int32 `[slots]`. */
export const slotSeqlens = 'slot_seqlens';
/** Total length of each slot after the run, int32 `[slots]`. */
export const slotTotals = 'slot_totals';

/** Name of a slot's cache input or output. */
export function slotName(name: string, slot: number): string {
	return `${name}.s${slot}`;
}

/** GroupQueryAttention's inputs by position (onnxruntime contrib operators). */
const keyInput = 3;
const valueInput = 4;
const seqlensInput = 5;
const totalInput = 6;
const int32 = 6;
const int64 = 7;

/** Changes the graph in place. Returns why it cannot be done, or `undefined` when it was. */
export function packSlots(graph: OnnxGraph, slots: number, opset: number): string | undefined {
	if (graph.nodes.some(({ op }) => op === 'If' || op === 'Loop')) {
		return 'the graph chooses between branches by the total length';
	}
	const attention = graph.nodes.filter(({ op }) => op === 'GroupQueryAttention');
	if (attention.length === 0) return 'the graph has no GroupQueryAttention';
	const inputs = new Map(graph.inputs.map((value) => [value.name, value]));
	const outputs = new Map(graph.outputs.map((value) => [value.name, value]));
	const dims = (value: OnnxValue): (number | string | undefined)[] => [
		1,
		value.dims?.[1],
		'slot_capacity',
		value.dims?.[3],
	];
	const newInputs: OnnxValue[] = [
		{ name: slotTokens, elementType: int64, dims: [slots] },
		{ name: slotSeqlens, elementType: int32, dims: [slots] },
		{ name: slotTotals, elementType: int32, dims: [slots] },
	];
	const newOutputs: OnnxValue[] = [];
	const nodes: OnnxNode[] = [
		splitEvenly(slotSeqlens, perSlot('nearglot/seqlens', slots), opset),
		splitEvenly(slotTotals, perSlot('nearglot/totals', slots), opset),
	];
	for (const node of graph.nodes) {
		if (node.op !== 'GroupQueryAttention') {
			nodes.push(node);
			continue;
		}
		const past = [node.inputs[keyInput] ?? '', node.inputs[valueInput] ?? ''];
		const present = [node.outputs[1] ?? '', node.outputs[2] ?? ''];
		const pastValues = past.map((name) => inputs.get(name));
		const presentValues = present.map((name) => outputs.get(name));
		if (pastValues.includes(undefined) || presentValues.includes(undefined)) {
			return `the caches of ${node.name} are not inputs and outputs of the graph`;
		}
		// An attention bias is laid out by batch and total length, which slots do not share.
		if ((node.inputs[10] ?? '') !== '') return `${node.name} has an attention bias`;
		if ((node.inputs[9] ?? '') !== '') return `${node.name} takes its positions as an input`;
		const parts = [0, 1, 2].map((index) => {
			const input = node.inputs[index] ?? '';
			if (input === '') return new Array<string>(slots).fill('');
			const names = perSlot(`${node.outputs[0]}/in${index}`, slots);
			nodes.push(split(input, names, slotTokens));
			return names;
		});
		const results = perSlot(`${node.outputs[0]}/out`, slots);
		for (let slot = 0; slot < slots; slot++) {
			const own = [...node.inputs];
			for (const [index, names] of parts.entries()) own[index] = names[slot] as string;
			own[keyInput] = slotName(past[0] as string, slot);
			own[valueInput] = slotName(past[1] as string, slot);
			own[seqlensInput] = slotName('nearglot/seqlens', slot);
			own[totalInput] = slotName('nearglot/totals', slot);
			nodes.push({
				...node,
				name: `${node.name}.s${slot}`,
				inputs: own,
				outputs: [results[slot] as string, ...present.map((name) => slotName(name, slot))],
			});
			for (const value of pastValues as OnnxValue[]) {
				newInputs.push({ ...value, name: slotName(value.name, slot), dims: dims(value) });
			}
			for (const value of presentValues as OnnxValue[]) {
				newOutputs.push({ ...value, name: slotName(value.name, slot), dims: dims(value) });
			}
		}
		nodes.push(makeNode('Concat', results, [node.outputs[0] as string], [intAttribute('axis', 1)]));
	}
	const replacedIn = new Set(
		attention.flatMap(({ inputs: names }) => [names[keyInput], names[valueInput]]),
	);
	const replacedOut = new Set(attention.flatMap(({ outputs: names }) => [names[1], names[2]]));
	graph.nodes = nodes;
	graph.inputs = [...graph.inputs.filter(({ name }) => !replacedIn.has(name)), ...newInputs];
	graph.outputs = [...graph.outputs.filter(({ name }) => !replacedOut.has(name)), ...newOutputs];
	removeDead(graph);
	return undefined;
}

function perSlot(name: string, slots: number): string[] {
	return Array.from({ length: slots }, (_, slot) => slotName(name, slot));
}

/** Parts of axis 1 with sizes known only at run time. */
function split(input: string, outputs: string[], sizes: string): OnnxNode {
	return makeNode('Split', [input, sizes], outputs, [intAttribute('axis', 1)]);
}

/** Equal parts of axis 0; operator set 18 wants their number said. */
function splitEvenly(input: string, outputs: string[], opset: number): OnnxNode {
	const attributes = [intAttribute('axis', 0)];
	if (opset >= 18) attributes.push(intAttribute('num_outputs', outputs.length));
	return makeNode('Split', [input], outputs, attributes);
}
