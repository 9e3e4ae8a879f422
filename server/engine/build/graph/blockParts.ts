/** Parts that encoders and encoder-decoders share: attention over whole sequences, norms, feed-forward parts. */

import type { Activation } from '../architectures/decoderShape.ts';
import type { UsedTensors } from '../architectures/usedTensors.ts';
import { rowsOf } from '../sources/tensorSource.ts';
import { writeActivation } from './feedForward.ts';
import type { GraphWriter } from './graphWriter.ts';
import type { LinearWriter } from './linear.ts';
import { matrixOf, wholeTensor } from './matrix.ts';
import { isStatic } from './staticInt8.ts';

/** What every layer of the model has in common. */
export interface BlockShape {
	readonly hiddenSize: number;
	readonly activation: Activation;
	/** Of norms. */
	readonly epsilon: number;
	/** Norms before each part and at the end, instead of after each part. */
	readonly normFirst: boolean;
	/** Norms have factors only. */
	readonly withoutNormBias?: boolean;
}

export interface BlockParts {
	readonly writer: GraphWriter;
	readonly linear: LinearWriter;
	readonly tensors: UsedTensors;
	readonly shape: BlockShape;
}

/** `x · weightᵀ + bias` of a module; the bias may be missing. */
export function dense(
	parts: BlockParts,
	x: string,
	module: string,
	rows: number,
	columns: number,
): string {
	const { writer, linear, tensors } = parts;
	const weight = tensors.need(`${module}.weight`, [rows, columns]);
	const bias = tensors.optional(`${module}.bias`, [rows]);
	const path = pathOf(module);
	if (isStatic(weight)) {
		const vector = bias === undefined ? '' : linear.vector(`${module}.bias`, [{ tensor: bias }]);
		const bytes = linear.int8.matrix(module, weight);
		return linear.int8.product(path, x, weight, { weight: bytes, bias: vector });
	}
	const stored = linear.store(module, matrixOf([wholeTensor(weight)]), 'matrices');
	const out = linear.product(path, x, stored);
	if (bias === undefined) return out;
	const added = linear.vector(`${module}.bias`, [{ tensor: bias }]);
	return writer.node('Add', [out, added], `${path}/Add/output_0`);
}

export function layerNorm(
	{ writer, linear, tensors, shape }: BlockParts,
	x: string,
	module: string,
	output?: string,
): string {
	const size = [shape.hiddenSize];
	const kinds = shape.withoutNormBias === true ? ['weight'] : ['weight', 'bias'];
	const vectors = kinds.map((kind) =>
		linear.vector(`${module}.${kind}`, [{ tensor: tensors.need(`${module}.${kind}`, size) }]),
	);
	return writer.node(
		'LayerNormalization',
		[x, ...vectors],
		output ?? `${pathOf(module)}/LayerNormalization/output_0`,
		{
			axis: -1,
			epsilon: { float: shape.epsilon },
		},
	);
}

/**
 * A part of a layer with its norm: `norm(x + part(x))`, or `x + part(norm(x))`.
 * @param module of the norm
 */
export function residual(
	parts: BlockParts,
	x: string,
	module: string,
	part: (x: string) => string,
): string {
	const { writer, shape } = parts;
	const path = `${pathOf(module)}/residual`;
	if (shape.normFirst)
		return writer.node('Add', [x, part(layerNorm(parts, x, module))], `${path}/Add/output_0`);
	return layerNorm(parts, writer.node('Add', [x, part(x)], `${path}/Add/output_0`), module);
}

/** @param modules of the two matrices */
export function feedForward(
	parts: BlockParts,
	x: string,
	[first, second]: readonly [string, string],
): string {
	const { writer, tensors, shape } = parts;
	const { hiddenSize } = shape;
	const inner = rowsOf(tensors.find(`${first}.weight`)?.shape ?? []);
	const wide = dense(parts, x, first, inner, hiddenSize);
	const active = writeActivation(writer, wide, shape.activation, pathOf(first));
	return dense(parts, active, second, hiddenSize, inner);
}

/** Keys or values as caches have them: `[batch, heads, tokens, head size]`. */
export function splitHeads(parts: BlockParts, x: string, count: number, path: string): string {
	const { writer, shape } = parts;
	const sizes = writer.integers([0, 0, count, shape.hiddenSize / count]);
	const apart = writer.node('Reshape', [x, sizes], `${path}/Reshape/output_0`);
	return writer.node('Transpose', [apart], `${path}/Transpose/output_0`, { perm: [0, 2, 1, 3] });
}

