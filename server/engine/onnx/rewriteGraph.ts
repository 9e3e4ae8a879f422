/**
 * Graphs are rewritten in memory whenever they are loaded, because that takes no longer than
 * finding a copy made earlier. Its weights stay in the published files, so nothing is written anywhere.
 */

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { MemoryGraph } from '../modelFiles/graphSource.ts';
import { addAttentionOutputs } from './attentionOutputs.ts';
import { importContrib } from './contribDomain.ts';
import { takeExactActivations } from './exactActivations.ts';
import { fuseAttention } from './fuseAttention.ts';
import { gatherLogits } from './gatherLogits.ts';
import { loadGraphWithoutWeights } from './graphWithoutWeights.ts';
import { useInt4Kernel } from './int4Kernel.ts';
import { encodeModel, type OnnxGraph, type OnnxModel } from './onnxModel.ts';
import { packSlots } from './packSlots.ts';
import { quantizePerToken } from './quantizePerToken.ts';
import { rebaseExternalData } from './rebaseExternalData.ts';
import { type ColumnBytes, shortlistHead } from './shortlistHead.ts';
import { readTensorHeader } from './tensorProto.ts';
import { useUnsignedWeights } from './unsignedWeights.ts';
import { fieldInt, fieldText, readFields } from './wire.ts';

/** The rewrites to make. */
export interface GraphRewrites {
	/** Compute logits only where asked. */
	readonly gather?: boolean;
	/** Split attention into this many slots. */
	readonly slots?: number;
	/** Fuse attention that is spelled out; the number of query heads. */
	readonly fuseHeads?: number;
	/** Give cross-attention as outputs. */
	readonly attentions?: boolean;
	/** Let the head be given the columns of some tokens. */
	readonly shortlist?: ColumnBytes;
	/** Dynamic int8 with a scale per token instead of per tensor. */
	readonly perTokenQuantization?: boolean;
	/** Products of 4-bit weights by the engine's own operator; the key of its library. */
	readonly kernel?: string;
	/** Activations of 4-bit weights in single precision. */
	readonly exact?: boolean;
	/** Names of weights that the session is given as unsigned bytes. */
	readonly unsigned?: ReadonlySet<string>;
}

/** The rewrites by name, for people. */
export function nameRewrites(rewrites: GraphRewrites): string {
	const { gather, slots, attentions, fuseHeads, shortlist, perTokenQuantization, kernel } =
		rewrites;
	const { exact, unsigned } = rewrites;
	const names = [
		perTokenQuantization === true ? 'a scale for each row' : '',
		fuseHeads === undefined ? '' : 'fused attention',
		gather === true ? 'logits where asked' : '',
		attentions === true ? 'attention as an output' : '',
		shortlist === undefined ? '' : 'a table of words',
		slots === undefined ? '' : 'packed slots',
		kernel === undefined ? '' : 'own products of 4-bit weights',
		exact === true ? 'exact activations' : '',
		unsigned === undefined ? '' : 'unsigned weights',
	];
	return names.filter((name) => name !== '').join(', ');
}

/** A rewritten graph. */
export interface RewrittenGraph extends MemoryGraph {
	/** Changes with the graph and with the files of its weights. */
	readonly key: string;
}

export type RewriteResult =
	| RewrittenGraph
	/** Why the graph stays as it was published. */
	| { readonly refused: string };

/**
 * The graph of the file at `path`, rewritten.
 * Never throws: a graph that cannot be changed is refused with the reason.
 */
export async function rewriteGraph(path: string, rewrites: GraphRewrites): Promise<RewriteResult> {
	try {
		const model = await loadGraphWithoutWeights(path);
		const folder = await rebaseExternalData(model, path);
		if (folder === undefined) return { refused: 'its weights lie in several folders' };
		const stamp = await weightsStamp(model, folder);
		const refused = change(model, rewrites);
		if (refused !== undefined) return { refused };
		const bytes = encodeModel(model);
		const { kernel } = rewrites;
		const key = createHash('sha256')
			.update(`${stamp}\0${kernel ?? ''}\0`)
			.update(bytes)
			.digest('hex');
		const made = { name: basename(path), bytes, folder, key };
		return kernel === undefined ? made : { ...made, ownOperators: true };
	} catch (error) {
		return { refused: (error instanceof Error ? error.message : String(error)).replace(/\.$/, '') };
	}
}

function change(
	model: OnnxModel,
	{
		gather,
		slots,
		attentions,
		fuseHeads,
		shortlist,
		perTokenQuantization,
		kernel,
		exact,
		unsigned,
	}: GraphRewrites,
): string | undefined {
	const { graph } = model;
	const steps = [
		() => (exact === true ? takeExactActivations(graph) : undefined),
		() => (attentions === true ? addAttentionOutputs(graph) : undefined),
		() => (shortlist === undefined ? undefined : exposeHead(graph, shortlist)),
		() => (fuseHeads === undefined ? undefined : fuse(model, fuseHeads)),
		() => (gather === true ? gatherLogits(graph) : undefined),
		() =>
			perTokenQuantization === true ? quantizePerToken(graph, defaultOpset(model)) : undefined,
		() => (slots === undefined ? undefined : packSlots(graph, slots, defaultOpset(model))),
		() => (unsigned === undefined ? undefined : useUnsignedWeights(graph, unsigned)),
		// The last: the others know the published operator.
		() => (kernel === undefined ? undefined : useInt4Kernel(model)),
	];
	for (const step of steps) {
		const refused = step();
		if (refused !== undefined) return refused;
	}
	return undefined;
}

function exposeHead(graph: OnnxGraph, bytes: ColumnBytes): string | undefined {
	const made = shortlistHead(graph, bytes);
	return typeof made === 'string' ? made : undefined;
}

function fuse(model: OnnxModel, heads: number): string | undefined {
	importContrib(model);
	return fuseAttention(model.graph, heads);
}

/** Version of the default operator set. */
function defaultOpset(model: OnnxModel): number {
	for (const raw of model.rest) {
		for (const field of readFields(raw)) {
			if (field.number !== 8) continue;
			let domain = '';
			let opset = 0;
			for (const part of readFields(field.bytes)) {
				if (part.number === 1) domain = fieldText(part);
				else if (part.number === 2) opset = fieldInt(part);
			}
			if (domain === '' || domain === 'ai.onnx') return opset;
		}
	}
	return 0;
}

/** Size and time of the files that hold the weights of a graph in `folder`. */
async function weightsStamp({ graph }: OnnxModel, folder: string): Promise<string> {
	const locations = graph.initializers.map(
		({ bytes }) => readTensorHeader(bytes).external?.location,
	);
	const stamps: string[] = [];
	for (const location of new Set(locations)) {
		if (location === undefined) continue;
		const { size, mtimeMs } = await stat(join(folder, location));
		stamps.push(`${location} ${size} ${mtimeMs}`);
	}
	return stamps.join('; ');
}
