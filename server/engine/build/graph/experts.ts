/**
 * The feed-forward part of a mixture of experts: a router picks some of them for each token. Tokens are sorted by
 * their experts, every expert multiplies its own, and those without any cost next to nothing.
 */

import type { TensorPart } from '../architectures/decoderFamilies.ts';
import type { ExpertsShape } from '../architectures/decoderShape.ts';
import type { DecoderParts } from './decoderParts.ts';
import { writeActivation, writeFeedForward } from './feedForward.ts';
import type { GraphWriter } from './graphWriter.ts';
import { type Matrix, matrixOf, sameForm, type TensorRange, wholeTensor } from './matrix.ts';

/** @returns what it adds to the stream, `[batch, tokens, hiddenSize]` */
export function writeExperts(
	parts: DecoderParts,
	x: string,
	layer: number,
	experts: ExpertsShape,
): string {
	const { writer, shape } = parts;
	const { hiddenSize } = shape;
	const path = `/model/layers.${layer}/moe`;
	const flat = writer.node(
		'Reshape',
		[x, writer.integers([1, -1, hiddenSize])],
		`${path}/Reshape/output_0`,
	);
	const { weights, ids } = writeRouter(parts, flat, layer, experts);
	const { rows, counts, back } = writeOrder(parts, ids, path, experts);
	const sorted = writer.node('Gather', [flat, rows], `${path}/sorted/Gather/output_0`, { axis: 1 });
	const middle = writeMiddle(parts, sorted, counts, layer, experts);
	const downs = everyOf(experts, (expert) =>
		matrixOf([expertRange(parts, 'expertDown', layer, expert, [hiddenSize, middle.width])]),
	);
	const inner = split(parts, middle.value, counts, `${path}/inner`, downs);
	const made = inner.map((part, expert) =>
		product(parts, part, layer, expert, 'down_proj', downs[expert] as Matrix),
	);
	const all = writer.node('Concat', made, `${path}/out/Concat/output_0`, { axis: 1 });
	const own = writer.node('Gather', [all, back], `${path}/out/Gather/output_0`, { axis: 1 });
	const each = writer.node(
		'Reshape',
		[own, writer.integers([-1, experts.used, hiddenSize])],
		`${path}/out/Reshape/output_0`,
	);
	const sums = writer.node('MatMul', [weights, each], `${path}/out/MatMul/output_0`);
	const dims = writer.node('Shape', [x], `${path}/Shape/output_0`);
	const routed = writer.node('Reshape', [sums, dims], `${path}/output_0`);
	return addShared(parts, routed, x, layer);
}

/** Weights `[tokens, 1, used]` and ids `[tokens · used]` of the experts of each token. */
function writeRouter(
	{ writer, linear, tensors, shape }: DecoderParts,
	flat: string,
	layer: number,
	{ count, used, normalised }: ExpertsShape,
) {
	const path = `/model/layers.${layer}/moe/router`;
	const tensor = tensors.need('router', layer, [count, shape.hiddenSize]);
	// A small error here would choose other experts.
	const stored = linear.float(`model.layers.${layer}.moe.router`, matrixOf([wholeTensor(tensor)]));
	const scores = linear.product(path, flat, stored);
	const soft = (from: string): string =>
		writer.node('Softmax', [from], `${path}/Softmax/output_0`, { axis: -1 });
	const best = [`${path}/TopK/output_0`, `${path}/TopK/output_1`];
	// The probabilities of the best ones, as one adds them up to 1, are the softmax of their scores.
	writer.node('TopK', [normalised ? scores : soft(scores), writer.integers([used])], best, {
		axis: -1,
	});
	const [values = '', ids = ''] = best;
	return {
		weights: writer.node(
			'Reshape',
			[normalised ? soft(values) : values, writer.integers([-1, 1, used])],
			`${path}/weights/Reshape/output_0`,
		),
		ids: writer.node('Reshape', [ids, writer.integers([-1])], `${path}/ids/Reshape/output_0`),
	};
}

/**
 * The order in which tokens lie by their experts: the row of each, how many each expert has, and the places of the
 * tokens in it.
 */
