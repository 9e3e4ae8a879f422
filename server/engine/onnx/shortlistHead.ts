/**
 * Rewrite: the head of a decoder can be given the columns of a few words only. `If` no columns are
 * given it multiplies with all of its own, as before; else with those of the input.
 */

import { defined } from '../../protocol/defined.ts';
import { intAttribute, makeNode, producers, readInt } from './graphEdit.ts';
import type { OnnxAttribute, OnnxGraph, OnnxNode } from './onnxModel.ts';
import { int64Tensor, readTensorHeader, scalarTensor, tensorFromHeader } from './tensorProto.ts';
import { WireWriter } from './wire.ts';

/**
 * Inputs added: float32 (bytes where activations are bytes of a known factor) `[width, words]`, and float32 `[words]`;
 * no words = all of the vocabulary.
 */
export const shortlistInput = 'nearglot_shortlist';
export const shortlistBias = 'nearglot_shortlist_bias';

/** How bytes of chosen columns are given: as they are, or with 128 added where sums of signed ones are cut off. */
export type ColumnBytes = 'signed' | 'unsigned';

/** Added to bytes that are given unsigned. */
export const unsignedZero = 128;

/** Where the weights of a head are. */
export interface HeadSource {
	/** `[width, vocabulary]`, or packed rows of MatMulNBits. */
	readonly weight: string;
	/** MatMulNBits: of every block. int8: one, or `[vocabulary]`. */
	readonly scales?: string;
	/** int8 only: the number that stands for nought, one or `[vocabulary]`; absent = 0. */
	readonly zero?: string;
	readonly isInt8?: true;
	/** The given columns are bytes as well. */
	readonly takesBytes?: true;
	readonly bits?: number;
	readonly block?: number;
	/** `[vocabulary]` */
	readonly bias?: string;
}

interface Head {
	readonly graph: OnnxGraph;
	/** What makes the logits of the hidden state, in order. */
	readonly nodes: readonly OnnxNode[];
	readonly hidden: string;
	/** Makes the logits of the given columns, whose nought is `zero`, under a name; absent: a product of numbers. */
	readonly few?: (made: string, zero: string | undefined) => readonly OnnxNode[];
	/** Name of the graph's output that they make. */
	readonly output: string;
	readonly source: HeadSource;
}

/**
 * Changes the graph in place; a merged decoder in all its branches.
 * Returns why it cannot be done, or what the head is made of.
 */
export function shortlistHead(
	graph: OnnxGraph,
	bytes: ColumnBytes = 'signed',
): string | HeadSource {
	const known = new Set<string>();
	const note = (one: OnnxGraph): void => {
		for (const tensor of one.initializers) known.add(tensor.name);
		for (const node of one.nodes) {
			for (const { graph: inner } of node.attributes) if (inner !== undefined) note(inner);
		}
	};
	note(graph);
	const heads = findHeads(graph, 'logits', known);
	const [first] = heads;
	if (first === undefined) return 'the logits do not come from a matrix of fixed weights';
	if (heads.some(({ source }) => JSON.stringify(source) !== JSON.stringify(first.source)))
		return 'the branches of the decoder do not share their head';
	if (bytes === 'unsigned' && first.source.takesBytes === true && first.source.zero !== undefined)
		return 'its bytes have a zero of their own';
	const isUnsigned = bytes === 'unsigned' && first.source.isInt8 === true;
	for (const [index, head] of heads.entries()) split(head, index, isUnsigned ? graph : undefined);
	const elementType = first.source.takesBytes !== true ? 1 : isUnsigned ? 2 : 3;
	graph.inputs.push({ name: shortlistInput, elementType, dims: ['head_width', 'words'] });
	if (first.source.bias !== undefined)
		graph.inputs.push({ name: shortlistBias, elementType: 1, dims: ['words'] });
	freeWidth(graph, 'logits');
	return first.source;
}

/** Exporters also declare the vocabulary as the width of what a branch gives. */
function freeWidth(graph: OnnxGraph, name: string): void {
	graph.outputs = graph.outputs.map((output) =>
		output.name === name
			? { ...output, dims: [output.dims?.[0], output.dims?.[1], undefined] }
			: output,
	);
}

