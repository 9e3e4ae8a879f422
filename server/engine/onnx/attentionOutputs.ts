/**
 * Rewrite: cross-attention weights become outputs `cross_attentions.N`, for word alignment and word
 * times. The weights are what the Softmax of each cross-attention gives; nothing is computed twice.
 * Where attention is one fused operator, its fourth output are the scores before the softmax: these
 * become outputs `cross_scores.N`.
 */

import type { OnnxGraph, OnnxNode, OnnxValue } from './onnxModel.ts';

/** Name of a layer's output. */
function attentionOutput(layer: number): string {
	return `cross_attentions.${layer}`;
}

/** Name of the output of a layer whose attention is fused. */
export function scoreOutput(layer: number | '%d'): string {
	return `cross_scores.${layer}`;
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
		if (found.size === 0) return addFusedOutputs(graph);
		for (const [layer, node] of found) {
			rename(graph, node.outputs[0] as string, attentionOutput(layer));
			graph.outputs.push(shapeless(attentionOutput(layer)));
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
			branch.outputs.push(shapeless(found[index]?.get(layer)?.outputs[0] as string));
		}
		branching.outputs.push(attentionOutput(layer));
		graph.outputs.push(shapeless(attentionOutput(layer)));
	}
	return undefined;
}

function addFusedOutputs(graph: OnnxGraph): string | undefined {
	const fused = fusedCrossAttentions(graph);
	if (fused.size === 0) return 'no cross-attention was recognised';
	for (const [layer, { node, elementType }] of fused) {
		const [output = '', key = '', value = ''] = node.outputs;
		node.outputs = [output, key, value, scoreOutput(layer)];
		// The runtime does not infer the type of this output.
		graph.outputs.push({ name: scoreOutput(layer), elementType, dims: undefined });
	}
	return undefined;
}

/** Layer → MultiHeadAttention whose keys are a cache of the encoder's. */
function fusedCrossAttentions(
	graph: OnnxGraph,
): Map<number, { readonly node: OnnxNode; readonly elementType: number }> {
	const inputs = new Map(graph.inputs.map(({ name, elementType }) => [name, elementType]));
	const found = new Map<number, { node: OnnxNode; elementType: number }>();
	for (const node of graph.nodes) {
		const key = node.inputs[1] ?? '';
		const elementType = inputs.get(key);
		if (node.op !== 'MultiHeadAttention' || elementType === undefined) continue;
		const layer = /(\d+)(?!.*\d)/.exec(key)?.[1];
		if (layer !== undefined) found.set(Number(layer), { node, elementType });
	}
	return found;
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
function shapeless(name: string): OnnxValue {
	return { name, elementType: 0, dims: undefined };
}
