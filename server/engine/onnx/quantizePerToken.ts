/**
 * Rewrite: per-token instead of per-tensor dynamic int8 quantization. `DynamicQuantizeLinear` looks at
 * all tokens of a run at once, so a text's result depends on its neighbours; with scales of their own,
 * tokens may share a run. The numbers are symmetric around 128, because the kernels want one zero point:
 * finer than before for the small tokens of a run, up to twice as coarse for a single one whose values
 * lie on one side of zero. The weights stay as they are.
 */

import { intAttribute, intsAttribute, makeNode, removeDead } from './graphEdit.ts';
import type { OnnxGraph, OnnxNode, OnnxTensor } from './onnxModel.ts';
import { int64Tensor, readTensorHeader, scalarTensor } from './tensorProto.ts';

const middle = 'nearglot/row_middle';
const offset = 'nearglot/row_offset';
const maxCode = 'nearglot/row_largest';
const minSize = 'nearglot/row_least';
const axesName = (axes: readonly number[]): string => `nearglot/row_axes${axes.join('_')}`;

/** First version of the default operators whose ReduceMax has its axes as an input. */
const axesAreInput = 18;

/**
 * Changes the graph in place. Returns why it cannot be done, or `undefined` when it was.
 * @param opset version of the default operators
 */
export function quantizePerToken(graph: OnnxGraph, opset: number): string | undefined {
	const weights = new Map(graph.initializers.map((one) => [one.name, one] as const));
	const users = usersOf(graph);
	const plans: Plan[] = [];
	for (const { node, of } of allNodes(graph)) {
		if (!node.op.startsWith('DynamicQuantize')) continue;
		if (node.op !== 'DynamicQuantizeLinear') return `it has a ${node.op}`;
		const axes = tokenAxes(node, users, weights);
		if (typeof axes === 'string') return axes;
		const scales = scaleUses(node.outputs[1] ?? '', users);
		if (typeof scales === 'string') return scales;
		plans.push({ in: of, node, axes, scales });
	}
	if (plans.length === 0) return 'the graph has no dynamic int8';
	if (opset < 11) return `its operators are of version ${opset}`;
	for (const plan of plans) {
		const nodes = quantizeTokens(plan.node, plan.axes, opset);
		for (const user of users.get(plan.node.outputs[0] ?? '') ?? []) user.inputs[2] = middle;
		for (const { joint, weight, products } of plan.scales) {
			const [scale = ''] = joint.outputs;
			Object.assign(joint, { op: 'Div', inputs: [plan.node.outputs[1], weight] });
			for (const one of products) {
				const product = one.inputs.find((name) => name !== scale) ?? '';
				Object.assign(one, { op: 'Div', inputs: [product, scale] });
			}
		}
		plan.in.nodes.splice(plan.in.nodes.indexOf(plan.node), 1, ...nodes);
	}
	graph.initializers.push(
		scalarTensor(middle, 'uint8', 128),
		// The conversion cuts off, so half more rounds.
		scalarTensor(offset, 'float32', 128.5),
		scalarTensor(maxCode, 'float32', 127),
		scalarTensor(minSize, 'float32', 1e-30),
	);
	if (opset >= axesAreInput) {
		for (const axes of new Map(plans.map(({ axes: one }) => [one.join(), one])).values())
			graph.initializers.push(int64Tensor(axesName(axes), axes, [axes.length]));
	}
	removeDead(graph);
	return undefined;
}

interface Plan {
	/** The graph the node is in. */
	readonly in: OnnxGraph;
	/** A `DynamicQuantizeLinear`. */
	readonly node: OnnxNode;
	/** Axes of its input that share a scale. */
	readonly axes: number[];
	readonly scales: readonly ScaleUse[];
}

/** Where a scale goes: `joint` = scale · weight's scale, and the products that are multiplied by it. */
interface ScaleUse {
	readonly joint: OnnxNode;
	readonly weight: string;
	readonly products: readonly OnnxNode[];
}