function writeOrder(
	{ writer }: DecoderParts,
	ids: string,
	path: string,
	{ count, used }: ExpertsShape,
) {
	const length = writer.node('Shape', [ids], `${path}/ids/Shape/output_0`);
	// Of equal ones the first comes first.
	const places = (values: string, own: string): string => {
		const outputs = [`${path}/${own}/TopK/output_0`, `${path}/${own}/TopK/output_1`];
		writer.node('TopK', [values, length], outputs, { axis: 0, largest: 0 });
		return outputs[1] as string;
	};
	const order = places(ids, 'order');
	const column = writer.node(
		'Unsqueeze',
		[ids, writer.integers([1])],
		`${path}/ids/Unsqueeze/output_0`,
	);
	const every = writer.integers(Array.from({ length: count }, (_, expert) => expert));
	const isOf = writer.node('Equal', [column, every], `${path}/ids/Equal/output_0`);
	const ones = writer.node('Cast', [isOf], `${path}/ids/Cast/output_0`, { to: 7 });
	return {
		rows: writer.node('Div', [order, writer.integers([used], [])], `${path}/rows/Div/output_0`),
		counts: writer.node('ReduceSum', [ones, writer.integers([0])], `${path}/counts/output_0`, {
			keepdims: 0,
		}),
		back: places(order, 'back'),
	};
}

function everyOf<T>({ count }: ExpertsShape, make: (expert: number) => T): T[] {
	return Array.from({ length: count }, (_, expert) => make(expert));
}

/**
 * The value, of a rank that is known in a run only. Opening a graph, the runtime looks for memory to use again: it
 * compares every value of known rank with all such values before it, and those of experts, whose lengths are unknown,
 * never match. The time that takes grows with the square of the experts of all layers.
 */
function shapeless(writer: GraphWriter, value: string, counts: string, path: string): string {
	const zero = writer.integers([0]);
	const total = writer.node('ReduceSum', [counts, zero], `${path}/total/output_0`);
	const first = writer.node('Sub', [total, total], `${path}/first/output_0`);
	const wide = writer.node('Unsqueeze', [value, zero], `${path}/Unsqueeze/output_0`);
	return writer.node('Squeeze', [wide, first], `${path}/Squeeze/output_0`);
}

/** What each expert gets. @param matrices each is multiplied with, all of one width */
function split(
	{ writer, linear }: DecoderParts,
	value: string,
	counts: string,
	path: string,
	matrices: readonly Matrix[],
	count = matrices.length,
): readonly string[] {
	const cut = (whole: string, own: string): readonly string[] => {
		const parts = Array.from({ length: count }, (_, part) => `${own}/Split/output_${part}`);
		writer.node('Split', [shapeless(writer, whole, counts, own), counts], parts, { axis: 1 });
		return parts;
	};
	const outputs = cut(value, path);
	const forms = matrices.map((matrix) => linear.formOf(matrix, 'matrices'));
	linear.splitSums(value, matrices[0]?.columns ?? 0, outputs, forms, cut);
	return outputs;
}

/** The numbers between both matrices of each expert, one expert after the other. */
function writeMiddle(
	parts: DecoderParts,
	sorted: string,
	counts: string,
	layer: number,
	experts: ExpertsShape,
) {
	const { writer, shape } = parts;
	const path = `/model/layers.${layer}/moe`;
	const ranges = everyOf(experts, (expert) => widening(parts, layer, expert));
	const isOne = ranges.every(({ gate, up }) => sameForm(gate.tensor.blocks, up.tensor.blocks));
	const gates = ranges.map(({ gate, up }) => matrixOf(isOne ? [gate, up] : [gate]));
	const ups = isOne ? [] : ranges.map(({ up }) => matrixOf([up]));
	const inputs = split(parts, sorted, counts, `${path}/in`, [...gates, ...ups], experts.count);
	const multiply = (matrices: readonly Matrix[], own: string): string => {
		const made = matrices.map((matrix, expert) =>
			product(parts, inputs[expert] as string, layer, expert, own, matrix),
		);
		return writer.node('Concat', made, `${path}/${own}/Concat/output_0`, { axis: 1 });
	};
	let halves = [`${path}/halves/Split/output_0`, `${path}/halves/Split/output_1`];
	if (isOne) {
		const both = multiply(gates, 'gate_up_proj');
		writer.node('Split', [both], halves, { axis: -1, num_outputs: 2 });
	} else halves = [multiply(gates, 'gate_proj'), multiply(ups, 'up_proj')];
	const [gate = '', up = ''] = halves;
	const active = writeActivation(writer, gate, shape.activation, path);
	return {
		value: writer.node('Mul', [active, up], `${path}/Mul/output_0`),
		width: (ranges[0]?.up.to ?? 0) - (ranges[0]?.up.from ?? 0),
	};
}

