/** Encoder-decoders as data, and from config.json to what one computes. */

import type { JsonRecord } from '../../modelFiles/json.ts';
import { ConfigReader, configFault } from './configReader.ts';
import type { Activation } from './decoderShape.ts';

/** Where the encodings of positions come from. */
export type Positions =
	/** `embed_positions.weight` of the source. */
	| { readonly kind: 'stored' }
	/** Sines, then cosines, of the position plus an offset; the last frequency is that of 1 / 10000^last. */
	| {
			readonly kind: 'sinusoidal';
			readonly offset: number;
			readonly last: (half: number) => number;
	  };

/** What tokens are given vectors for, and what logits are made with. */
export type Side = 'encoder' | 'decoder' | 'head';

interface Seq2SeqFamily {
	/** Norms before each part and at the end, instead of after each part. */
	readonly normFirst: boolean;
	readonly positions: Positions;
	readonly input: 'tokens' | 'spectrum';
	/** Names of the matrix of the tokens in the order of preference; the others are copies of it. */
	readonly embeddings: readonly string[];
	/** Added to the logits. */
	readonly headBias?: string;
	/** Settings that would change the computation, with the values that do not. */
	readonly only: Readonly<Record<string, readonly unknown[]>>;
}

export interface Seq2SeqShape extends Seq2SeqFamily {
	readonly modelType: string;
	readonly hiddenSize: number;
	readonly encoder: { readonly layers: number; readonly heads: number; readonly positions: number };
	readonly decoder: { readonly layers: number; readonly heads: number; readonly positions: number };
	readonly activation: Activation;
	readonly epsilon: number;
	/** On the embeddings of tokens. */
	readonly embeddingScale: number;
	/** Bands of the spectrum. */
	readonly melBins: number;
	/** What the decoder knows of earlier tokens by: their keys and values, or one state of fixed size. */
	readonly cell: 'attention' | 'ssru';
	/** The first token's vector is zeros, whichever token it is. */
	readonly zeroFirst: boolean;
	/** {@link embeddings} of each side, where they differ. */
	readonly sides?: Readonly<Record<Side, readonly string[]>>;
}

const shared = [
	'model.shared.weight',
	'model.encoder.embed_tokens.weight',
	'model.decoder.embed_tokens.weight',
	'lm_head.weight',
];

const tiedOnly = { tie_word_embeddings: [undefined, null, true] };

/** By `model_type`. */
const families: Readonly<Record<string, Seq2SeqFamily>> = {
	marian: {
		normFirst: false,
		positions: { kind: 'sinusoidal', offset: 0, last: (half) => (half - 1) / half },
		input: 'tokens',
		embeddings: shared,
		headBias: 'final_logits_bias',
		only: {
			...tiedOnly,
			share_encoder_decoder_embeddings: [undefined, true],
			normalize_before: [undefined, false],
			normalize_embedding: [undefined, false],
			add_final_layer_norm: [undefined, false],
			static_position_embeddings: [undefined, true],
		},
	},
	m2m_100: {
		normFirst: true,
		positions: { kind: 'sinusoidal', offset: 2, last: () => 1 },
		input: 'tokens',
		embeddings: shared,
		only: tiedOnly,
	},
	whisper: {
		normFirst: true,
		positions: { kind: 'stored' },
		input: 'spectrum',
		embeddings: ['model.decoder.embed_tokens.weight', 'proj_out.weight'],
		only: tiedOnly,
	},
};

const activations: Readonly<Record<string, Activation>> = {
	swish: 'silu',
	silu: 'silu',
	relu: 'relu',
	gelu: 'gelu',
	gelu_new: 'gelu_tanh',
};

const maxLayers = 256;

/** Every `model_type` that can be built. */
export const seq2seqFamilyNames: readonly string[] = Object.keys(families);

/**
 * What an encoder-decoder computes; `undefined` for other types of models.
 * @throws AppError `unsupported_model` that names the setting that is missing or means something unknown
 */
export function readSeq2SeqConfig(values: JsonRecord): Seq2SeqShape | undefined {
	const modelType = String(values['model_type']);
	const family = Object.hasOwn(families, modelType) ? families[modelType] : undefined;
	if (family === undefined) return undefined;
	const config = new ConfigReader(values);
	for (const [key, known] of Object.entries(family.only))
		if (!known.includes(values[key]))
			throw configFault(
				`sets ${key} to ${String(values[key]).slice(0, 100)}, which is not known here`,
			);
	const hiddenSize = config.size('d_model');
	const side = (name: 'encoder' | 'decoder', positions: string) => {
		const layers = config.size(`${name}_layers`);
		const heads = config.size(`${name}_attention_heads`);
		if (layers > maxLayers || hiddenSize % heads !== 0)
			throw configFault(`has ${layers} layers of ${heads} heads in the ${name}`);
		return { layers, heads, positions: config.size(positions, 'max_position_embeddings') };
	};
	const name = config.text('activation_function') ?? 'gelu';
	const activation = Object.hasOwn(activations, name) ? activations[name] : undefined;
	if (activation === undefined || hiddenSize % 2 !== 0)
		throw configFault(
			`names the activation ${JSON.stringify(name.slice(0, 100))} for ${hiddenSize} numbers`,
		);
	return {
		...family,
		modelType,
		hiddenSize,
		encoder: side('encoder', 'max_source_positions'),
		decoder: side('decoder', 'max_target_positions'),
		activation,
		epsilon: 1e-5,
		embeddingScale: values['scale_embedding'] === true ? Math.sqrt(hiddenSize) : 1,
		cell: 'attention',
		zeroFirst: false,
		melBins: family.input === 'spectrum' ? config.size('num_mel_bins') : 0,
	};
}
