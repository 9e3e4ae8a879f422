/** What the graphs of an encoder-decoder want, read off their inputs and outputs. */

import { AppError } from '../../protocol/index.ts';
import type { CacheTensor } from '../kv/kvCache.ts';
import { type CacheNames, type GenaiNames, layerName, layerOf } from '../modelFiles/genaiNames.ts';
import { scoreOutput } from '../onnx/attentionOutputs.ts';
import type { Session, TensorInfo } from '../runtime/runtime.ts';

/** How the logits of a graph come out. */
export interface SeenLogits {
	/** Those of the last token of a run only; else those of every token. */
	readonly lastOnly: boolean;
	/** `[batch · tokens, vocabulary]` instead of `[batch, tokens, vocabulary]`. */
	readonly isList: boolean;
}

export interface Seq2SeqGraphs {
	/** Runs the first tokens and makes the cross-attention cache. */
	readonly first: Session;
	/** Runs all later tokens; the same session when the graph is merged. */
	readonly later: Session;
	/** Input of the tokens. */
	readonly ids: TensorInfo;
	readonly self: readonly CacheTensor[];
	readonly cross: readonly CacheTensor[];
	/** The encoder gives the cross-attention caches; else the first run of the decoder makes them. */
	readonly crossFromEncoder: boolean;
	readonly logits: TensorInfo;
	/** As declared, until {@link ./probeSeq2SeqLogits.ts} has seen them. */
	readonly firstLogits: SeenLogits;
	readonly laterLogits: SeenLogits;
	readonly hidden: TensorInfo | undefined;
	/** Layer → output name. */
	readonly attentions: ReadonlyMap<number, string>;
	/** These outputs are scores that a softmax has yet to make weights of. */
	readonly attentionScores: boolean;
}

/**
 * Matches caches by name.
 * @param genai names of the ONNX Runtime GenAI layout, and its encoder, which gives caches there
 * @throws AppError `unsupported_model` naming what is missing
 */
export function readSeq2SeqGraphs(
	first: Session,
	later: Session,
	genai?: { readonly names: GenaiNames; readonly encoder: Session },
): Seq2SeqGraphs {
	const idsName = genai?.names.inputIds ?? 'input_ids';
	const logitsName = genai?.names.logits ?? 'logits';
	const logits = first.outputs.get(logitsName);
	const laterLogits = later.outputs.get(logitsName);
	const ids = first.inputs.get(idsName);
	if (logits === undefined || laterLogits === undefined || ids === undefined) {
		throw new AppError(
			'unsupported_model',
			`The decoder graph has no '${idsName}' or no '${logitsName}'.`,
		);
	}
	const self: CacheTensor[] = [];
	const cross: CacheTensor[] = [];
	for (const input of later.inputs.values()) {
		const cache = genai ? genaiCache(input.name, genai.names) : cacheOf(input.name);
		if (cache === undefined) continue;
		const { present, isCross } = cache;
		const giver = isCross ? (genai?.encoder ?? first) : later;
		if (!giver.outputs.has(present)) {
			const graph = giver === genai?.encoder ? 'encoder' : 'decoder';
			throw new AppError('unsupported_model', `The ${graph} graph has no output '${present}'.`);
		}
		const [, heads = 0, length = 0, headSize = 0] = input.dims;
		if (input.dims.length !== 4 || heads <= 0 || headSize <= 0) {
			throw new AppError(
				'unsupported_model',
				`The decoder's input '${input.name}' has no fixed size.`,
			);
		}
		const tensor = { past: input.name, present, type: input.type, heads, headSize };
		if (isCross) cross.push(tensor);
		else self.push(length > 0 ? { ...tensor, stateLength: length } : tensor);
	}
	if (self.length === 0) {
		throw new AppError(
			'unsupported_model',
			'The decoder has no cache inputs; export it "with past" (merged or as two graphs).',
		);
	}
	if (genai !== undefined && cross.length === 0) {
		throw new AppError(
			'unsupported_model',
			`The decoder does not take the encoder's caches ('${genai.names.cross[0]?.past}'); export the model again with a newer builder.`,
		);
	}
	const { attentions, attentionScores } = attentionOutputs(first, later, genai?.names);
	return {
		first,
		later,
		ids,
		self,
		cross,
		crossFromEncoder: genai !== undefined,
		logits,
		firstLogits: declaredLogits(logits),
		laterLogits: declaredLogits(laterLogits),
		hidden: first.inputs.get('encoder_hidden_states') ?? later.inputs.get('encoder_hidden_states'),
		attentions,
		attentionScores,
	};
}

const declaredLogits = ({ dims }: TensorInfo): SeenLogits => ({
	lastOnly: dims.length === 3 && dims[1] === 1,
	isList: dims.length === 2,
});

/** Outputs of cross-attention: those the exporter made, else those made here. */
function attentionOutputs(first: Session, later: Session, names: GenaiNames | undefined) {
	const read = (of: (name: string) => number | undefined): Map<number, string> => {
		const found = new Map<number, string>();
		for (const name of first.outputs.keys()) {
			const layer = of(name);
			if (layer !== undefined && later.outputs.has(name)) found.set(layer, name);
		}
		return found;
	};
	const own = names?.crossScores;
	const scores = read((name) => layerOf(own ?? '', name) ?? layerOf(scoreOutput('%d'), name));
	if (scores.size > 0) return { attentions: scores, attentionScores: true };
	const weights = read(
		(name) => layerOf('cross_attentions.%d', name) ?? layerOf('cross_attentions_%d', name),
	);
	return { attentions: weights, attentionScores: false };
}

interface Cache {
	/** The output that fills it. */
	readonly present: string;
	readonly isCross: boolean;
}

/** `past_key_values.N.{decoder,encoder}.{key,value}`. */
function cacheOf(past: string): Cache | undefined {
	if (!past.startsWith('past_key_values')) return undefined;
	return {
		present: past.replace('past_key_values', 'present'),
		isCross: past.includes('.encoder.'),
	};
}

function genaiCache(past: string, { self, cross }: GenaiNames): Cache | undefined {
	const find = (caches: readonly CacheNames[], isCross: boolean): Cache | undefined => {
		for (const names of caches) {
			const layer = layerOf(names.past, past);
			if (layer !== undefined) return { present: layerName(names.present, layer), isCross };
		}
		return undefined;
	};
	return find(self, false) ?? find(cross, true);
}
