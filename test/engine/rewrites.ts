/** Changes rewritten graphs on their way into the runtime, as a fault of a rewrite would. */

import assert from 'node:assert/strict';
import type { MemoryGraph } from '../../server/engine/modelFiles/graphSource.ts';
import { makeNode } from '../../server/engine/onnx/graphEdit.ts';
import { decodeModel, encodeModel, type OnnxGraph } from '../../server/engine/onnx/onnxModel.ts';
import type { Runtime } from '../../server/engine/runtime/runtime.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';

/** Does `use` while every rewritten graph is changed before this process's runtime opens it. */
export async function whileRewrites<T>(
	plainRuntime: boolean,
	change: (graph: MemoryGraph) => MemoryGraph,
	use: () => Promise<T>,
): Promise<T> {
	const runtime: { -readonly [Key in keyof Runtime]: Runtime[Key] } =
		await openRuntime(plainRuntime);
	const { open } = runtime;
	runtime.open = async (graph, options) =>
		open(typeof graph === 'string' || isPublished(graph) ? graph : change(graph), options);
	try {
		return await use();
	} finally {
		runtime.open = open;
	}
}

/** What asks the library how it adds is no model's, and unsigned weights alone are no change of what a graph says. */
function isPublished({ name, bytes }: MemoryGraph): boolean {
	if (name === 'sums') return true;
	const names = decodeModel(bytes).graph.initializers.map((tensor) => tensor.name);
	const isPerToken = names.some((one) => one.startsWith('nearglot/row_'));
	return !isPerToken && names.some((one) => one.endsWith('/unsigned'));
}

/** No rewritten graph runs, so models run as they were published. */
export function refused(): MemoryGraph {
	throw new Error('no rewrites here');
}

/** Gives an output of some graphs the other sign. */
export function negated(
	output: string,
	isMeant: (graph: OnnxGraph, name: string) => boolean = () => true,
): (graph: MemoryGraph) => MemoryGraph {
	return (graph) => {
		const model = decodeModel(graph.bytes);
		if (!isMeant(model.graph, graph.name)) return graph;
		const node = model.graph.nodes.find(({ outputs }) => outputs.includes(output));
		assert.ok(node);
		node.outputs[node.outputs.indexOf(output)] = `${output}/right`;
		model.graph.nodes.push(makeNode('Neg', [`${output}/right`], [output]));
		return { ...graph, bytes: encodeModel(model) };
	};
}
