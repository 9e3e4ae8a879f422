/** Sizes of a model: context, vocabulary, layers, key-value heads; from the graph first, then the configs. */

import type { ModelDescription } from '../api.ts';
import type { FolderFacts } from './folderFacts.ts';
import type { GraphSummary, GraphValue } from './graphSummary.ts';
import { asNumber, asRecord, type JsonRecord } from './json.ts';

/** The sizes in a {@link ModelDescription}. */
export type ModelSizes = Pick<
	ModelDescription,
	'contextLength' | 'vocabularySize' | 'layers' | 'kvHeads' | 'headSize'
>;

/** Reads the sizes; 0 where nothing says. */
export function modelSizes(facts: FolderFacts): ModelSizes {
	const { config, genai, graphs } = facts;
	const model = asRecord(genai?.model) ?? {};
	const decoder = asRecord(model.decoder) ?? {};
	const text = asRecord(config?.text_config) ?? asRecord(config?.decoder) ?? {};
	const number = (...keys: string[]): number | undefined => {
		for (const from of [decoder, model, text, config ?? {}]) {
			for (const key of keys) {
				const value = asNumber((from as JsonRecord)[key]);
				if (value !== undefined && value > 0) return value;
			}
		}
		return undefined;
	};
	const main = mainGraph(graphs);
	const keys = main?.inputs.filter((input) => isDecoderKey(input.name)) ?? [];
	const heads =
		number(
			'num_attention_heads',
			'decoder_attention_heads',
			'decoder_num_attention_heads',
			'n_head',
			'num_heads',
		) ?? 0;
	const hidden = number('hidden_size', 'd_model', 'n_embd') ?? 0;
	const logits = main?.outputs.find((output) => output.name === 'logits');
	return {
		contextLength: contextLength(facts, number),
		vocabularySize: lastDim(logits) ?? number('vocab_size', 'decoder_vocab_size') ?? 0,
		layers:
			keys.length > 0
				? keys.length
				: (number(
						'num_hidden_layers',
						'decoder_layers',
						'decoder_num_hidden_layers',
						'n_layer',
						'num_decoder_layers',
						'num_layers',
					) ?? 0),
		kvHeads:
			dimAt(keys[0], 1) ?? number('num_key_value_heads', 'decoder_num_key_value_heads') ?? heads,
		headSize:
			dimAt(keys[0], 3) ??
			number('head_size', 'head_dim', 'd_kv') ??
			(heads > 0 ? Math.floor(hidden / heads) : 0),
	};
}

function contextLength(
	facts: FolderFacts,
	number: (...keys: string[]) => number | undefined,
): number {
	const { config, family, tokenizer } = facts;
	const own =
		family.task === 'automatic-speech-recognition'
			? number('max_target_positions', 'max_position_embeddings', 'context_length')
			: number(
					'context_length',
					'max_position_embeddings',
					'n_positions',
					'n_ctx',
					'max_sequence_length',
					'seq_length',
				);
	// The tokenizer's limit is a made-up huge number if none was set.
	const limit = asNumber(tokenizer?.model_max_length);
	const fromTokenizer = limit !== undefined && limit < 10_000_000 ? limit : undefined;
	// RoBERTa-style position tables start after the padding id.
	const offset = /roberta|mpnet|camembert/.test(String(config?.model_type)) ? 2 : 0;
	if (family.architecture === 'encoder') {
		const candidates = [own === undefined ? undefined : own - offset, fromTokenizer];
		const given = candidates.filter((value): value is number => value !== undefined);
		return given.length === 0 ? 0 : Math.min(...given);
	}
	return own ?? fromTokenizer ?? (family.architecture === 'encoder-decoder' ? 512 : 0);
}

function mainGraph(graphs: ReadonlyMap<string, GraphSummary>): GraphSummary | undefined {
	return (
		graphs.get('decoder-merged') ??
		graphs.get('decoder-with-past') ??
		graphs.get('model') ??
		graphs.get('decoder')
	);
}

/** `past_key_values.N.key` or `past_key_values.N.decoder.key`, also genai's `past_N_key`-like names. */
function isDecoderKey(name: string): boolean {
	return /^past(_key_values)?[._](\d+)[._](decoder[._])?key$|^past_key_self_\d+$/.test(name);
}

function dimAt(value: GraphValue | undefined, index: number): number | undefined {
	const dim = value?.dims[index];
	return typeof dim === 'number' && dim > 0 ? dim : undefined;
}

function lastDim(value: GraphValue | undefined): number | undefined {
	return value === undefined ? undefined : dimAt(value, value.dims.length - 1);
}