/** Nodes of a graph and of its subgraphs. */
function* allNodes(graph: OnnxGraph): Generator<{ node: OnnxNode; of: OnnxGraph }> {
	for (const node of graph.nodes) {
		yield { node, of: graph };
		for (const { graph: inner } of node.attributes) if (inner !== undefined) yield* allNodes(inner);
	}
}

function usersOf(graph: OnnxGraph): ReadonlyMap<string, OnnxNode[]> {
	const users = new Map<string, OnnxNode[]>();
	for (const { node } of allNodes(graph)) {
		for (const name of node.inputs) {
			const known = users.get(name);
			if (known === undefined) users.set(name, [node]);
			else known.push(node);
		}
	}
	return users;
}

/** Axes that share a scale: the last one for matrices, all but the batch for convolutions. */
function tokenAxes(
	{ outputs: [numbers = '', , zero = ''] }: OnnxNode,
	users: ReadonlyMap<string, OnnxNode[]>,
	weights: ReadonlyMap<string, OnnxTensor>,
): number[] | string {
	const found = new Map<string, number[]>();
	for (const { op, inputs } of [...(users.get(numbers) ?? []), ...(users.get(zero) ?? [])]) {
		if (inputs[0] !== numbers || inputs[2] !== zero)
			return 'its int8 numbers are used in an unknown way';
		if (op === 'MatMulInteger') {
			found.set('rows', [-1]);
			continue;
		}
		const weight = weights.get(inputs[1] ?? '');
		const rank = weight === undefined ? 0 : readTensorHeader(weight.bytes).dims.length;
		if (op !== 'ConvInteger' || rank < 3) return `its int8 numbers go into ${op}`;
		found.set(
			`items ${rank}`,
			Array.from({ length: rank - 1 }, (_, axis) => axis + 1),
		);
	}
	const [axes] = found.values();
	if (axes === undefined || found.size > 1) return 'its int8 numbers serve different products';
	return axes;
}

function scaleUses(scale: string, users: ReadonlyMap<string, OnnxNode[]>): ScaleUse[] | string {
	const found: ScaleUse[] = [];
	for (const joint of users.get(scale) ?? []) {
		const weight = joint.inputs.find((name) => name !== scale);
		const products = users.get(joint.outputs[0] ?? '') ?? [];
		const isKnown = [joint, ...products].every(
			({ op, inputs }) => op === 'Mul' && inputs[0] !== inputs[1],
		);
		if (!isKnown || weight === undefined)
			return 'the scale of its int8 numbers is used in an unknown way';
		found.push({ joint, weight, products });
	}
	return found;
}

/**
 * factor = 127 / max |x|, numbers = round(x · factor) + 128, zero point = 128. The factor takes the name
 * of the scale, and what was multiplied by scales is divided by factors: ONNX Runtime takes the usual
 * products for MatMulIntegerToFloat, which reads the first token's scale for all of them.
 */
function quantizeTokens(node: OnnxNode, axes: readonly number[], opset: number): OnnxNode[] {
	const [x = ''] = node.inputs;
	const [numbers = '', factor = ''] = node.outputs;
	const part = (name: string): string => `${numbers}/row_${name}`;
	const keep = intAttribute('keepdims', 1);
	const reduce =
		opset >= axesAreInput
			? makeNode('ReduceMax', [part('sizes'), axesName(axes)], [part('peak')], [keep])
			: makeNode('ReduceMax', [part('sizes')], [part('peak')], [keep, intsAttribute('axes', axes)]);
	return [
		makeNode('Abs', [x], [part('sizes')]),
		reduce,
		makeNode('Max', [part('peak'), minSize], [part('size')]),
		makeNode('Div', [maxCode, part('size')], [factor]),
		makeNode('Mul', [x, factor], [part('scaled')]),
		makeNode('Add', [part('scaled'), offset], [part('moved')]),
		makeNode('Cast', [part('moved')], [numbers], [intAttribute('to', 2)]),
	];
}
