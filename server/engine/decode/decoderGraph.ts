/**
 * What a decoder-only graph wants, read off the graph itself: names and types of ids, mask, positions,
 * caches and logits. Nothing is guessed from a model's name.
 */

import { AppError } from '../../protocol/index.ts';
import { largestOf } from '../../protocol/lists.ts';
import type { CacheTensor } from '../kv/kvCache.ts';
import type { GraphSummary } from '../modelFiles/graphSummary.ts';
import { hasPerTensorScales } from '../modelFiles/precision.ts';
import type { Session, TensorInfo, TensorType } from '../runtime/runtime.ts';

/** How logits come out. */
export type LogitsForm =
	/** Logits of every input token. */
	| 'all'
	/** Logits of the last token, `[batch, 1, vocabulary]` or `[batch, vocabulary]`. */
	| 'last'
	/** `num_logits_to_keep` says how many of the last. */
	| 'keep'
	/** `logits_index` names the tokens (a graph rewritten here). */
	| 'gather';

export interface DecoderGraph {
	readonly caches: readonly CacheTensor[];
	readonly ids: TensorInfo;
	readonly mask: TensorInfo | undefined;
	readonly positions: TensorInfo | undefined;
	readonly keep: TensorInfo | undefined;
	readonly gather: TensorInfo | undefined;
	readonly logits: TensorInfo;
	readonly logitsForm: LogitsForm;
	readonly vocabularySize: number;
	/** Attention is GroupQueryAttention: past and present are one buffer of maximum length. */
	readonly inPlace: boolean;
	/** Dynamic int8: one scale per tensor, so results depend on what is run together. */
	readonly batchInvariant: boolean;
	readonly bytesPerToken: number;
}

/** Sizes a graph may leave symbolic. */
export interface DecoderSizes {
	readonly headSize: number;
	readonly vocabularySize: number;
}

/**
 * Classifies a graph.
 * @throws AppError `unsupported_model` naming the input that is missing or not understood
 */
export function readDecoderGraph(
	session: Session,
	summary: GraphSummary,
	shape: DecoderSizes,
): DecoderGraph {
	const ids = session.inputs.get('input_ids');
	const logits = session.outputs.get('logits');
	if (ids === undefined || logits === undefined) {
		throw new AppError(
			'unsupported_model',
			`The graph has no ${ids === undefined ? "input 'input_ids'" : "output 'logits'"}: it is not a language model's decoder.`,
		);
	}
	const inPlace = summary.ops.has('com.microsoft:GroupQueryAttention');
	const window = largestOf(summary.integers.get('GroupQueryAttention.local_window_size') ?? [], 0);
	const symbols = new Map(summary.inputs.map((input) => [input.name, input.dims]));
	const known = new Set([
		'input_ids',
		'attention_mask',
		'position_ids',
		'num_logits_to_keep',
		'logits_index',
	]);
	const caches: CacheTensor[] = [];
	for (const input of session.inputs.values()) {
		if (known.has(input.name)) continue;
		const present = input.name
			.replace(/^past_key_values/, 'present')
			.replace(/^past(?=[._])/, 'present');
		if (input.dims.length !== 4 || present === input.name || !session.outputs.has(present)) {
			throw new AppError(
				'unsupported_model',
				`The graph asks for '${input.name}', which this engine does not know.`,
			);
		}
		const symbol = symbols.get(input.name)?.[2];
		const isRing = typeof symbol === 'string' && symbol.includes('sliding') && window > 0;
		caches.push({
			past: input.name,
			present,
			type: input.type,
			heads: positive(input.dims[1], 0),
			headSize: positive(input.dims[3], shape.headSize),
			...(isRing ? { ring: window } : {}),
		});
	}
	if (caches.length === 0 || caches.some((cache) => cache.heads === 0 || cache.headSize === 0)) {
		throw new AppError(
			'unsupported_model',
			'The graph has no key/value cache inputs of known size; export it with a cache ("with past").',
		);
	}
	const keep = session.inputs.get('num_logits_to_keep');
	const gather = session.inputs.get('logits_index');
	const bytes = (type: TensorType): number => (type === 'float16' ? 2 : 4);
	return {
		caches,
		ids,
		mask: session.inputs.get('attention_mask'),
		positions: session.inputs.get('position_ids'),
		keep,
		gather,
		logits,
		logitsForm: gather
			? 'gather'
			: keep
				? 'keep'
				: logits.dims.length === 2 || logits.dims[1] === 1
					? 'last'
					: 'all',
		vocabularySize: positive(logits.dims[logits.dims.length - 1], shape.vocabularySize),
		inPlace,
		batchInvariant: !hasPerTensorScales(summary),
		bytesPerToken: caches.reduce(
			(sum, cache) => sum + (cache.ring ? 0 : cache.heads * cache.headSize * bytes(cache.type)),
			0,
		),
	};
}

function positive(dim: number | undefined, otherwise: number): number {
	return dim !== undefined && dim > 0 ? dim : otherwise;
}
