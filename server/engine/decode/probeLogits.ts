/**
 * Learns from one short run how a graph's logits come out. What a graph declares does not tell: exporters
 * leave the shape of the logits out, or keep that of a head that saw every token.
 */

import { AppError } from '../../protocol/index.ts';
import type { DecoderGraph, LogitsForm } from './decoderGraph.ts';

/** So many that all of them, those asked for and the last one are different counts. */
const tokens = [1, 1, 1];
const wanted = 2;

/**
 * The graph with the form, rank and width that its logits are seen to have.
 * @param run gives the shape of the logits of a run of `tokens` in which the last `wanted` are asked for
 * @throws AppError `unsupported_model` when the graph does not run, or its logits are of no known form
 */
export async function probeLogits(
	graph: DecoderGraph,
	run: (tokens: readonly number[], wanted: number) => Promise<readonly number[]>,
): Promise<DecoderGraph> {
	const dims = await run(tokens, wanted).catch(refuseGraph);
	checkDeclared(graph.logits.dims, dims);
	const count = dims.slice(0, -1).reduce((product, dim) => product * dim, 1);
	const form = formOf(graph, count);
	const isBatch = dims.length === 2 || (dims.length === 3 && dims[0] === 1);
	if (form === undefined || !isBatch) {
		throw new AppError(
			'unsupported_model',
			`The graph's logits for ${tokens.length} tokens have the shape [${dims.join(', ')}]. They must be those of every token or of the last one: export the model with all logits, or for its last token only.`,
		);
	}
	return {
		...graph,
		logits: { ...graph.logits, dims: dims.length === 2 ? [-1, -1] : [-1, -1, -1] },
		logitsForm: form,
		vocabularySize: dims.at(-1) as number,
	};
}

function formOf({ gather, keep }: DecoderGraph, count: number): LogitsForm | undefined {
	if (gather !== undefined) return count === wanted ? 'gather' : undefined;
	if (count === tokens.length) return 'all';
	if (count === 1) return 'last';
	return keep !== undefined && count === wanted ? 'keep' : undefined;
}

/** @throws AppError `unsupported_model` for a graph whose first small run failed */
export function refuseGraph(cause: unknown): never {
	if (cause instanceof AppError && cause.code !== 'internal') throw cause;
	throw new AppError(
		'unsupported_model',
		'The graph can be opened and does not run: a prompt of three tokens fails in it. Export the model again, or choose another variant of it.',
		{ cause },
	);
}

/**
 * The runtime refuses memory of another shape than the declared one.
 * @throws AppError `unsupported_model` where the logits are not of the shape that was declared
 */
export function checkDeclared(declared: readonly number[], dims: readonly number[]): void {
	const agrees =
		declared.length === 0 ||
		(declared.length === dims.length &&
			declared.every((dim, axis) => dim < 0 || dim === dims[axis]));
	if (agrees) return;
	throw new AppError(
		'unsupported_model',
		`The graph declares logits of the shape [${declared.map((dim) => (dim < 0 ? '?' : dim)).join(', ')}] and gives [${dims.join(', ')}]: export the model again.`,
	);
}