function findHeads(graph: OnnxGraph, output: string, known: ReadonlySet<string>): Head[] {
	const made = producers(graph);
	let node = made.get(output);
	if (node?.op === 'Identity') node = made.get(node.inputs[0] ?? '');
	if (node?.op === 'If') {
		const place = node.outputs.indexOf(output);
		const branches = node.attributes.flatMap((one) => (one.graph === undefined ? [] : [one.graph]));
		const found = branches.map((branch) =>
			findHeads(branch, branch.outputs[place]?.name ?? '', known),
		);
		return found.every((one) => one.length > 0) ? found.flat() : [];
	}
	let sum: OnnxNode | undefined;
	let bias: string | undefined;
	if (node?.op === 'Add') {
		sum = node;
		bias = node.inputs.find((name) => known.has(name));
		const other = node.inputs.find((name) => name !== bias);
		if (bias === undefined) return [];
		node = made.get(other ?? '');
	}
	if (node?.op === 'Mul') {
		const head = int8Head(graph, node, known);
		if (head === undefined) return [];
		const nodes = sum === undefined ? head.nodes : [...head.nodes, sum];
		const source = bias === undefined ? head.source : { ...head.source, bias };
		return [{ ...head, graph, nodes, output, source }];
	}
	const weight = node?.inputs[1] ?? '';
	if (node === undefined || !known.has(weight)) return [];
	if (node.op === 'MatMulIntegerToFloat' && sum === undefined) {
		const head = staticInt8Head(made.get(node.inputs[0] ?? ''), node, known);
		return head === undefined ? [] : [{ ...head, graph, output }];
	}
	const withBias = bias === undefined ? {} : { bias };
	const hidden = node.inputs[0] as string;
	const nodes = sum === undefined ? [node] : [node, sum];
	if (node.op === 'MatMul')
		return [{ graph, nodes, hidden, output, source: { weight, ...withBias } }];
	const scales = node.inputs[2];
	if (node.op !== 'MatMulNBits' || scales === undefined || node.inputs.length > 3) return [];
	const source = {
		weight,
		scales,
		bits: readInt(node, 'bits') ?? 4,
		block: readInt(node, 'block_size') ?? 32,
		...withBias,
	};
	return [{ graph, nodes, hidden, output, source }];
}

/** `Mul(Cast(MatMulInteger(numbers, W)), Mul(scale, W's scale))` with `DynamicQuantizeLinear` before it. */
function int8Head(
	graph: OnnxGraph,
	last: OnnxNode,
	known: ReadonlySet<string>,
): Omit<Head, 'graph' | 'output'> | undefined {
	const made = producers(graph);
	const [wide, joint] = ['Cast', 'Mul'].map((op) =>
		last.inputs.map((name) => made.get(name)).find((node) => node?.op === op),
	);
	const product = made.get(wide?.inputs[0] ?? '');
	const numbers = made.get(product?.inputs[0] ?? '');
	const [, weight = '', , zero] = product?.inputs ?? [];
	const scales = joint?.inputs.find((name) => known.has(name));
	const isUsual =
		product?.op === 'MatMulInteger' &&
		numbers?.op === 'DynamicQuantizeLinear' &&
		numbers.outputs
			.slice(1)
			.every((name) => [...(joint?.inputs ?? []), product.inputs[2]].includes(name)) &&
		graph.nodes.every(
			(node) =>
				node === product ||
				node === joint ||
				!node.inputs.some((name) => numbers.outputs.includes(name)),
		) &&
		[weight, ...(zero === undefined ? [] : [zero])].every((name) => known.has(name));
	if (!isUsual || wide === undefined || joint === undefined || scales === undefined)
		return undefined;
	const source = { weight, scales, isInt8: true as const, ...defined({ zero }) };
	return {
		nodes: [numbers, product, wide, joint, last],
		hidden: numbers.inputs[0] as string,
		source,
	};
}

/** `MatMulIntegerToFloat(QuantizeLinear(hidden), W, …, bias)`, with factors that are known beforehand. */
function staticInt8Head(
	numbers: OnnxNode | undefined,
	product: OnnxNode,
	known: ReadonlySet<string>,
): Omit<Head, 'graph' | 'output'> | undefined {
	const [, weight = '', , scales = '', , zero = '', bias = ''] = product.inputs;
	const fixed = [weight, scales, zero, bias].filter((name) => name !== '');
	if (numbers?.op !== 'QuantizeLinear' || fixed.some((name) => !known.has(name))) return undefined;
	const [bytes = ''] = numbers.outputs;
	const [, , inputScale = '', ...others] = product.inputs;
	// The same factors and bytes, so that few columns give what all of them give.
	const few = (made: string, ownZero = zero): OnnxNode[] => {
		const inputs = [bytes, shortlistInput, inputScale, ...others];
		if (ownZero !== '') inputs[5] = ownZero;
		if (bias !== '') inputs[6] = shortlistBias;
		return [{ ...product, name: made, inputs, outputs: [made] }];
	};
	return {
		nodes: [product],
		hidden: bytes,
		few,
		source: {
			weight,
			scales,
			isInt8: true,
			takesBytes: true,
			...defined({ zero: zero || undefined, bias: bias || undefined }),
		},
	};
}

