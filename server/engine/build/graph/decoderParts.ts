/** What the parts of a decoder's graph are made with. */

import type { TensorPart } from '../architectures/decoderFamilies.ts';
import type { DecoderShape } from '../architectures/decoderShape.ts';
import type { TensorTable } from '../architectures/tensorTable.ts';
import type { GraphWriter } from './graphWriter.ts';
import type { LinearWriter } from './linear.ts';
import type { RopeNames } from './ropeNodes.ts';

export interface DecoderParts {
	readonly writer: GraphWriter;
	readonly linear: LinearWriter;
	readonly tensors: TensorTable;
	readonly shape: DecoderShape;
	/** Names of cosines and sines, for each of {@link DecoderShape.ropes}. */
	readonly ropes: readonly RopeNames[];
	/** Length of each sequence before the run, and of the longest after it: what attention is told. */
	readonly lengths: { readonly past: string; readonly total: string };
	/** Input of positions, where attention cannot rotate by itself. */
	readonly positions: string | undefined;
}

/** The residual stream: a value, and what has yet to be added to it. */
export interface Stream {
	readonly value: string;
	readonly plus?: string;
}

/** Adds what is left to be added. */
export function settle({ writer }: DecoderParts, { value, plus }: Stream, path: string): string {
	return plus === undefined ? value : writer.node('Add', [value, plus], `${path}/Add/output_0`);
}

/** The norm of a stream, and the stream itself, added up. */
export function normalise(
	parts: DecoderParts,
	stream: Stream,
	part: TensorPart,
	layer: number,
	path: string,
): { readonly normed: string; readonly value: string } {
	const { writer, linear, tensors, shape } = parts;
	const { kind, epsilon, offset, plain } = shape.norms;
	const width = [shape.hiddenSize];
	const name = path.slice(1).replaceAll('/', '.');
	const scale = plain
		? linear.ones('model.norm_of_ones.weight', shape.hiddenSize)
		: linear.vector(
				`${name}.weight`,
				[{ tensor: tensors.need(part, layer, width) }],
				storedOffset(parts, offset),
			);
	const output = `${path}/output_0`;
	if (kind === 'layer') {
		const value = settle(parts, stream, path);
		const bias = tensors.optional(part, layer, width, 'bias');
		const inputs = [value, scale];
		if (bias !== undefined) inputs.push(linear.vector(`${name}.bias`, [{ tensor: bias }]));
		writer.node('LayerNormalization', inputs, output, { axis: -1, epsilon: { float: epsilon } });
		return { normed: output, value };
	}
	if (stream.plus === undefined)
		return { normed: rmsNorm(parts, stream.value, scale, output), value: stream.value };
	const sum = `${path}/output_3`;
	writer.node(
		'ms:SkipSimplifiedLayerNormalization',
		[stream.value, stream.plus, scale],
		[output, '', '', sum],
		{
			epsilon: { float: epsilon },
		},
	);
	return { normed: output, value: sum };
}

/** The norm of a value that is no stream, with the tensor's weights. */
export function normOf(
	parts: DecoderParts,
	x: string,
	part: TensorPart,
	layer: number,
	path: string,
): string {
	return normalise(parts, { value: x }, part, layer, path).normed;
}

/** Root mean square norm over the last axis. */
export function rmsNorm(
	{ writer, shape }: DecoderParts,
	x: string,
	scale: string,
	output: string,
): string {
	return writer.node('SimplifiedLayerNormalization', [x, scale], output, {
		axis: -1,
		epsilon: { float: shape.norms.epsilon },
		stash_type: 1,
	});
}

/** What has to be added to weights of norms: files of GGUF have it in them. */
export function storedOffset({ tensors }: DecoderParts, offset: number): number {
	return tensors.style === 'gguf' ? 0 : offset;
}

/** `x · factor`, or `x` itself. */
export function scaled({ writer }: DecoderParts, x: string, factor: number, path: string): string {
	return factor === 1 ? x : writer.node('Mul', [x, writer.float(factor)], `${path}/Mul/output_0`);
}
