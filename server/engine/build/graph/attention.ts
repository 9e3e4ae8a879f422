/** Attention of one layer: GroupQueryAttention over a cache in place, from one fused matrix where types agree. */

import { AppError } from '../../../protocol/index.ts';
import type { TensorPart } from '../architectures/decoderFamilies.ts';
import type { DecoderShape } from '../architectures/decoderShape.ts';
import type { SourceTensor } from '../sources/tensorSource.ts';
import { type DecoderParts, rmsNorm, storedOffset } from './decoderParts.ts';
import type { VectorPart } from './linear.ts';
import { matrixOf, type PairedHeads, sameForm, type TensorRange, wholeTensor } from './matrix.ts';
import { rotate } from './ropeNodes.ts';

const names = ['q', 'k', 'v'] as const;
/** GroupQueryAttention takes heads of a multiple of so many numbers. */
const headUnit = 8;

/** Queries, keys and values: one value that holds all, or three. */
type Projected = readonly [string] | readonly [string, string, string];

/** @returns what attention adds to the stream, `[batch, tokens, hiddenSize]` */
export function writeAttention(parts: DecoderParts, x: string, layer: number): string {
	const { writer, linear, tensors, shape } = parts;
	const { heads, kvHeads, headSize, hiddenSize, scales, softcaps } = shape;
	const path = `/model/layers.${layer}/attn`;
	const { window, rope } = shape.layers[layer] ?? { window: 0, rope: undefined };
	let projected = clip(parts, project(parts, x, layer, path));
	if (shape.norms.queryKey !== 'none')
		projected = normHeads(parts, split(parts, projected, path), layer, path);
	const embedding = rope === undefined ? undefined : shape.ropes[rope];
	const tables = rope === undefined ? undefined : parts.ropes[rope];
	if (parts.positions !== undefined && embedding !== undefined && tables !== undefined) {
		const { positions } = parts;
		const [q, k, v] = split(parts, projected, path);
		const sizes = { rotarySize: embedding.rotarySize, headSize };
		projected = [
			rotate(writer, q, positions, tables, { heads, ...sizes }, `${path}/q_rotary/RotaryEmbedding`),
			rotate(
				writer,
				k,
				positions,
				tables,
				{ heads: kvHeads, ...sizes },
				`${path}/k_rotary/RotaryEmbedding`,
			),
			v,
		];
	}
	const rotates = tables !== undefined && parts.positions === undefined;
	const width = Math.ceil(headSize / headUnit) * headUnit;
	if (width !== headSize) projected = padHeads(parts, split(parts, projected, path), width, path);
	const [q, k = '', v = ''] = projected;
	const past = ['key', 'value'].map((kind) =>
		writer.input(`past_key_values.${layer}.${kind}`, 'float32', [
			'batch_size',
			kvHeads,
			'past_sequence_length',
			width,
		]),
	);
	const present = ['key', 'value'].map((kind) =>
		writer.output(`present.${layer}.${kind}`, 'float32', [
			'batch_size',
			kvHeads,
			'total_sequence_length',
			width,
		]),
	);
	const inputs = [q, k, v, ...past, parts.lengths.past, parts.lengths.total];
	if (rotates) inputs.push(tables.cos, tables.sin);
	const attended = writer.node(
		'ms:GroupQueryAttention',
		inputs,
		[`${path}/GroupQueryAttention/output_0`, ...present],
		{
			num_heads: heads,
			kv_num_heads: kvHeads,
			scale: { float: scales.attention },
			softcap: { float: softcaps.attention },
			do_rotary: rotates ? 1 : 0,
			rotary_interleaved: 0,
			...(window > 0 ? { local_window_size: window } : {}),
		},
	);
	const mixed = width === headSize ? attended : cutHeads(parts, attended, width, path);
	const weight = tensors.need('attentionOut', layer, [hiddenSize, heads * headSize]);
	const stored = linear.store(
		`model.layers.${layer}.attn.o_proj.MatMul`,
		matrixOf([wholeTensor(weight)]),
		'matrices',
	);
	const out = linear.product(`${path}/o_proj`, mixed, stored);
	const bias = tensors.optional('attentionOut', layer, [hiddenSize], 'bias');
	return bias === undefined ? out : addBias(parts, out, `${path}/o_proj`, [{ tensor: bias }]);
}

