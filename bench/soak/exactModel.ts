/**
 * A copy of a model that computes with whole numbers nowhere: its activations stay float32, so that
 * what else is computed beside a request changes nothing but the last bits of a logit.
 */

import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { intAttribute } from '../../server/engine/onnx/graphEdit.ts';
import { decodeModel, encodeModel, type OnnxGraph } from '../../server/engine/onnx/onnxModel.ts';

/** Copies `from` to `to`. */
export function writeExactModel(from: string, to: string): void {
	cpSync(from, to, { recursive: true });
	const folder = join(to, 'onnx');
	for (const name of readdirSync(folder)) {
		const path = join(folder, name);
		if (name.endsWith('.onnx')) {
			const model = decodeModel(readFileSync(path));
			makeExact(model.graph);
			writeFileSync(path, encodeModel(model));
		}
	}
}

function makeExact(graph: OnnxGraph): void {
	for (const node of graph.nodes) {
		for (const { graph: inner } of node.attributes) if (inner !== undefined) makeExact(inner);
		if (node.op !== 'MatMulNBits') continue;
		const others = node.attributes.filter(({ name }) => name !== 'accuracy_level');
		// Level 1: products in float32.
		node.attributes.splice(0, node.attributes.length, ...others, intAttribute('accuracy_level', 1));
	}
}
