/** Memory a model takes while loaded, estimated before loading it. */

import type { ModelVariant } from '../api.ts';
import type { GraphSummary } from './graphSummary.ts';
import type { ModelSizes } from './modelSizes.ts';
import { float16 } from './precision.ts';

/** Context the estimate is made for, in tokens (or the model's own when that is shorter). */
const estimateContextTokens = 4096;

/** Process, runtime and text side, in bytes: what small models measured beyond their weights (144 to 171 MB in all). */
export const runtimeBytes = 150_000_000;

export interface CacheSizes {
	readonly layers: number;
	readonly kvHeads: number;
	readonly headSize: number;
	/** 0 where it is not known. */
	readonly contextLength: number;
}

/** Keys and values of {@link estimateContextTokens}. @param bytesEach of a number */
export function cacheBytes(sizes: CacheSizes, bytesEach: number): number {
	const context = Math.min(sizes.contextLength || estimateContextTokens, estimateContextTokens);
	return 2 * sizes.layers * sizes.kvHeads * sizes.headSize * context * bytesEach;
}

/** Weights, KV caches at {@link estimateContextTokens} and the runtime itself, in bytes. */
export function estimateMemoryBytes(
	variant: ModelVariant | undefined,
	sizes: ModelSizes,
	graphs: ReadonlyMap<string, GraphSummary>,
): number {
	const half = [...graphs.values()].some((graph) =>
		graph.inputs.some((input) => /key/.test(input.name) && input.elementType === float16),
	);
	// What the graphs say of their weights counts as well: files have any name, and may be shared.
	let inGraphs = 0;
	for (const graph of graphs.values())
		for (const bytes of graph.weightTypes.values()) inGraphs += bytes;
	const weights = Math.max(variant?.sizeBytes ?? 0, inGraphs);
	return weights + cacheBytes(sizes, half ? 2 : 4) + runtimeBytes;
}