/**
 * Puts the head into one branch of an `If` and the product with the given columns into the other.
 * @param outer where sums of signed bytes are cut off: the graph whose weights become the branch's own, because
 *   only those are made unsigned
 */
function split(
	{ graph, nodes: head, hidden, few, output, source }: Head,
	index: number,
	outer: OnnxGraph | undefined,
): void {
	const last = head[head.length - 1] as OnnxNode;
	const [made = ''] = last.outputs;
	freeWidth(graph, output);
	const named = (part: string): string => `nearglot/head${index}/${part}`;
	const full = named('full');
	const own: OnnxNode[] = [...head.slice(0, -1), { ...last, outputs: [full] }];
	const whole = branch('then_branch', own, full);
	const zero = outer && scalarTensor(named('zero_byte'), 'uint8', unsignedZero);
	if (outer !== undefined) takeSignedBytes(whole.graph, [outer, graph], named);
	const short =
		few?.(named('short'), zero?.name) ??
		(source.bias === undefined
			? [makeNode('MatMul', [hidden, shortlistInput], [named('short')])]
			: [
					makeNode('MatMul', [hidden, shortlistInput], [named('product')]),
					makeNode('Add', [named('product'), shortlistBias], [named('short')]),
				]);
	graph.initializers.push(int64Tensor(named('one'), [1], []), int64Tensor(named('zero'), [0], []));
	if (zero !== undefined) graph.initializers.push(zero);
	const nodes = [
		makeNode('Shape', [shortlistInput], [named('shape')]),
		makeNode('Gather', [named('shape'), named('one')], [named('words')], [intAttribute('axis', 0)]),
		makeNode('Equal', [named('words'), named('zero')], [named('all')]),
		makeNode(
			'If',
			[named('all')],
			[made],
			[whole, branch('else_branch', [...short], named('short'))],
		),
	];
	graph.nodes.splice(graph.nodes.indexOf(last), 1, ...nodes);
	for (const node of head.slice(0, -1)) graph.nodes.splice(graph.nodes.indexOf(node), 1);
}

/** Weights of signed bytes that the branch's nodes take of other graphs become its own, under other names. */
function takeSignedBytes(
	inner: OnnxGraph,
	outer: readonly OnnxGraph[],
	named: (part: string) => string,
): void {
	for (const node of inner.nodes)
		node.inputs = node.inputs.map((input, place) => {
			const found = outer.flatMap((graph) => graph.initializers).find(({ name }) => name === input);
			const header = found && readTensorHeader(found.bytes);
			if (header?.dataType !== 3) return input;
			const name = named(`bytes_${node.outputs[0]}_${place}`);
			inner.initializers.push(tensorFromHeader({ ...header, name }));
			return name;
		});
}

interface Branch extends OnnxAttribute {
	readonly graph: OnnxGraph;
}

function branch(name: string, nodes: OnnxNode[], output: string): Branch {
	const graph: OnnxGraph = {
		name,
		nodes,
		inputs: [],
		outputs: [{ name: output, elementType: 0, dims: undefined }],
		initializers: [],
		rest: [],
	};
	// AttributeProto: name = 1, g = 6 (written from the graph), type = 20 (GRAPH = 5).
	const bytes = new WireWriter().text(1, name).bytes(6, new Uint8Array(0)).int(20, 5).finish();
	return { name, bytes, graph };
}

/** Name → header of the weights of a graph and its branches. */
export function headTensors(graph: OnnxGraph): Map<string, ReturnType<typeof readTensorHeader>> {
	const found = new Map(
		graph.initializers.map(({ name, bytes }) => [name, readTensorHeader(bytes)] as const),
	);
	for (const node of graph.nodes) {
		for (const { graph: inner } of node.attributes) {
			if (inner === undefined) continue;
			for (const [name, header] of headTensors(inner)) found.set(name, header);
		}
	}
	return found;
}