/** Both matrices from the stream into an expert, which may be halves of one tensor, the gate first. */
function widening(parts: DecoderParts, layer: number, expert: number) {
	const { tensors, shape } = parts;
	const both = tensors.find('expertGateUp', layer);
	const one = both ?? tensors.find('expertGate', layer, 'weight', expert);
	const rows = one?.shape.at(-2) ?? 0;
	if (both === undefined)
		return {
			gate: expertRange(parts, 'expertGate', layer, expert, [rows, shape.hiddenSize]),
			up: expertRange(parts, 'expertUp', layer, expert, [rows, shape.hiddenSize]),
		};
	const whole = expertRange(parts, 'expertGateUp', layer, expert, [rows, shape.hiddenSize]);
	const half = whole.from + Math.floor(rows / 2);
	return { gate: { ...whole, to: half }, up: { ...whole, from: half } };
}

/** The matrix of an expert: a tensor of its own, or a part of one for all. */
function expertRange(
	{ tensors, shape }: DecoderParts,
	part: TensorPart,
	layer: number,
	expert: number,
	size: readonly [rows: number, columns: number],
): TensorRange {
	const found = tensors.find(part, layer, 'weight', expert);
	const isShared = found?.shape.length === 3;
	const dims = isShared ? [shape.experts?.count ?? 0, ...size] : size;
	const tensor = tensors.need(part, layer, dims, 'weight', expert);
	if (!isShared) return wholeTensor(tensor);
	return { tensor, from: expert * size[0], to: (expert + 1) * size[0] };
}

function product(
	{ linear }: DecoderParts,
	x: string,
	layer: number,
	expert: number,
	own: string,
	matrix: Matrix,
): string {
	const name = `layers.${layer}.moe.experts.${expert}.${own}`;
	const stored = linear.store(`model.${name}.MatMul`, matrix, 'matrices');
	return linear.product(`/model/layers.${layer}/moe/experts.${expert}/${own}`, x, stored);
}

/** Adds the expert that every token has, in models with one; a gate says how much of it. */
function addShared(parts: DecoderParts, routed: string, x: string, layer: number): string {
	const { writer, linear, tensors } = parts;
	if (tensors.find('sharedUp', layer) === undefined) return routed;
	const path = `/model/layers.${layer}/shared`;
	let shared = writeFeedForward(parts, x, layer, {
		own: 'shared',
		gate: 'sharedGate',
		up: 'sharedUp',
		down: 'sharedDown',
	});
	const { hiddenSize } = parts.shape;
	const found = tensors.find('sharedRouter', layer);
	if (found !== undefined) {
		const dims = found.shape.length === 1 ? [hiddenSize] : [1, hiddenSize];
		const gate = tensors.need('sharedRouter', layer, dims);
		const stored = linear.float(`model.layers.${layer}.shared.gate`, matrixOf([wholeTensor(gate)]));
		const much = writer.node(
			'Sigmoid',
			[linear.product(`${path}/gate`, x, stored)],
			`${path}/gate/Sigmoid/output_0`,
		);
		shared = writer.node('Mul', [shared, much], `${path}/gate/Mul/output_0`);
	}
	return writer.node('Add', [routed, shared], `${path}/Add/output_0`);
}
