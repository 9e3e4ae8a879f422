/** Reads the length at which a graph changes its rotary factors (LongRoPE: an If on the total length). */

import { constantTensor, producers } from './graphEdit.ts';
import { loadGraphWithoutWeights } from './graphWithoutWeights.ts';
import { tensorNumbers } from './tensorProto.ts';

/** The constant `limit` of `If(total > limit)`; `undefined` when the graph has no such choice. */
export async function readLongRopeLimit(path: string): Promise<number | undefined> {
	const { graph } = await loadGraphWithoutWeights(path);
	const made = producers(graph);
	const weights = new Map(graph.initializers.map(({ name, bytes }) => [name, bytes]));
	for (const node of graph.nodes) {
		if (node.op !== 'If') continue;
		const condition = made.get(node.inputs[0] ?? '');
		if (condition?.op !== 'Greater' && condition?.op !== 'GreaterOrEqual') continue;
		for (const input of condition.inputs) {
			const producer = made.get(input);
			const tensor = producer?.op === 'Constant' ? constantTensor(producer) : weights.get(input);
			const limit = tensor === undefined ? undefined : tensorNumbers(tensor)?.[0];
			if (limit !== undefined) return condition.op === 'Greater' ? limit : limit - 1;
		}
	}
	return undefined;
}
