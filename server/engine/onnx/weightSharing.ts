/** Which weights of a graph file lie in files, for sessions that share them. */

import { dirname, resolve } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import type { SharedWeight, WeightSharing } from '../runtime/runtime.ts';
import { loadGraphWithoutWeights } from './graphWithoutWeights.ts';
import { readTensorHeader } from './tensorProto.ts';

/** Smaller ones are not worth a mapping of their own. */
const minBytes = 16 << 10;

/**
 * The large weights of the graph at `path`. Graphs rewritten from it have the same names.
 * Never throws: without an answer nothing is shared.
 */
export async function weightSharing(path: string): Promise<WeightSharing | undefined> {
	try {
		const { graph } = await loadGraphWithoutWeights(path);
		const weights: SharedWeight[] = [];
		for (const { name, bytes } of graph.initializers) {
			const { external, dims, dataType } = readTensorHeader(bytes);
			if (external === undefined || external.length < minBytes) continue;
			const { location, offset, length } = external;
			const file = await modelFile(dirname(path), location);
			weights.push({ name, typeCode: dataType, dims, file, offset, length });
		}
		return weights.length === 0 ? undefined : { key: resolve(path), weights };
	} catch {
		return undefined;
	}
}
