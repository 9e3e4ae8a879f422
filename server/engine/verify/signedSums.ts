/**
 * Whether ONNX Runtime cuts off sums of products of unsigned with signed bytes that are no weights: x64 without VNNI adds
 * two of them in 16 bits. Weights it makes unsigned beforehand where it is asked for exact sums (`exactSums` of
 * `modelFiles/sessionConfig.ts`); what is given with each run, and weights of an outer graph, it leaves as they are.
 */

import type { MemoryGraph } from '../modelFiles/graphSource.ts';
import { makeNode } from '../onnx/graphEdit.ts';
import { encodeModel } from '../onnx/onnxModel.ts';
import { WireWriter } from '../onnx/wire.ts';
import type { Runtime } from '../runtime/runtime.ts';

const depth = 8;
const columns = 16;

const known = new WeakMap<Runtime, Promise<boolean>>();

/** Asks the runtime for the largest sums there are; once for each runtime. */
export function cutsSignedSums(runtime: Runtime): Promise<boolean> {
	const asked = known.get(runtime) ?? ask(runtime);
	known.set(runtime, asked);
	return asked;
}

async function ask(runtime: Runtime): Promise<boolean> {
	const session = await runtime.open(productGraph(), { threads: 1 });
	const binding = session.createBinding();
	try {
		binding.input('left', new Uint8Array(depth).fill(255), [1, depth]);
		binding.input('right', new Int8Array(depth * columns).fill(127), [depth, columns]);
		const sums = new Int32Array(columns);
		binding.output('sums', sums, [1, columns]);
		await binding.run();
		const isCut = sums.some((sum) => sum !== depth * 255 * 127);
		return isCut;
	} finally {
		binding.release();
		session.close();
	}
}

function productGraph(): MemoryGraph {
	const opset = new WireWriter().text(1, '').int(2, 21).finish();
	const bytes = encodeModel({
		rest: [new WireWriter().int(1, 10).finish(), new WireWriter().bytes(8, opset).finish()],
		graph: {
			name: 'sums',
			nodes: [makeNode('MatMulInteger', ['left', 'right'], ['sums'])],
			inputs: [
				{ name: 'left', elementType: 2, dims: [1, depth] },
				{ name: 'right', elementType: 3, dims: [depth, columns] },
			],
			outputs: [{ name: 'sums', elementType: 6, dims: [1, columns] }],
			initializers: [],
			rest: [],
		},
	});
	return { name: 'sums', bytes, folder: process.cwd() };
}
