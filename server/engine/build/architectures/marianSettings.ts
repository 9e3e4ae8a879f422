/** What a Marian model computes, from the settings that lie among its weights (`special:model.yml`). */

import type { JsonRecord } from '../../modelFiles/json.ts';
import { sourceFault } from '../sources/limits.ts';
import { marianSettings } from '../sources/marianBinary.ts';
import { marianNames } from '../sources/marianWeights.ts';
import { rowsOf, type TensorSource } from '../sources/tensorSource.ts';
import type { Activation } from './decoderShape.ts';
import type { Seq2SeqShape } from './seq2seqConfig.ts';

/** Positions that encodings are made for: some times the length of a sentence. */
const positions = 512;
const maxLayers = 256;
const maxLines = 10_000;

/** Marian's `gelu` is another function than that of the name. */
const activations: Readonly<Record<string, Activation>> = { relu: 'relu', swish: 'silu' };

/** Settings that would change the computation, with the values that do not. */
const only: Readonly<Record<string, readonly string[]>> = {
	type: ['transformer'],
	'transformer-preprocess': [''],
	'transformer-postprocess': ['dan', 'an'],
	'transformer-postprocess-emb': ['', 'd'],
	'transformer-postprocess-top': [''],
	'transformer-decoder-autoreg': ['rnn', 'self-attention'],
	'transformer-tied-layers': ['', '[]'],
	'transformer-train-position-embeddings': ['', 'false'],
	'transformer-rnn-projection': ['', 'false'],
	'transformer-no-projection': ['', 'false'],
	'transformer-pool': ['', 'false'],
	'transformer-no-bias': ['', 'false'],
	'input-types': ['', '[]'],
	'lemma-dim-emb': ['', '0'],
	ulr: ['', 'false'],
};

/** Whether weights are Marian's. */
export function isMarian({ metadata }: TensorSource): boolean {
	return metadata.has(marianSettings);
}

/** Keys at the margin with their plain values; lists as `a, b`. */
export function readMarianSettings(text: string): Map<string, string> {
	const settings = new Map<string, string>();
	let list = '';
	for (const line of text.split('\n', maxLines)) {
		const trimmed = line.trim();
		if (trimmed.startsWith('- ')) {
			const item = trimmed.slice(2);
			const before = settings.get(list) ?? '';
			settings.set(list, before === '' ? plain(item) : `${before}, ${plain(item)}`);
			continue;
		}
		const at = line.indexOf(':');
		if (at < 1 || /^[\s#]/.test(line)) continue;
		list = line.slice(0, at);
		settings.set(list, plain(line.slice(at + 1)));
	}
	return settings;
}

const plain = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/, '$2');

/**
 * The shape of the graphs. The source has the names of {@link ../sources/marianWeights.ts}.
 * @throws AppError `unsupported_model` that names the setting that means something unknown
 */
export function readMarianShape(source: TensorSource): Seq2SeqShape {
	const settings = readMarianSettings(String(source.metadata.get(marianSettings) ?? ''));
	const text = (key: string): string => settings.get(key) ?? '';
	for (const [key, known] of Object.entries(only))
		if (settings.has(key) && !known.includes(text(key)))
			throw fault(
				`sets ${key} to ${JSON.stringify(text(key).slice(0, 100))}, which is not known here`,
			);
	const isRecurrent = text('transformer-decoder-autoreg') === 'rnn';
	if (isRecurrent && text('dec-cell') !== 'ssru')
		throw fault(
			`has the decoder cell ${JSON.stringify(text('dec-cell').slice(0, 100))}; ssru is known`,
		);
	const count = (key: string, most: number): number => {
		const value = Number(text(key));
		if (!Number.isInteger(value) || value < 1 || value > most)
			throw fault(`sets ${key} to ${JSON.stringify(text(key).slice(0, 100))}`);
		return value;
	};
	const hiddenSize = count('dim-emb', 65_536);
	const heads = count('transformer-heads', 1024);
	const name = text('transformer-ffn-activation') || 'swish';
	const activation = Object.hasOwn(activations, name) ? activations[name] : undefined;
	if (activation === undefined || hiddenSize % 2 !== 0 || hiddenSize % heads !== 0)
		throw fault(
			`has ${heads} heads over ${hiddenSize} numbers with the activation ${JSON.stringify(name.slice(0, 100))}`,
		);
	const embedding = (side: string) => [`model.${side}.embed_tokens.weight`, 'model.shared.weight'];
	return {
		modelType: 'marian',
		normFirst: false,
		positions: { kind: 'sinusoidal', offset: 0, last: () => 1 },
		input: 'tokens',
		embeddings: [],
		sides: {
			encoder: embedding('encoder'),
			decoder: embedding('decoder'),
			head: ['lm_head.weight', ...embedding('decoder')],
		},
		...(source.tensors.has(marianNames.headBias) ? { headBias: marianNames.headBias } : {}),
		only: {},
		hiddenSize,
		encoder: { layers: count('enc-depth', maxLayers), heads, positions },
		decoder: { layers: count('dec-depth', maxLayers), heads, positions },
		cell: isRecurrent ? 'ssru' : 'attention',
		zeroFirst: true,
		activation,
		epsilon: 1e-9,
		embeddingScale: Math.sqrt(hiddenSize),
		melBins: 0,
	};
}

/** config.json of a folder with these graphs. @param vocabulary tokens of the target's side */
export function marianConfig(source: TensorSource): JsonRecord {
	const { hiddenSize, encoder, decoder, activation, sides } = readMarianShape(source);
	const rows = (names: readonly string[] = []) =>
		rowsOf(names.map((name) => source.tensors.get(name)?.shape).find((shape) => shape) ?? []);
	return {
		model_type: 'marian',
		architectures: ['MarianMTModel'],
		is_encoder_decoder: true,
		d_model: hiddenSize,
		vocab_size: rows(sides?.encoder),
		decoder_vocab_size: rows(sides?.decoder),
		encoder_layers: encoder.layers,
		encoder_attention_heads: encoder.heads,
		decoder_layers: decoder.layers,
		decoder_attention_heads: decoder.heads,
		activation_function: activation === 'silu' ? 'swish' : activation,
		scale_embedding: true,
		max_position_embeddings: positions,
		decoder_start_token_id: 0,
		eos_token_id: 0,
		pad_token_id: 0,
		num_beams: 1,
	};
}

const fault = (what: string) => sourceFault('with the weights of Marian', what);