/** Each head with zeros behind its numbers, which change no product. */
function padHeads(
	{ writer, shape }: DecoderParts,
	projected: readonly [string, string, string],
	width: number,
	path: string,
): [string, string, string] {
	const { heads, kvHeads, headSize } = shape;
	const pads = writer.integers([0, 0, 0, 0, 0, 0, 0, width - headSize]);
	const [q, k, v] = projected.map((value, index) => {
		const own = `${path}/${names[index]}_padded`;
		const count = index === 0 ? heads : kvHeads;
		const sizes = writer.integers([0, 0, count, headSize]);
		const apart = writer.node('Reshape', [value, sizes], `${own}/Reshape_1/output_0`);
		const wide = writer.node('Pad', [apart, pads], `${own}/Pad/output_0`);
		const whole = writer.integers([0, 0, count * width]);
		return writer.node('Reshape', [wide, whole], `${own}/Reshape_2/output_0`);
	});
	return [q as string, k as string, v as string];
}

/** What attention gives, without the numbers that are zero for {@link padHeads}. */
function cutHeads(
	{ writer, shape }: DecoderParts,
	attended: string,
	width: number,
	path: string,
): string {
	const { heads, headSize } = shape;
	const own = `${path}/cut`;
	const sizes = writer.integers([0, 0, heads, width]);
	const apart = writer.node('Reshape', [attended, sizes], `${own}/Reshape_1/output_0`);
	const [from, to, axis] = [0, headSize, 3].map((value) => writer.integers([value])) as [
		string,
		string,
		string,
	];
	const narrow = writer.node('Slice', [apart, from, to, axis], `${own}/Slice/output_0`);
	const whole = writer.integers([0, 0, heads * headSize]);
	return writer.node('Reshape', [narrow, whole], `${own}/Reshape_2/output_0`);
}

/** Rows of queries, keys and values, each with its bias. */
interface Projection {
	readonly range: TensorRange;
	readonly bias: SourceTensor | undefined;
}

function project(parts: DecoderParts, x: string, layer: number, path: string): Projected {
	const { linear } = parts;
	const name = `model.layers.${layer}.attn`;
	const whole = fusedTensor(parts, layer);
	const split = whole === undefined ? separateTensors(parts, layer) : undefined;
	const isOne = split === undefined || canFuse(parts, split);
	const fused = whole ?? (isOne ? (split as readonly Projection[]) : undefined);
	if (fused !== undefined) {
		const matrix = matrixOf(fused.map(({ range }) => range));
		const stored = linear.store(`${name}.qkv_proj.MatMul`, matrix, 'matrices');
		const out = linear.product(`${path}/qkv_proj`, x, stored);
		const biases = fused.flatMap(vectorOf);
		return [biases.length === 0 ? out : addBias(parts, out, `${path}/qkv_proj`, biases)];
	}
	const [q = '', k = '', v = ''] = (split ?? []).map(({ range, bias }, index) => {
		const own = `${names[index]}_proj`;
		const stored = linear.store(`${name}.${own}.MatMul`, matrixOf([range]), 'matrices');
		const out = linear.product(`${path}/${own}`, x, stored);
		const biases = vectorOf({ range, bias });
		return biases.length === 0 ? out : addBias(parts, out, `${path}/${own}`, biases);
	});
	return [q, k, v];
}

/** The bias in the order of the rows. */
function vectorOf({ range, bias }: Projection): VectorPart[] {
	return bias === undefined ? [] : [{ tensor: bias, paired: range.paired }];
}

/** The tensor that holds all three, as some families have it. */
function fusedTensor(
	{ tensors, shape }: DecoderParts,
	layer: number,
): readonly Projection[] | undefined {
	const rows = (shape.heads + 2 * shape.kvHeads) * shape.headSize;
	const tensor = tensors.optional('queryKeyValue', layer, [rows, shape.hiddenSize], 'weight');
	if (tensor === undefined) return undefined;
	const bias = tensors.optional('queryKeyValue', layer, [rows], 'bias');
	if (!shape.groupedQueryKeyValue || tensors.style === 'gguf')
		return [{ range: wholeTensor(tensor), bias }];
	if (bias !== undefined)
		throw new AppError(
			'unsupported_model',
			`The tensor ${bias.name.slice(0, 200)} has queries, keys and values group by group, which is not known here.`,
		);
	return groupsApart(tensor, shape).map((range) => ({ range, bias: undefined }));
}

/** Of rows that come as queries, key and value of each group: all queries, then all keys, then all values. */
function groupsApart(tensor: SourceTensor, shape: DecoderShape): TensorRange[] {
	const { heads, kvHeads, headSize } = shape;
	const queries = heads / kvHeads;
	const group = (queries + 2) * headSize;
	const parts: readonly (readonly [from: number, to: number])[] = [
		[0, queries * headSize],
		[queries * headSize, (queries + 1) * headSize],
		[(queries + 1) * headSize, group],
	];
	return parts.flatMap(([from, to]) =>
		Array.from({ length: kvHeads }, (_, index) => ({
			tensor,
			from: index * group + from,
			to: index * group + to,
		})),
	);
}

