/** Which weights of a graph file lie in files, for sessions that share them. */

import { dirname, resolve } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import type { SharedWeight, WeightSharing } from '../runtime/runtime.ts';
import { loadGraphWithoutWeights } from './graphWithoutWeights.ts';
import { readTensorHeader } from './tensorProto.ts';
import { readUnsigned } from './unsignedWeights.ts';

/** Smaller ones are not worth a mapping of their own. */
const minBytes = 16 << 10;

/**
 * The large weights of the graph at `path`. Graphs rewritten from it have the same names.
 * Never throws: without an answer nothing is shared.
 * @param cutsSigned the runtime cuts off sums of signed bytes: such weights are there as unsigned ones as well
 */
export async function weightSharing(
	path: string,
	cutsSigned = false,
): Promise<WeightSharing | undefined> {
	try {
		const { graph } = await loadGraphWithoutWeights(path);
		const all: SharedWeight[] = [];
		for (const { name, bytes } of graph.initializers) {
			const { external, dims, dataType } = readTensorHeader(bytes);
			if (external === undefined) continue;
			const { location, offset, length } = external;
			const file = await modelFile(dirname(path), location);
			all.push({ name, typeCode: dataType, dims, file, offset, length });
		}
		const weights = all.filter(({ length }) => length >= minBytes);
		if (weights.length === 0) return undefined;
		const unsigned = cutsSigned ? await readUnsigned(graph, all) : [];
		return {
			key: resolve(path),
			weights: [...weights, ...unsigned],
			...(unsigned.length === 0 ? {} : { unsigned: new Set(unsigned.map(({ name }) => name)) }),
		};
	} catch {
		return undefined;
	}
}
