/**
 * A decoder's cell that keeps one state of fixed size instead of the keys and values of all tokens: a simple
 * recurrent unit with a forget gate (SSRU, arXiv 1911.04944 and marian's `rnn/cells.h`).
 */

import { intAttribute, intsAttribute, makeNode } from '../../onnx/graphEdit.ts';
import type { OnnxAttribute, OnnxGraph } from '../../onnx/onnxModel.ts';
import { WireWriter } from '../../onnx/wire.ts';
import { dense, pathOf } from './blockParts.ts';
import type { Seq2SeqParts } from './positionTable.ts';

const stateName = (layer: number, what: string) => `key_values.${layer}.decoder.${what}`;

/** Input of a state, `[batch, 1, 1, width]`: an axis of fixed length tells it from a cache that grows. */
function pastState(parts: Seq2SeqParts, name: string, width: number): string {
	return parts.writer.input(`past_${name}`, 'float32', ['batch_size', 1, 1, width]);
}

function presentState({ writer }: Seq2SeqParts, name: string, value: string, width: number): void {
	const output = name.replace(/^key_values/, 'present');
	writer.output(output, 'float32', ['batch_size', 1, 1, width]);
	writer.node('Reshape', [value, writer.integers([-1, 1, 1, width])], output);
}

/** @returns what the cell adds to the stream */
export function writeSsru(
	parts: Seq2SeqParts,
	x: string,
	layer: number,
	withPast: boolean,
): string {
	const { writer, shape } = parts;
	const { hiddenSize } = shape;
	const module = `model.decoder.layers.${layer}.ssru`;
	const path = pathOf(module);
	const forget = writer.node(
		'Sigmoid',
		[dense(parts, x, `${module}.forget`, hiddenSize, hiddenSize)],
		`${path}/Sigmoid/output_0`,
	);
	const update = dense(parts, x, `${module}.update`, hiddenSize, hiddenSize);
	const kept = writer.node('Sub', [writer.float(1), forget], `${path}/Sub/output_0`);
	const added = writer.node('Mul', [kept, update], `${path}/Mul/output_0`);
	const name = stateName(layer, 'state');
	let states: string;
	if (withPast) {
		const past = writer.node(
			'Reshape',
			[pastState(parts, name, hiddenSize), writer.integers([-1, 1, hiddenSize])],
			`${path}/past/Reshape/output_0`,
		);
		const old = writer.node('Mul', [forget, past], `${path}/old/Mul/output_0`);
		states = writer.node('Add', [old, added], `${path}/Add/output_0`);
		presentState(parts, name, states, hiddenSize);
	} else {
		const last = `${path}/Scan/output_0`;
		states = `${path}/Scan/output_1`;
		writer.branch({
			name: `${path}/Scan`,
			op: 'Scan',
			domain: '',
			inputs: [nothing(parts, added, path), forget, added],
			outputs: [last, states],
			attributes: [
				stepAttribute(path),
				intAttribute('num_scan_inputs', 2),
				intsAttribute('scan_input_axes', [1, 1]),
				intsAttribute('scan_output_axes', [1]),
			],
			rest: [],
		});
		presentState(parts, name, last, hiddenSize);
	}
	return writer.node('Relu', [states], `${path}/Relu/output_0`);
}

/** Zeros, `[batch, hiddenSize]`: the state before the first token. */
function nothing({ writer }: Seq2SeqParts, like: string, path: string): string {
	const shape = writer.node('Shape', [like], `${path}/nothing/Shape/output_0`);
	const ends = writer.node(
		'Gather',
		[shape, writer.integers([0, 2])],
		`${path}/nothing/Gather/output_0`,
		{
			axis: 0,
		},
	);
	return writer.node('ConstantOfShape', [ends], `${path}/nothing/ConstantOfShape/output_0`);
}

/** `state ← forget · state + added` for each token. */
function stepAttribute(path: string): OnnxAttribute {
	const own = (name: string) => `${path}/step/${name}`;
	const value = (name: string) => ({ name: own(name), elementType: 1, dims: undefined });
	const graph: OnnxGraph = {
		name: 'step',
		nodes: [
			makeNode('Mul', [own('forget'), own('state')], [own('old')]),
			makeNode('Add', [own('old'), own('added')], [own('next')]),
			makeNode('Identity', [own('next')], [own('given')]),
		],
		inputs: ['state', 'forget', 'added'].map(value),
		outputs: ['next', 'given'].map(value),
		initializers: [],
		rest: [],
	};
	// AttributeProto: name = 1, g = 6 (written from the graph), type = 20 (GRAPH = 5).
	const bytes = new WireWriter().text(1, 'body').bytes(6, new Uint8Array(0)).int(20, 5).finish();
	return { name: 'body', bytes, graph };
}

/** Positions of the tokens: carried from run to run, since no cache grows that would tell them. */
export function writePositions(parts: Seq2SeqParts, count: string, withPast: boolean): string {
	const { writer } = parts;
	const path = '/model/decoder/position';
	const name = stateName(0, 'position');
	if (!withPast) {
		const first = writer.node(
			'Range',
			[writer.integers([0], []), count, writer.integers([1], [])],
			`${path}/Range/output_0`,
		);
		const number = writer.node('Cast', [count], `${path}/Cast/output_0`, { to: 1 });
		const shape = writer.node('Shape', ['input_ids'], `${path}/Shape/output_0`);
		const batch = writer.node('Gather', [shape, writer.integers([0])], `${path}/Gather/output_0`, {
			axis: 0,
		});
		const spread = writer.node('Expand', [number, batch], `${path}/Expand/output_0`);
		presentState(parts, name, spread, 1);
		return first;
	}
	const past = pastState(parts, name, 1);
	const next = writer.node('Add', [past, writer.float(1)], `${path}/Add/output_0`);
	presentState(parts, name, next, 1);
	const flat = writer.node('Reshape', [past, writer.integers([-1, 1])], `${path}/Reshape/output_0`);
	return writer.node('Cast', [flat], `${path}/Cast/output_0`, { to: 7 });
}
