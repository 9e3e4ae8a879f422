/**
 * Rewrite: products of 4-bit weights take activations in single precision (accuracy level 1) instead of 8 bits. On the
 * CPU that is exact but for rounding, and slower. Weights of 8 bits stay as they are: ONNX Runtime has no such kernel
 * for them.
 */

import { type GraphSummary, readGraphSummary } from '../modelFiles/graphSummary.ts';
import { hasPerTensorScales } from '../modelFiles/precision.ts';
import { intAttribute, readInt } from './graphEdit.ts';
import type { OnnxGraph } from './onnxModel.ts';

/** Accuracy levels of MatMulNBits. */
const float32Level = 1;
const int8Level = 4;

/** Whether a graph may have products of 4-bit weights with activations in 8 bits. */
export function mayTakeExactActivations(summary: GraphSummary): boolean {
	const { integers } = summary;
	return (
		!hasPerTensorScales(summary) &&
		integers.get('MatMulNBits.bits')?.has(4) === true &&
		integers.get('MatMulNBits.accuracy_level')?.has(int8Level) === true
	);
}

/** What is said of a model that was to be loaded so, on a processor that may or may not. */
export async function exactNotice(paths: readonly string[], onCpu: boolean): Promise<string> {
	if (!onCpu) return 'Exact activations are for the CPU only: this model runs as it was published.';
	const summaries = await Promise.all(paths.map((path) => readGraphSummary(path)));
	return summaries.some(mayTakeExactActivations)
		? 'Activations beside 4-bit weights are in single precision, as was asked for: exact, and slower.'
		: 'Exact activations change nothing here: no product of 4-bit weights takes them in 8 bits.';
}

/** Changes the graph and its subgraphs in place. Returns why nothing was changed, or `undefined`. */
export function takeExactActivations(graph: OnnxGraph): string | undefined {
	return changeAll(graph) ? undefined : 'no product of 4-bit weights takes activations in 8 bits';
}

function changeAll({ nodes }: OnnxGraph): boolean {
	let isChanged = false;
	for (const node of nodes) {
		for (const { graph } of node.attributes)
			if (graph !== undefined && changeAll(graph)) isChanged = true;
		const isMeant =
			node.op === 'MatMulNBits' &&
			(readInt(node, 'bits') ?? 4) === 4 &&
			readInt(node, 'accuracy_level') === int8Level;
		if (!isMeant) continue;
		isChanged = true;
		node.attributes = [
			...node.attributes.filter(({ name }) => name !== 'accuracy_level'),
			intAttribute('accuracy_level', float32Level),
		];
	}
	return isChanged;
}
