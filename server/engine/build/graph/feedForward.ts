/** The feed-forward part of one layer. */

import { AppError } from '../../../protocol/index.ts';
import type { TensorPart } from '../architectures/decoderFamilies.ts';
import type { Activation } from '../architectures/decoderShape.ts';
import { rowsOf, type SourceTensor } from '../sources/tensorSource.ts';
import { addBias } from './attention.ts';
import type { DecoderParts } from './decoderParts.ts';
import type { GraphWriter } from './graphWriter.ts';
import { matrixOf, type TensorRange, wholeTensor } from './matrix.ts';

/** Which tensors a feed-forward part is made of, and what it is called in the graph. */
export interface FeedForwardNames {
	readonly own: string;
	readonly gate: TensorPart;
	readonly up: TensorPart;
	readonly gateUp?: TensorPart;
	readonly down: TensorPart;
}

const usual: FeedForwardNames = {
	own: 'mlp',
	gate: 'gate',
	up: 'up',
	gateUp: 'gateUp',
	down: 'down',
};

/** @returns what it adds to the stream, `[batch, tokens, hiddenSize]` */
export function writeFeedForward(
	parts: DecoderParts,
	x: string,
	layer: number,
	names: FeedForwardNames = usual,
): string {
	const { writer, linear, tensors, shape } = parts;
	const { hiddenSize } = shape;
	const path = `/model/layers.${layer}/${names.own}`;
	const apply = (own: string, input: string, range: TensorRange, bias?: SourceTensor): string => {
		const stored = linear.store(
			`model.layers.${layer}.${names.own}.${own}.MatMul`,
			matrixOf([range]),
			'matrices',
		);
		const out = linear.product(`${path}/${own}`, input, stored);
		return bias === undefined ? out : addBias(parts, out, `${path}/${own}`, [{ tensor: bias }]);
	};
	const widened = widening(parts, layer, names);
	const inner = widened.up.range.to - widened.up.range.from;
	const up = apply('up_proj', x, widened.up.range, widened.up.bias);
	let middle: string;
	if (widened.gate === undefined) middle = writeActivation(writer, up, shape.activation, path);
	else {
		const gate = apply('gate_proj', x, widened.gate.range, widened.gate.bias);
		const active = writeActivation(writer, gate, shape.activation, path);
		middle = writer.node('Mul', [active, up], `${path}/Mul/output_0`);
	}
	const down = tensors.need(names.down, layer, [hiddenSize, inner]);
	const bias = tensors.optional(names.down, layer, [hiddenSize], 'bias');
	return apply('down_proj', middle, wholeTensor(down), bias);
}

interface Widening {
	readonly up: { readonly range: TensorRange; readonly bias: SourceTensor | undefined };
	readonly gate?: { readonly range: TensorRange; readonly bias: SourceTensor | undefined };
}

/** The matrices from the stream into the layer: gate and up may be halves of one tensor, the gate first. */
function widening(
	{ tensors, shape }: DecoderParts,
	layer: number,
	names: FeedForwardNames,
): Widening {
	const { hiddenSize, gated } = shape;
	const gate = gated ? tensors.find(names.gate, layer) : undefined;
	const one = gate ?? tensors.find(gated ? (names.gateUp ?? names.gate) : names.up, layer);
	const rows = one === undefined ? 0 : rowsOf(one.shape);
	if (one === undefined || gate !== undefined || !gated) {
		const whole = (part: 'gate' | 'up') => ({
			range: wholeTensor(tensors.need(names[part], layer, [rows, hiddenSize])),
			bias: tensors.optional(names[part], layer, [rows], 'bias'),
		});
		return gated ? { up: whole('up'), gate: whole('gate') } : { up: whole('up') };
	}
	const both = tensors.need('gateUp', layer, [rows, hiddenSize]);
	if (rows % 2 !== 0 || tensors.find('gateUp', layer, 'bias') !== undefined)
		throw new AppError(
			'unsupported_model',
			`The tensor ${both.name.slice(0, 200)} is not two halves without biases.`,
		);
	const half = rows / 2;
	return {
		gate: { range: { tensor: both, from: 0, to: half }, bias: undefined },
		up: { range: { tensor: both, from: half, to: rows }, bias: undefined },
	};
}

/** The activation as published exports have it. */
export function writeActivation(
	writer: GraphWriter,
	x: string,
	activation: Activation,
	path: string,
): string {
	const own = `${path}/act_fn`;
	if (activation === 'relu') return writer.node('Relu', [x], `${own}/Relu/output_0`);
	if (activation === 'silu') {
		const sigmoid = writer.node('Sigmoid', [x], `${own}/Sigmoid/output_0`);
		return writer.node('Mul', [x, sigmoid], `${own}/Mul/output_0`);
	}
	const approximate = activation === 'gelu_tanh' ? 'tanh' : 'none';
	return writer.node('Gelu', [x], `${own}/Gelu/output_0`, { approximate });
}
