/** Encoders of texts as data, and from config.json to what one computes. */

import type { JsonRecord } from '../../modelFiles/json.ts';
import { ConfigReader, configFault } from './configReader.ts';
import type { Activation } from './decoderShape.ts';
import { type ModernBertShape, readModernBertConfig } from './modernBertConfig.ts';

/** Names of modules; those of a layer below {@link EncoderFamily.layer}. */
interface EncoderNames {
	readonly words: string;
	readonly positions: string;
	/** Of the two halves of a pair of texts; absent where there is no such thing. */
	readonly types?: string;
	readonly embeddingNorm: string;
	/** `#` is the layer. */
	readonly layer: string;
	readonly query: string;
	readonly key: string;
	readonly value: string;
	readonly attentionOut: string;
	readonly attentionNorm: string;
	readonly feedForward: readonly [string, string];
	readonly outputNorm: string;
}

interface EncoderFamily {
	readonly names: EncoderNames;
	/** Before all names, in checkpoints with a head. */
	readonly prefix: string;
	/** Position of the first token. */
	readonly firstPosition: number;
	/** Beginnings of names of heads that give something else than the tokens' vectors. */
	readonly heads: readonly string[];
	/** Settings of config.json by their usual names. */
	readonly keys: Readonly<Record<'hidden' | 'layers' | 'heads' | 'activation', string>>;
	/** Whether callers say to which half of a pair tokens belong. */
	readonly takesTypes: boolean;
}

export interface BertShape extends EncoderFamily {
	readonly kind: 'bert';
	readonly modelType: string;
	readonly hiddenSize: number;
	readonly layers: number;
	readonly attentionHeads: number;
	readonly activation: Activation;
	readonly epsilon: number;
	/** Always false: the norms are after each part. */
	readonly normFirst: boolean;
}

export type EncoderShape = BertShape | ModernBertShape;

const bertNames: EncoderNames = {
	words: 'embeddings.word_embeddings',
	positions: 'embeddings.position_embeddings',
	types: 'embeddings.token_type_embeddings',
	embeddingNorm: 'embeddings.LayerNorm',
	layer: 'encoder.layer.#.',
	query: 'attention.self.query',
	key: 'attention.self.key',
	value: 'attention.self.value',
	attentionOut: 'attention.output.dense',
	attentionNorm: 'attention.output.LayerNorm',
	feedForward: ['intermediate.dense', 'output.dense'],
	outputNorm: 'output.LayerNorm',
};

const bert: EncoderFamily = {
	names: bertNames,
	prefix: 'bert.',
	firstPosition: 0,
	heads: ['pooler.', 'bert.pooler.', 'cls.'],
	keys: {
		hidden: 'hidden_size',
		layers: 'num_hidden_layers',
		heads: 'num_attention_heads',
		activation: 'hidden_act',
	},
	takesTypes: true,
};

const roberta: EncoderFamily = {
	...bert,
	prefix: 'roberta.',
	// The first two are those of padding.
	firstPosition: 2,
	heads: ['pooler.', 'roberta.pooler.', 'lm_head.'],
	takesTypes: false,
};

/** By `model_type`. */
const families: Readonly<Record<string, EncoderFamily>> = {
	bert,
	roberta,
	'xlm-roberta': roberta,
	distilbert: {
		...bert,
		prefix: 'distilbert.',
		heads: ['vocab_transform.', 'vocab_layer_norm.', 'vocab_projector.'],
		keys: { hidden: 'dim', layers: 'n_layers', heads: 'n_heads', activation: 'activation' },
		takesTypes: false,
		names: {
			words: 'embeddings.word_embeddings',
			positions: 'embeddings.position_embeddings',
			embeddingNorm: 'embeddings.LayerNorm',
			layer: 'transformer.layer.#.',
			query: 'attention.q_lin',
			key: 'attention.k_lin',
			value: 'attention.v_lin',
			attentionOut: 'attention.out_lin',
			attentionNorm: 'sa_layer_norm',
			feedForward: ['ffn.lin1', 'ffn.lin2'],
			outputNorm: 'output_layer_norm',
		},
	},
};

const activations: Readonly<Record<string, Activation>> = {
	gelu: 'gelu',
	gelu_new: 'gelu_tanh',
	gelu_pytorch_tanh: 'gelu_tanh',
	relu: 'relu',
};

const maxLayers = 256;

/** Every `model_type` that can be built. */
export const encoderFamilyNames: readonly string[] = [...Object.keys(families), 'modernbert'];

/** @throws AppError `unsupported_model` for one that is not known */
export function activationOf(name: string): Activation {
	const activation = Object.hasOwn(activations, name) ? activations[name] : undefined;
	if (activation === undefined)
		throw configFault(`names the activation ${JSON.stringify(name.slice(0, 100))}`);
	return activation;
}

/**
 * What an encoder computes; `undefined` for other types of models.
 * @throws AppError `unsupported_model` that names the setting that is missing or means something unknown
 */
export function readEncoderConfig(values: JsonRecord): EncoderShape | undefined {
	const modelType = String(values['model_type']);
	if (modelType === 'modernbert') return readModernBertConfig(values, activationOf, maxLayers);
	const family = Object.hasOwn(families, modelType) ? families[modelType] : undefined;
	if (family === undefined) return undefined;
	const config = new ConfigReader(values);
	const kind = values['position_embedding_type'] ?? 'absolute';
	if (kind !== 'absolute' || values['is_decoder'] === true)
		throw configFault(
			`sets position_embedding_type to ${JSON.stringify(kind).slice(0, 100)} or is_decoder`,
		);
	const { keys } = family;
	const hiddenSize = config.size(keys.hidden);
	const layers = config.size(keys.layers);
	const attentionHeads = config.size(keys.heads);
	const activation = activationOf(config.text(keys.activation) ?? 'gelu');
	if (layers > maxLayers || hiddenSize % attentionHeads !== 0)
		throw configFault(`has ${layers} layers of ${attentionHeads} heads for ${hiddenSize} numbers`);
	return {
		...family,
		kind: 'bert',
		modelType,
		hiddenSize,
		layers,
		attentionHeads,
		activation,
		epsilon: config.number('layer_norm_eps') ?? 1e-12,
		normFirst: false,
	};
}
