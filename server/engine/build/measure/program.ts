/** A graph as a list of steps in which every product with a matrix is one, whatever the nodes that make it. */

import type { OnnxGraph, OnnxNode } from '../../onnx/onnxModel.ts';
import type { GraphMatrices } from '../graph/graphWriter.ts';

export type Step =
	| { readonly kind: 'node'; readonly node: OnnxNode }
	/** One of two weights of the graph, by a condition. */
	| { readonly kind: 'choice'; readonly node: OnnxNode }
	| {
			readonly kind: 'product';
			readonly output: string;
			readonly x: string;
			readonly weight: string;
	  }
	| {
			readonly kind: 'gather';
			readonly output: string;
			readonly ids: string;
			readonly weight: string;
	  };

/** The steps that the output needs, in order. */
export function programOf(
	graph: OnnxGraph,
	{ products, gathers }: GraphMatrices,
	output: string,
): Step[] {
	const steps: Step[] = [];
	const needed = new Set([output]);
	for (const node of [...graph.nodes].reverse()) {
		const wanted = node.outputs.find((name) => needed.has(name));
		if (wanted === undefined) continue;
		const step = stepOf(node, wanted);
		steps.push(step);
		for (const name of readsOf(step)) needed.add(name);
	}
	return steps.reverse();

	function stepOf(node: OnnxNode, wanted: string): Step {
		const product = products.get(wanted);
		if (product !== undefined) return { kind: 'product', output: wanted, ...product };
		const gather = gathers.get(wanted);
		if (gather !== undefined) return { kind: 'gather', output: wanted, ...gather };
		return { kind: node.op === 'If' ? 'choice' : 'node', node };
	}
}

/** Values that a step reads; weights of the graph are among them. */
export function readsOf(step: Step): readonly string[] {
	switch (step.kind) {
		case 'product':
			return [step.x];
		case 'gather':
			return [step.ids];
		default:
			return step.node.inputs.filter((name) => name !== '');
	}
}

/** How many steps read each value. */
export function countReads(steps: readonly Step[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const step of steps)
		for (const name of readsOf(step)) counts.set(name, (counts.get(name) ?? 0) + 1);
	return counts;
}
