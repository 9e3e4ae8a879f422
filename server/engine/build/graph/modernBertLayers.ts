/** Embedding and layers of ModernBERT: rotary positions, windows in most layers, gated feed-forward parts. */

import type { ModernBertShape } from '../architectures/modernBertConfig.ts';
import { rowsOf, type SourceTensor } from '../sources/tensorSource.ts';
import {
	attendHeads,
	axisLength,
	type BlockParts,
	layerNorm,
	lowest,
	maskOf,
	pathOf,
	rangeOf,
	scaledHeads,
	splitHeads,
} from './blockParts.ts';
import { writeActivation } from './feedForward.ts';
import { matrixOf, wholeTensor } from './matrix.ts';
import { type RopeNames, rotate, writeRopes } from './ropeNodes.ts';

interface Parts extends BlockParts {
	readonly shape: ModernBertShape;
}

/** @returns vectors of the tokens, `[batch, tokens, hiddenSize]` */
export function writeModernBert(
	parts: Parts,
	{ ids, attended }: { readonly ids: string; readonly attended: string },
): string {
	const { writer, linear, tensors, shape } = parts;
	const { hiddenSize, isLocal } = shape;
	const words = 'embeddings.tok_embeddings';
	const prefix = tensors.find(`model.${words}.weight`) === undefined ? '' : 'model.';
	const name = `${prefix}${words}`;
	const rows = rowsOf(tensors.find(`${name}.weight`)?.shape ?? []);
	const table = matrixOf([wholeTensor(tensors.need(`${name}.weight`, [rows, hiddenSize]))]);
	const found = linear.gather(pathOf(name), ids, linear.store(name, table, 'head'));
	let x = layerNorm(parts, found, `${prefix}embeddings.norm`);
	const ropes = writeRopes(writer, shape, '');
	const everything = maskOf(parts, attended, '/mask');
	const near = isLocal.includes(true) ? windowOf(parts, ids, everything) : everything;
	for (const [layer, local] of isLocal.entries()) {
		const below = `${prefix}layers.${layer}.`;
		// The embedding's norm is that of the first layer.
		const normed = layer === 0 ? x : layerNorm(parts, x, `${below}attn_norm`);
		const mixed = attention(parts, normed, `${below}attn`, {
			rope: ropes[local ? 1 : 0] as RopeNames,
			mask: local ? near : everything,
		});
		const path = pathOf(`${below}residual`);
		x = writer.node('Add', [x, mixed], `${path}/attn/Add/output_0`);
		const fed = gated(parts, layerNorm(parts, x, `${below}mlp_norm`), `${below}mlp`);
		x = writer.node('Add', [x, fed], `${path}/mlp/Add/output_0`);
	}
	return layerNorm(parts, x, `${prefix}final_norm`);
}

/** The mask with all that is further away than the window: `[batch, 1, tokens, tokens]`. */
function windowOf({ writer, shape }: Parts, ids: string, mask: string): string {
	const path = '/window';
	const count = axisLength(writer, ids, 1, `${path}/length`);
	const places = rangeOf(writer, writer.integers([0], []), count, path);
	const column = writer.node(
		'Unsqueeze',
		[places, writer.integers([1])],
		`${path}/Unsqueeze/output_0`,
	);
	const apart = writer.node('Sub', [column, places], `${path}/Sub/output_0`);
	const distance = writer.node('Abs', [apart], `${path}/Abs/output_0`);
	const far = writer.node(
		'Greater',
		[distance, writer.integers([shape.window], [])],
		`${path}/Greater/output_0`,
	);
	const hidden = writer.node(
		'Where',
		[far, writer.float(lowest), writer.float(0)],
		`${path}/Where/output_0`,
	);
	// Not their sum, which is infinite where both hide.
	return writer.node('Min', [mask, hidden], `${path}/Min/output_0`);
}

function attention(
	parts: Parts,
	x: string,
	module: string,
	{ rope, mask }: { readonly rope: RopeNames; readonly mask: string },
): string {
	const { writer, tensors, shape } = parts;
	const { hiddenSize, attentionHeads: heads } = shape;
	const all = tensors.need(`${module}.Wqkv.weight`, [3 * hiddenSize, hiddenSize]);
	const path = pathOf(module);
	const [query, key, value] = ['query', 'key', 'value'].map((own, index) =>
		product(parts, x, `${module}.${own}`, all, index * hiddenSize, (index + 1) * hiddenSize),
	) as [string, string, string];
	const headSize = hiddenSize / heads;
	const sizes = { heads, rotarySize: headSize, headSize };
	const [turnedQuery, turnedKey] = [query, key].map((given, index) =>
		rotate(writer, given, writer.integers([0]), rope, sizes, `${path}/rotary_${index}`),
	) as [string, string];
	return attendHeads(parts, scaledHeads(parts, turnedQuery, heads, `${path}/query`), {
		path,
		out: `${module}.Wo`,
		key: splitHeads(parts, turnedKey, heads, `${path}/key`),
		value: splitHeads(parts, value, heads, `${path}/value`),
		mask,
	});
}

function gated(parts: Parts, x: string, module: string): string {
	const { writer, tensors, shape } = parts;
	const { hiddenSize, innerSize: inner } = shape;
	const both = tensors.need(`${module}.Wi.weight`, [2 * inner, hiddenSize]);
	const path = pathOf(module);
	const given = product(parts, x, `${module}.input`, both, 0, inner);
	const gate = product(parts, x, `${module}.gate`, both, inner, 2 * inner);
	const active = writeActivation(writer, given, shape.activation, path);
	const middle = writer.node('Mul', [active, gate], `${path}/Mul/output_0`);
	const narrow = tensors.need(`${module}.Wo.weight`, [hiddenSize, inner]);
	return product(parts, middle, `${module}.Wo`, narrow, 0, hiddenSize);
}

/** A product with some rows of a tensor. */
function product(
	{ linear }: Parts,
	x: string,
	name: string,
	tensor: SourceTensor,
	from: number,
	to: number,
): string {
	return linear.product(
		pathOf(name),
		x,
		linear.store(name, matrixOf([{ tensor, from, to }]), 'matrices'),
	);
}
