/** Precision of a graph whose file name does not say it: read from its ops and element types. */

import type { Precision } from '../../protocol/index.ts';
import type { GraphSummary } from './graphSummary.ts';

/** ONNX element type of IEEE half precision. */
export const float16 = 10;

/** Precision as the published suffixes name it. */
export function graphPrecision(graph: GraphSummary): Precision {
	const bits = graph.integers.get('MatMulNBits.bits') ?? new Set<number>();
	const halfPrecision = graph.outputs.some((output) => output.elementType === float16);
	if (graph.ops.has('com.microsoft:MatMulBnb4')) return 'bnb4';
	if (bits.has(4) || graph.ops.has('com.microsoft:QMoE')) return halfPrecision ? 'q4f16' : 'q4';
	if (bits.has(8) || hasIntegerMatMul(graph)) return 'q8';
	const weights = graph.weightTypes;
	return halfPrecision || (weights.get(float16) ?? 0) > (weights.get(1) ?? 0) ? 'fp16' : 'fp32';
}

/** Whether activations are quantised while running: as published, results depend on what is batched together. */
export function hasPerTensorScales({ ops }: GraphSummary): boolean {
	return [...ops.keys()].some((op) => op.includes('DynamicQuantize'));
}

function hasIntegerMatMul({ ops }: GraphSummary): boolean {
	return ops.has('MatMulInteger') || ops.has('com.microsoft:DynamicQuantizeMatMul');
}
