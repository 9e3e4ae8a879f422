/**
 * Weights read back out of a plain export, under the names and in the shapes of the checkpoint that it was made
 * from: matrices have been transposed by the exporter, and are known by the node that multiplies by them.
 */

import { join } from 'node:path';
import { loadGraphWithoutWeights } from '../../../server/engine/onnx/graphWithoutWeights.ts';
import type { OnnxGraph, OnnxNode } from '../../../server/engine/onnx/onnxModel.ts';
import { readTensorHeader } from '../../../server/engine/onnx/tensorProto.ts';
import { WeightReader } from '../../../server/engine/onnx/weightReader.ts';
import type { NamedNumbers } from './memorySource.ts';

/** `normOffset`: what the exporter has added to the weights of norms. */
export async function exportedWeights(
	path: string,
	normOffset = 0,
): Promise<Map<string, NamedNumbers>> {
	const { graph } = await loadGraphWithoutWeights(path);
	const weights = new Map(
		graph.initializers.map(({ name, bytes }) => [name, readTensorHeader(bytes)] as const),
	);
	const reader = new WeightReader(path);
	const found = new Map<string, NamedNumbers>();
	const take = async (
		initializer: string,
		name: string,
		change: (given: NamedNumbers) => NamedNumbers,
	) => {
		const header = weights.get(initializer);
		const numbers = header === undefined ? undefined : await reader.floats(header);
		if (header === undefined || numbers === undefined) return;
		found.set(name, change({ shape: header.dims, numbers: numbers.slice() }));
	};
	for (const { op, inputs, outputs } of graph.nodes) {
		// /model/layers.0/self_attn/q_proj/MatMul_output_0
		const match = /^\/(.+)\/(MatMul|Add|Mul_1|Gather)_output_0$/.exec(outputs[0] ?? '');
		const head = outputs[0] === 'logits' ? 'lm_head' : undefined;
		const path = head ?? match?.[1]?.replaceAll('/', '.');
		if (path === undefined) continue;
		const kind = head === undefined ? match?.[2] : op;
		for (const input of inputs) {
			if (!weights.has(input)) continue;
			if (kind === 'MatMul' && op === 'MatMul') await take(input, `${path}.weight`, transposed);
			else if (kind === 'Add' && path.endsWith('_proj'))
				await take(input, `${path}.bias`, (same) => same);
			else if (kind === 'Gather' && path.endsWith('embed_tokens'))
				await take(input, `${path}.weight`, (same) => same);
			else if (kind === 'Mul_1' && path.endsWith('norm'))
				await take(input, `${path}.weight`, ({ shape, numbers }) => ({
					shape,
					numbers: numbers.map((number) => number - normOffset),
				}));
		}
	}
	await reader.close();
	return found;
}

/** Graphs inside graphs, the outer first. */
function nodesOf(graph: OnnxGraph): OnnxNode[] {
	return graph.nodes.flatMap((node) => [
		node,
		...node.attributes.flatMap(({ graph: inner }) => (inner === undefined ? [] : nodesOf(inner))),
	]);
}

/**
 * The same of exports whose weights have names, all but the transposed ones, in graphs with branches as well.
 * @param prefix before the names
 */
export async function exportedModules(
	path: string,
	prefix = '',
): Promise<Map<string, NamedNumbers>> {
	const found = new Map<string, NamedNumbers>();
	const { graph } = await loadGraphWithoutWeights(path);
	const reader = new WeightReader(path);
	const nodes = nodesOf(graph);
	for (const { name, bytes } of graph.initializers) {
		const header = readTensorHeader(bytes);
		const numbers = await reader.floats(header);
		if (numbers === undefined) continue;
		const given = { shape: header.dims, numbers: numbers.slice() };
		const own = name.replace(/_merged_\d$/, '');
		const user = nodes.find(({ inputs }) => inputs.includes(name));
		// /model/decoder/layers.0/fc1/MatMul_output_0
		const module = /^\/(.+)\/MatMul_output_0$/
			.exec(user?.outputs[0] ?? '')?.[1]
			?.replaceAll('/', '.');
		if (!own.startsWith('onnx::'))
			found.set(own === 'final_logits_bias' ? own : `${prefix}${own}`, given);
		else if (user?.op === 'MatMul' && module !== undefined)
			found.set(`${prefix}${module}.weight`, transposed(given));
		else if (user?.op === 'Add' && given.shape.length === 2)
			found.set(`${prefix}embed_positions.weight`, given);
	}
	// Weights that are alike are kept once.
	for (const { op, inputs, outputs } of nodes) {
		const same = op === 'Identity' ? found.get(`${prefix}${inputs[0]}`) : undefined;
		if (same !== undefined) found.set(`${prefix}${outputs[0]}`, same);
	}
	await reader.close();
	return found;
}

/** Those of an encoder and of the decoder beside it. */
export async function exportedSeq2Seq(folder: string): Promise<Map<string, NamedNumbers>> {
	return new Map([
		...(await exportedModules(join(folder, 'encoder_model.onnx'), 'model.encoder.')),
		...(await exportedModules(join(folder, 'decoder_model_merged.onnx'))),
	]);
}

function transposed({ shape, numbers }: NamedNumbers): NamedNumbers {
	const [rows = 0, columns = 0] = shape;
	const turned = new Float32Array(numbers.length);
	for (let row = 0; row < rows; row++)
		for (let column = 0; column < columns; column++)
			turned[column * rows + row] = numbers[row * columns + column] as number;
	return { shape: [columns, rows], numbers: turned };
}
