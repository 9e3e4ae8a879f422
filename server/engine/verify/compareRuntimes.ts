/**
 * Compares the two runtimes on a graph of one attention node before the faster one is trusted: a
 * prompt and a decode step, caches in place. A library whose interface had moved would show here.
 */

import type { MemoryGraph } from '../modelFiles/graphSource.ts';
import { intAttribute, makeNode } from '../onnx/graphEdit.ts';
import { encodeModel, type OnnxValue } from '../onnx/onnxModel.ts';
import { WireWriter } from '../onnx/wire.ts';
import type { Runtime } from '../runtime/runtime.ts';

const heads = 2;
const headSize = 16;
const width = heads * headSize;
const capacity = 8;

/** Why the two differ, or `undefined` when they agree. */
export async function compareRuntimes(fast: Runtime, plain: Runtime): Promise<string | undefined> {
	const graph = attentionGraph();
	const expected = await attend(plain, graph);
	const actual = await attend(fast, graph);
	for (let k = 0; k < expected.length; k++) {
		const apart = Math.abs((expected[k] as number) - (actual[k] as number));
		if (!(apart < 1e-4)) return `results differ by ${apart}`;
	}
	return undefined;
}

/** Outputs of a prompt of three tokens and of one token after it. */
async function attend(runtime: Runtime, graph: MemoryGraph): Promise<number[]> {
	const session = await runtime.open(graph, { threads: 1 });
	const binding = session.createBinding();
	try {
		const caches = ['key', 'value'].map((name) => {
			const data = new Float32Array(width * capacity);
			const dims = [1, heads, capacity, headSize];
			binding.input(`past_${name}`, data, dims);
			binding.output(`present_${name}`, data, dims);
			return data;
		});
		const results: number[] = [];
		let length = 0;
		for (const tokens of [3, 1]) {
			const dims = [1, tokens, width];
			for (const [index, name] of ['query', 'key', 'value'].entries()) {
				const data = Float32Array.from({ length: tokens * width }, (_, k) =>
					Math.sin(k * 0.7 + index + length),
				);
				binding.input(name, data, dims);
			}
			length += tokens;
			binding.input('seqlens', Int32Array.of(length - 1), [1]);
			binding.input('total', Int32Array.of(length), [1]);
			const output = new Float32Array(tokens * width);
			binding.output('output', output, dims);
			await binding.run();
			results.push(...output);
		}
		return [...results, ...caches.flatMap((data) => [...data])];
	} finally {
		binding.release();
		session.close();
	}
}

function attentionGraph(): MemoryGraph {
	const value = (name: string, elementType: number, dims: (number | string)[]): OnnxValue => ({
		name,
		elementType,
		dims,
	});
	const tokens = ['query', 'key', 'value'].map((name) => value(name, 1, [1, 'tokens', width]));
	const cache = (name: string): OnnxValue => value(name, 1, [1, heads, 'capacity', headSize]);
	const node = makeNode(
		'GroupQueryAttention',
		['query', 'key', 'value', 'past_key', 'past_value', 'seqlens', 'total'],
		['output', 'present_key', 'present_value'],
		[intAttribute('num_heads', heads), intAttribute('kv_num_heads', heads)],
		'com.microsoft',
	);
	const opset = (domain: string, version: number): Uint8Array =>
		new WireWriter().bytes(8, new WireWriter().text(1, domain).int(2, version).finish()).finish();
	const bytes = encodeModel({
		rest: [new WireWriter().int(1, 10).finish(), opset('', 21), opset('com.microsoft', 1)],
		graph: {
			name: 'check',
			nodes: [node],
			inputs: [
				...tokens,
				cache('past_key'),
				cache('past_value'),
				value('seqlens', 6, [1]),
				value('total', 6, [1]),
			],
			outputs: [
				value('output', 1, [1, 'tokens', width]),
				cache('present_key'),
				cache('present_value'),
			],
			initializers: [],
			rest: [],
		},
	});
	return { name: 'check', bytes, folder: process.cwd() };
}