/** Bounds what is projected, in models that do. */
function clip({ writer, shape }: DecoderParts, projected: Projected): Projected {
	if (shape.clip === 0) return projected;
	const bounds = [writer.float(-shape.clip), writer.float(shape.clip)];
	const [q, ...rest] = projected.map((value) =>
		writer.node('Clip', [value, ...bounds], `${value.replace(/\/output_\d$/, '')}/Clip/output_0`),
	);
	return [q, ...rest] as unknown as Projected;
}

function separateTensors(parts: DecoderParts, layer: number): readonly Projection[] {
	const { tensors, shape } = parts;
	const kinds: readonly (readonly [TensorPart, number])[] = [
		['query', shape.heads],
		['key', shape.kvHeads],
		['value', shape.kvHeads],
	];
	return kinds.map(([part, heads], index) => {
		const rows = heads * shape.headSize;
		const tensor = tensors.need(part, layer, [rows, shape.hiddenSize]);
		const bias = tensors.optional(part, layer, [rows], 'bias');
		return { range: wholeTensor(tensor, index < 2 ? pairedHeads(parts, layer) : undefined), bias };
	});
}

/** Whether rows of queries and keys come in pairs: in files of GGUF of some families. */
function pairedHeads({ tensors, shape }: DecoderParts, layer: number): PairedHeads | undefined {
	const rope = shape.layers[layer]?.rope;
	if (tensors.style !== 'gguf' || !shape.pairedInGguf) return undefined;
	const { rotarySize = shape.headSize } = shape.ropes[rope ?? 0] ?? {};
	return { headSize: shape.headSize, rotarySize };
}

function canFuse({ linear }: DecoderParts, split: readonly Projection[]): boolean {
	const [first, ...others] = split.map(({ range }) => linear.formOf(matrixOf([range]), 'matrices'));
	const withBias = split.filter(({ bias }) => bias !== undefined).length;
	return others.every((form) => sameForm(form, first)) && (withBias === 0 || withBias === 3);
}

/** Three values of one. */
function split(
	{ writer, shape }: DecoderParts,
	projected: Projected,
	path: string,
): [string, string, string] {
	if (projected.length === 3) return [...projected];
	const { heads, kvHeads, headSize } = shape;
	const sizes = writer.integers([heads * headSize, kvHeads * headSize, kvHeads * headSize]);
	const outputs = names.map((_, index) => `${path}/qkv_proj/Split/output_${index}`);
	writer.node('Split', [projected[0], sizes], outputs, { axis: -1 });
	return outputs as [string, string, string];
}

/** Norms of queries and keys. */
function normHeads(
	parts: DecoderParts,
	[q, k, v]: readonly [string, string, string],
	layer: number,
	path: string,
): Projected {
	const { writer, linear, tensors, shape } = parts;
	const { headSize, norms } = shape;
	const apply = (x: string, part: 'queryNorm' | 'keyNorm', heads: number): string => {
		const own = `${path}/${part === 'queryNorm' ? 'q_norm' : 'k_norm'}`;
		const width = norms.queryKey === 'head' ? headSize : heads * headSize;
		const weight = linear.vector(
			`${own.slice(1).replaceAll('/', '.')}.layernorm.weight`,
			[{ tensor: tensors.need(part, layer, [width]) }],
			storedOffset(parts, norms.offset),
		);
		if (norms.queryKey === 'all')
			return rmsNorm(parts, x, weight, `${own}/SimplifiedLayerNormalization/output_0`);
		const apart = writer.node(
			'Reshape',
			[x, writer.integers([0, -1, headSize])],
			`${own}/Reshape_1/output_0`,
		);
		const normed = rmsNorm(parts, apart, weight, `${own}/SimplifiedLayerNormalization/output_0`);
		const shape3 = writer.integers([0, -1, heads * headSize]);
		return writer.node('Reshape', [normed, shape3], `${own}/Reshape_2/output_0`);
	};
	return [apply(q, 'queryNorm', shape.heads), apply(k, 'keyNorm', shape.kvHeads), v];
}

/** Adds a bias made of vectors one after the other. */
export function addBias(
	{ writer, linear }: DecoderParts,
	x: string,
	path: string,
	biases: readonly VectorPart[],
): string {
	const bias = linear.vector(`${path.slice(1).replaceAll('/', '.')}.Add.bias`, biases);
	return writer.node('Add', [x, bias], `${path}/Add/output_0`);
}