export interface AttendedHeads {
	/** Before the names of its nodes: `/model/decoder/layers.0/encoder_attn`. */
	readonly path: string;
	/** Module of the matrix behind. */
	readonly out: string;
	/** `[batch, heads, tokens, head size]`. */
	readonly key: string;
	readonly value: string;
	/** Added to the scores. */
	readonly mask: string | undefined;
}

export interface Attended extends AttendedHeads {
	/** Module of the matrix before. */
	readonly query: string;
	readonly heads: number;
}

/** Attention spelled out, as exporters do, so that its weights can be asked for. */
export function attend(
	parts: BlockParts,
	x: string,
	{ query: module, heads, ...attended }: Attended,
): string {
	const { hiddenSize } = parts.shape;
	const projected = dense(parts, x, module, hiddenSize, hiddenSize);
	return attendHeads(parts, scaledHeads(parts, projected, heads, pathOf(module)), attended);
}

/** Queries by which scores have the usual size: `[batch, heads, tokens, head size]`. */
export function scaledHeads(parts: BlockParts, x: string, count: number, path: string): string {
	const scale = parts.writer.float((parts.shape.hiddenSize / count) ** -0.5);
	const small = parts.writer.node('Mul', [x, scale], `${path}/Mul/output_0`);
	return splitHeads(parts, small, count, path);
}

/** {@link attend} of queries as {@link scaledHeads} gives them. */
export function attendHeads(
	parts: BlockParts,
	query: string,
	{ path, out, key, value, mask }: AttendedHeads,
): string {
	const { writer, shape } = parts;
	const { hiddenSize } = shape;
	const turned = writer.node('Transpose', [key], `${path}/Transpose/output_0`, {
		perm: [0, 1, 3, 2],
	});
	let scores = writer.node('MatMul', [query, turned], `${path}/MatMul/output_0`);
	if (mask !== undefined) scores = writer.node('Add', [scores, mask], `${path}/Add/output_0`);
	const weights = writer.node('Softmax', [scores], `${path}/Softmax/output_0`, { axis: -1 });
	const mixed = writer.node('MatMul', [weights, value], `${path}/MatMul_1/output_0`);
	const back = writer.node('Transpose', [mixed], `${path}/Transpose_1/output_0`, {
		perm: [0, 2, 1, 3],
	});
	const one = writer.node(
		'Reshape',
		[back, writer.integers([0, 0, hiddenSize])],
		`${path}/Reshape/output_0`,
	);
	return dense(parts, one, out, hiddenSize, hiddenSize);
}

/** Keys and values of what is attended to. @param modules of their matrices */
export function keysAndValues(
	parts: BlockParts,
	x: string,
	modules: readonly [string, string],
	count: number,
): [string, string] {
	const { hiddenSize } = parts.shape;
	const [key, value] = modules.map((module) =>
		splitHeads(parts, dense(parts, x, module, hiddenSize, hiddenSize), count, pathOf(module)),
	);
	return [key as string, value as string];
}

/** From a mask of ones and zeros, `[batch, tokens]`, what is added to scores: `[batch, 1, 1, tokens]`. */
export function maskOf({ writer }: BlockParts, mask: string, path: string): string {
	const numbers = writer.node('Cast', [mask], `${path}/Cast/output_0`, { to: 1 });
	const hidden = writer.node('Sub', [writer.float(1), numbers], `${path}/Sub/output_0`);
	const low = writer.node('Mul', [hidden, writer.float(lowest)], `${path}/Mul/output_0`);
	return writer.node('Unsqueeze', [low, writer.integers([1, 2])], `${path}/Unsqueeze/output_0`);
}

/** What a score becomes that is not to count: float32's lowest. */
export const lowest = -3.4028234663852886e38;

/** `model.encoder.layers.0.fc1` → `/model/encoder/layers.0/fc1`. */
export function pathOf(module: string): string {
	return `/${module.replace(/\.(?=\D)/g, '/')}`;
}

/** The size of an axis: an int64 scalar. */
export function axisLength(writer: GraphWriter, x: string, axis: number, path: string): string {
	const shape = writer.node('Shape', [x], `${path}/Shape/output_0`);
	return writer.node('Gather', [shape, writer.integers([axis], [])], `${path}/Gather/output_0`, {
		axis: 0,
	});
}

/** Whole numbers from one to another, which is left out: int64. */
export function rangeOf(writer: GraphWriter, from: string, to: string, path: string): string {
	return writer.node('Range', [from, to, writer.integers([1], [])], `${path}/Range/output_0`);
}
