/**
 * Rewrite: cross-attention weights become outputs `cross_attentions.N`, for word alignment and word
 * times. The weights are what the Softmax of each cross-attention gives; nothing is computed twice.
 */

import type { OnnxGraph, OnnxNode, OnnxValue } from './onnxModel.ts';

/** Name of a layer's output. */
export function attentionOutput(layer: number): string {
	return `cross_attentions.${layer}`;
}

/** Changes the graph in place. Returns why it cannot be done, or `undefined` when it was. */
export function addAttentionOutputs(graph: OnnxGraph): string | undefined {
	if (graph.outputs.some(({ name }) => name.startsWith('cross_attentions'))) {
		return 'the graph has these outputs already';
	}
	const branching = graph.nodes.find(({ op, attributes }) => {
		return op === 'If' && attributes.filter((one) => one.graph !== undefined).length === 2;
	});
	if (branching === undefined) {
		const found = crossSoftmaxes(graph);
		if (found.size === 0) return 'no cross-attention was recognised';
		for (const [layer, node] of found) {
			rename(graph, node.outputs[0] as string, attentionOutput(layer));
			graph.outputs.push(value(attentionOutput(layer)));
		}
		return undefined;
	}
	const branches = branching.attributes.flatMap((one) =>
		one.graph === undefined ? [] : [one.graph],
	);
	const found = branches.map(crossSoftmaxes);
	const layers = [...(found[0]?.keys() ?? [])];
	if (layers.length === 0 || found.some((one) => layers.join() !== [...one.keys()].join())) {
		return 'the branches of the decoder do not have the same cross-attentions';
	}
	for (const layer of layers) {
		for (const [index, branch] of branches.entries()) {
			branch.outputs.push(value(found[index]?.get(layer)?.outputs[0] as string));
		}
		branching.outputs.push(attentionOutput(layer));
		graph.outputs.push(value(attentionOutput(layer)));
	}
	return undefined;
}

/** Layer → Softmax of its cross-attention, by the module names exporters keep in node names. */
function crossSoftmaxes(graph: OnnxGraph): Map<number, OnnxNode> {
	const found = new Map<number, OnnxNode>();
	for (const node of graph.nodes) {
		if (node.op !== 'Softmax') continue;
		const name = `${node.name} ${node.outputs[0] ?? ''}`;
		if (!/encoder_attn|encdecattention|crossattention|cross_attn/i.test(name)) continue;
		const layer = /(?:layers|block|layer)[._](\d+)/i.exec(name)?.[1];
		if (layer !== undefined && !found.has(Number(layer))) found.set(Number(layer), node);
	}
	return new Map([...found].sort(([a], [b]) => a - b));
}

function rename(graph: OnnxGraph, from: string, to: string): void {
	for (const node of graph.nodes) {
		node.inputs = node.inputs.map((name) => (name === from ? to : name));
		node.outputs = node.outputs.map((name) => (name === from ? to : name));
	}
}

/** Rank and precision differ between exporters, so both are left to be inferred. */
function value(name: string): OnnxValue {
	return { name, elementType: 0, dims: undefined };
}
