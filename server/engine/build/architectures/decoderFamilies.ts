/**
 * Families of decoder-only models as data: what their config.json leaves unsaid. A family that is not here is
 * refused by its name.
 */

import { AppError } from '../../../protocol/index.ts';
import type { JsonRecord } from '../../modelFiles/json.ts';
import type { Activation, DecoderShape, NormPlaces } from './decoderShape.ts';
import { encoderFamilyNames } from './encoderConfig.ts';

/** A number of config.json by its name, perhaps transformed. */
export interface ConfigNumber {
	readonly key: string;
	readonly power?: number;
}

export interface DecoderFamily {
	readonly places: NormPlaces;
	readonly norm: DecoderShape['norms']['kind'];
	readonly normOffset: 0 | 1;
	readonly queryKeyNorm: DecoderShape['norms']['queryKey'];
	readonly gated: boolean;
	/** When config.json names none. */
	readonly activation: Activation;
	readonly tied: boolean;
	/** `sqrt`: the root of the hidden size. */
	readonly embeddingScale?: ConfigNumber | 'sqrt';
	readonly attentionScale?: ConfigNumber;
	readonly residualScale?: ConfigNumber;
	readonly logitsScale?: ConfigNumber;
	/** Layers with a window, where config.json has no `layer_types`. */
	readonly windows: Windows;
	/** The part of a head that is rotated, when config.json does not say. */
	readonly rotaryPart: number;
	/** Settings with values that published config.json leave out. */
	readonly defaults?: Readonly<Record<string, number>>;
	/** Rotary embedding of the layers with a window, never scaled: the setting that has its base. */
	readonly localTheta?: string;
	/** Rotated rows come in pairs in files of GGUF. */
	readonly pairedInGguf: boolean;
	/** Names of tensors, where they are not those of {@link baseNames}. */
	readonly names?: Partial<Record<TensorPart, string>>;
	/** The same in GGUF, and {@link ggufNames}. */
	readonly ggufNames?: Partial<Record<TensorPart, string>>;
	/** Names that some models of the family have instead, in either kind of file. */
	readonly otherNames?: Partial<Record<TensorPart, string>>;
	/** Mixtures of experts: what the chosen ones count adds up to 1, or does where `norm_topk_prob` is true. */
	readonly experts?: 'normalised' | 'setting';
	/** Norms have no weights. */
	readonly plainNorms?: boolean;
	/** `clip_qkv` bounds queries, keys and values. */
	readonly clips?: boolean;
	/** Settings by their usual names, from those that the family has. */
	readonly settings?: (values: JsonRecord) => JsonRecord;
	/** Whether rows of one tensor for all three come group by group, not queries first, in the hub's files. */
	readonly groupedQueryKeyValue?: (values: JsonRecord) => boolean;
	/** Settings of config.json that would change the computation, with the values that do not. */
	readonly only?: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * - `all`: every layer, when `sliding_window` is set
 * - `switched`: layers from `max_window_layers` on, when `use_sliding_window` is true
 * - `every`: all but each n-th, n being `sliding_window_pattern` or the number here
 */
export type Windows = 'none' | 'all' | 'switched' | { readonly every: number };

/** The tensors of a decoder. */
export type TensorPart =
	| 'embedding'
	| 'head'
	| 'finalNorm'
	| 'attentionNorm'
	| 'attentionOutNorm'
	| 'feedForwardNorm'
	| 'feedForwardOutNorm'
	| 'query'
	| 'key'
	| 'value'
	| 'queryKeyValue'
	| 'queryNorm'
	| 'keyNorm'
	| 'attentionOut'
	| 'gate'
	| 'up'
	| 'gateUp'
	| 'down'
	| 'router'
	| 'expertGate'
	| 'expertUp'
	| 'expertGateUp'
	| 'expertDown'
	| 'sharedRouter'
	| 'sharedGate'
	| 'sharedUp'
	| 'sharedDown';

/** Names in safetensors, below the model's own prefix; `#` is the layer, `*` the expert. */
export const baseNames: Readonly<Record<TensorPart, string>> = {
	embedding: 'embed_tokens',
	head: 'lm_head',
	finalNorm: 'norm',
	attentionNorm: 'layers.#.input_layernorm',
	attentionOutNorm: 'layers.#.post_attention_layernorm',
	feedForwardNorm: 'layers.#.post_attention_layernorm',
	feedForwardOutNorm: 'layers.#.post_feedforward_layernorm',
	query: 'layers.#.self_attn.q_proj',
	key: 'layers.#.self_attn.k_proj',
	value: 'layers.#.self_attn.v_proj',
	queryKeyValue: 'layers.#.self_attn.qkv_proj',
	queryNorm: 'layers.#.self_attn.q_norm',
	keyNorm: 'layers.#.self_attn.k_norm',
	attentionOut: 'layers.#.self_attn.o_proj',
	gate: 'layers.#.mlp.gate_proj',
	up: 'layers.#.mlp.up_proj',
	gateUp: 'layers.#.mlp.gate_up_proj',
	down: 'layers.#.mlp.down_proj',
	router: 'layers.#.mlp.gate',
	expertGate: 'layers.#.mlp.experts.*.gate_proj',
	expertUp: 'layers.#.mlp.experts.*.up_proj',
	expertGateUp: 'layers.#.mlp.experts.gate_up_proj',
	expertDown: 'layers.#.mlp.experts.*.down_proj',
	sharedRouter: 'layers.#.mlp.shared_expert_gate',
	sharedGate: 'layers.#.mlp.shared_expert.gate_proj',
	sharedUp: 'layers.#.mlp.shared_expert.up_proj',
	sharedDown: 'layers.#.mlp.shared_expert.down_proj',
};

/** Names in GGUF; `#` is the layer. Experts are parts of one tensor. */
export const ggufNames: Readonly<Record<TensorPart, string>> = {
	embedding: 'token_embd',
	head: 'output',
	finalNorm: 'output_norm',
	attentionNorm: 'blk.#.attn_norm',
	attentionOutNorm: 'blk.#.post_attention_norm',
	feedForwardNorm: 'blk.#.ffn_norm',
	feedForwardOutNorm: 'blk.#.post_ffw_norm',
	query: 'blk.#.attn_q',
	key: 'blk.#.attn_k',
	value: 'blk.#.attn_v',
	queryKeyValue: 'blk.#.attn_qkv',
	queryNorm: 'blk.#.attn_q_norm',
	keyNorm: 'blk.#.attn_k_norm',
	attentionOut: 'blk.#.attn_output',
	gate: 'blk.#.ffn_gate',
	up: 'blk.#.ffn_up',
	gateUp: 'blk.#.ffn_up',
	down: 'blk.#.ffn_down',
	router: 'blk.#.ffn_gate_inp',
	expertGate: 'blk.#.ffn_gate_exps',
	expertUp: 'blk.#.ffn_up_exps',
	expertGateUp: 'blk.#.ffn_gate_up_exps',
	expertDown: 'blk.#.ffn_down_exps',
	sharedRouter: 'blk.#.ffn_gate_inp_shexp',
	sharedGate: 'blk.#.ffn_gate_shexp',
	sharedUp: 'blk.#.ffn_up_shexp',
	sharedDown: 'blk.#.ffn_down_shexp',
};

const llama: DecoderFamily = {
	places: 'pre',
	norm: 'rms',
	normOffset: 0,
	queryKeyNorm: 'none',
	gated: true,
	activation: 'silu',
	tied: false,
	windows: 'none',
	rotaryPart: 1,
	pairedInGguf: true,
};

const neox = { ...llama, pairedInGguf: false };

const gemma: DecoderFamily = {
	...neox,
	normOffset: 1,
	activation: 'gelu_tanh',
	tied: true,
	embeddingScale: 'sqrt',
	defaults: { head_dim: 256 },
};

const sandwich = { feedForwardNorm: 'layers.#.pre_feedforward_layernorm' } as const;

const granite: DecoderFamily = {
	...llama,
	embeddingScale: { key: 'embedding_multiplier' },
	attentionScale: { key: 'attention_multiplier' },
	residualScale: { key: 'residual_multiplier' },
	logitsScale: { key: 'logits_scaling', power: -1 },
};

const blockSparse = 'layers.#.block_sparse_moe';

/** By `model_type`. */
/** SmolLM3's settings where they do not list the layers without positions. */
function layersWithoutRope(values: JsonRecord): JsonRecord {
	const { no_rope_layers: list, num_hidden_layers: count, no_rope_layer_interval: every } = values;
	if (Array.isArray(list) || typeof count !== 'number' || count > 1000) return {};
	const interval = typeof every === 'number' ? every : 4;
	const layers = Array.from({ length: count }, (_, layer) => Number((layer + 1) % interval !== 0));
	return { no_rope_layers: layers };
}

const families: Readonly<Record<string, DecoderFamily>> = {
	llama,
	mistral: { ...llama, windows: 'all' },
	ministral: { ...llama, windows: 'all' },
	qwen2: { ...neox, windows: 'switched' },
	qwen3: { ...neox, queryKeyNorm: 'head', windows: 'switched' },
	smollm3: { ...llama, tied: true, windows: 'switched', settings: layersWithoutRope },
	granite,
	mixtral: {
		...llama,
		windows: 'all',
		experts: 'normalised',
		names: {
			router: `${blockSparse}.gate`,
			expertGate: `${blockSparse}.experts.*.w1`,
			expertUp: `${blockSparse}.experts.*.w3`,
			expertDown: `${blockSparse}.experts.*.w2`,
		},
		// Files of before April 2024.
		ggufNames: {
			expertGate: 'blk.#.ffn_gate.*',
			expertUp: 'blk.#.ffn_up.*',
			expertDown: 'blk.#.ffn_down.*',
		},
	},
	qwen2_moe: { ...neox, windows: 'switched', experts: 'setting' },
	qwen3_moe: { ...neox, queryKeyNorm: 'head', windows: 'switched', experts: 'setting' },
	olmoe: {
		...neox,
		queryKeyNorm: 'all',
		clips: true,
		defaults: { rms_norm_eps: 1e-5 },
		experts: 'setting',
	},
	granitemoe: {
		...granite,
		experts: 'normalised',
		names: {
			router: `${blockSparse}.router.layer`,
			expertGateUp: `${blockSparse}.input_linear`,
			expertDown: `${blockSparse}.output_linear`,
		},
	},
	olmo2: {
		...neox,
		places: 'post',
		queryKeyNorm: 'all',
		defaults: { rms_norm_eps: 1e-5 },
	},
	olmo: {
		...llama,
		norm: 'layer',
		plainNorms: true,
		clips: true,
		defaults: { rms_norm_eps: 1e-5, layer_norm_eps: 1e-5 },
	},
	falcon: {
		...neox,
		places: 'parallel',
		norm: 'layer',
		gated: false,
		activation: 'gelu',
		tied: true,
		defaults: { layer_norm_eps: 1e-5, max_position_embeddings: 2048 },
		names: {
			embedding: 'word_embeddings',
			finalNorm: 'ln_f',
			attentionNorm: 'h.#.input_layernorm',
			feedForwardNorm: 'h.#.ln_mlp',
			queryKeyValue: 'h.#.self_attention.query_key_value',
			attentionOut: 'h.#.self_attention.dense',
			up: 'h.#.mlp.dense_h_to_4h',
			down: 'h.#.mlp.dense_4h_to_h',
		},
		ggufNames: { attentionNorm: 'blk.#.attn_norm_2', feedForwardNorm: 'blk.#.attn_norm' },
		otherNames: { attentionNorm: 'h.#.ln_attn' },
		settings: (values) => ({
			num_key_value_heads:
				values['num_key_value_heads'] ??
				(values['new_decoder_architecture'] === true
					? (values['num_kv_heads'] ?? values['num_attention_heads'])
					: values['multi_query'] === false
						? values['num_attention_heads']
						: 1),
			layer_norm_eps: values['layer_norm_epsilon'] ?? values['layer_norm_eps'],
			hidden_act: values['activation'] ?? values['hidden_act'],
		}),
		groupedQueryKeyValue: (values) =>
			values['new_decoder_architecture'] === true || values['multi_query'] === false,
		only: { alibi: [false, null], parallel_attn: [true, null] },
	},
	gemma,
	gemma2: {
		...gemma,
		places: 'sandwich',
		attentionScale: { key: 'query_pre_attn_scalar', power: -0.5 },
		windows: { every: 2 },
		names: sandwich,
		defaults: {
			head_dim: 256,
			query_pre_attn_scalar: 256,
			sliding_window: 4096,
			attn_logit_softcapping: 50,
			final_logit_softcapping: 30,
		},
	},
	gemma3_text: {
		...gemma,
		places: 'sandwich',
		queryKeyNorm: 'head',
		attentionScale: { key: 'query_pre_attn_scalar', power: -0.5 },
		windows: { every: 6 },
		localTheta: 'rope_local_base_freq',
		names: sandwich,
		defaults: {
			num_attention_heads: 8,
			num_key_value_heads: 4,
			head_dim: 256,
			query_pre_attn_scalar: 256,
			sliding_window: 4096,
			max_position_embeddings: 131_072,
			rope_theta: 1_000_000,
			rope_local_base_freq: 10_000,
		},
		only: { use_bidirectional_attention: [false, null] },
	},
	phi3: { ...neox, windows: 'all' },
	phi: {
		...neox,
		places: 'parallel',
		norm: 'layer',
		defaults: { layer_norm_eps: 1e-5, norm_epsilon: 1e-5 },
		gated: false,
		activation: 'gelu_tanh',
		rotaryPart: 0.5,
		names: {
			finalNorm: 'final_layernorm',
			attentionOut: 'layers.#.self_attn.dense',
			up: 'layers.#.mlp.fc1',
			down: 'layers.#.mlp.fc2',
		},
		only: { qk_layernorm: [false, null] },
	},
	stablelm: {
		...neox,
		norm: 'layer',
		defaults: { layer_norm_eps: 1e-5, norm_epsilon: 1e-5 },
		rotaryPart: 0.25,
		only: { qk_layernorm: [false, null], use_parallel_residual: [false, null] },
	},
	starcoder2: {
		...neox,
		norm: 'layer',
		defaults: { layer_norm_eps: 1e-5, norm_epsilon: 1e-5 },
		gated: false,
		activation: 'gelu_tanh',
		tied: true,
		windows: 'all',
		names: { up: 'layers.#.mlp.c_fc', down: 'layers.#.mlp.c_proj' },
	},
};

/** The family of a `model_type`; `undefined` when it is none of those described here. */
export function decoderFamily(modelType: string): DecoderFamily | undefined {
	return Object.hasOwn(families, modelType) ? families[modelType] : undefined;
}

/** @param where the file or setting that says so */
export function vectorsOfDecoder(where: string): AppError {
	return new AppError(
		'unsupported_model',
		`The model gives vectors of texts and is made of a language model (${where}), which cannot be built here. Take an ONNX export of it, or an embedding model of another family: ${encoderFamilyNames.join(', ')}.`,
	);
}

/** Every `model_type` that can be built. */
export const decoderFamilyNames: readonly string[] = Object.keys(families);

/** Those that are mixtures of experts. */
export const expertFamilyNames: readonly string[] = decoderFamilyNames.filter(
	(name) => families[name]?.experts !== undefined,
);
