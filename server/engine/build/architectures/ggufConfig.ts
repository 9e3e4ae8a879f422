/**
 * config.json of a GGUF file, in the form of the hub, from its metadata (ggml-org/ggml, docs/gguf.md). What
 * llama.cpp knows of an architecture without the file saying it, is here as data.
 */

import { AppError } from '../../../protocol/index.ts';
import type { JsonRecord } from '../../modelFiles/json.ts';
import { columnsOf, rowsOf, type TensorSource } from '../sources/tensorSource.ts';
import { refuseExperts } from './decoderConfig.ts';
import { vectorsOfDecoder } from './decoderFamilies.ts';

interface Architecture {
	/** `model_type` of the hub. */
	readonly type: string;
	/** Settings that no key of the file has, from those that have one. */
	readonly more?: (config: JsonRecord & Sizes) => JsonRecord;
}

/** How experts are chosen, as GGUF numbers it. */
const softmax = 1;

/** How vectors of tokens become one, as GGUF numbers it: not at all, or not said. */
const noPooling = 0;
const unpooled: readonly unknown[] = [noPooling, -1, 0xffffffff];

interface Sizes {
	readonly hidden_size: number;
	readonly num_attention_heads: number;
	readonly num_hidden_layers: number;
	readonly head_dim: number;
}

/** The scale of queries: that of the largest model of a generation is another one. */
const gemmaQueries = (largestLayers: number) => (config: Sizes) => ({
	query_pre_attn_scalar:
		config.num_hidden_layers === largestLayers
			? config.hidden_size / config.num_attention_heads
			: config.head_dim,
});

/** By `general.architecture`. */
const architectures: Readonly<Record<string, Architecture>> = {
	llama: { type: 'llama' },
	qwen2: { type: 'qwen2' },
	qwen3: { type: 'qwen3' },
	qwen2moe: { type: 'qwen2_moe', more: () => ({ norm_topk_prob: false }) },
	qwen3moe: { type: 'qwen3_moe', more: () => ({ norm_topk_prob: true }) },
	olmoe: { type: 'olmoe', more: () => ({ norm_topk_prob: false }) },
	granitemoe: { type: 'granitemoe' },
	gemma: { type: 'gemma' },
	gemma2: { type: 'gemma2', more: gemmaQueries(46) },
	gemma3: { type: 'gemma3_text', more: gemmaQueries(62) },
	phi2: { type: 'phi' },
	phi3: { type: 'phi3' },
	stablelm: { type: 'stablelm' },
	starcoder2: { type: 'starcoder2' },
	granite: { type: 'granite' },
	olmo: { type: 'olmo' },
	olmo2: { type: 'olmo2' },
	falcon: { type: 'falcon' },
	bert: { type: 'bert', more: () => ({ hidden_act: 'gelu' }) },
	smollm3: {
		type: 'smollm3',
		more: ({ num_hidden_layers }) => ({
			no_rope_layers: Array.from({ length: num_hidden_layers }, (_, layer) =>
				(layer + 1) % 4 === 0 ? 0 : 1,
			),
		}),
	},
};

/** Keys of the file below the architecture's name → settings of the hub. */
const numbers: Readonly<Record<string, string>> = {
	context_length: 'max_position_embeddings',
	embedding_length: 'hidden_size',
	block_count: 'num_hidden_layers',
	feed_forward_length: 'intermediate_size',
	'attention.head_count': 'num_attention_heads',
	'attention.head_count_kv': 'num_key_value_heads',
	'attention.key_length': 'head_dim',
	'attention.layer_norm_rms_epsilon': 'rms_norm_eps',
	'attention.layer_norm_epsilon': 'layer_norm_eps',
	'attention.sliding_window': 'sliding_window',
	'attention.scale': 'attention_multiplier',
	embedding_scale: 'embedding_multiplier',
	residual_scale: 'residual_multiplier',
	logit_scale: 'logits_scaling',
	attn_logit_softcapping: 'attn_logit_softcapping',
	final_logit_softcapping: 'final_logit_softcapping',
	'rope.dimension_count': 'rotary_dim',
	'rope.freq_base': 'rope_theta',
	'attention.clamp_kqv': 'clip_qkv',
	expert_count: 'num_local_experts',
	expert_used_count: 'num_experts_per_tok',
};

/**
 * The settings of the model in a GGUF file. Reads the factors of its rotary embedding, and no other tensor.
 * @throws AppError `unsupported_model` with the name of an architecture that is not known
 */
export async function ggufConfig(source: TensorSource, signal?: AbortSignal): Promise<JsonRecord> {
	const name = String(source.metadata.get('general.architecture'));
	const known = Object.hasOwn(architectures, name) ? architectures[name] : undefined;
	if (known === undefined) {
		refuseExperts({
			model_type: name,
			num_experts: source.metadata.get(`${name}.expert_count`),
		});
		throw new AppError(
			'unsupported_model',
			`GGUF files of the architecture ${JSON.stringify(name.slice(0, 100))} cannot be built here; those that can are ${Object.keys(architectures).join(', ')}. Take an ONNX export of the model.`,
		);
	}
	const pooling = source.metadata.get(`${name}.pooling_type`) ?? noPooling;
	if (name !== 'bert' && !unpooled.includes(pooling))
		throw vectorsOfDecoder(`${name}.pooling_type`);
	const gating = source.metadata.get(`${name}.expert_gating_func`) ?? softmax;
	if (gating !== softmax)
		throw new AppError(
			'unsupported_model',
			`The GGUF file's experts are chosen by the function ${JSON.stringify(String(gating).slice(0, 20))} (expert_gating_func), which is not known here.`,
		);
	// Mixtral has no name of its own.
	const experts = source.metadata.get(`${name}.expert_count`) ?? 0;
	const type = name === 'llama' && experts !== 0 ? 'mixtral' : known.type;
	const config: Record<string, unknown> = { model_type: type };
	for (const [key, setting] of Object.entries(numbers)) {
		const value = oneNumber(source.metadata.get(`${name}.${key}`), `${name}.${key}`);
		if (value !== undefined) config[setting] = value;
	}
	for (const kind of ['bos', 'eos'] as const) {
		const id = source.metadata.get(`tokenizer.ggml.${kind}_token_id`);
		if (typeof id === 'number') config[`${kind}_token_id`] = id;
	}
	const { hidden_size: hidden, num_attention_heads: heads } = config;
	if (config['head_dim'] === undefined && typeof hidden === 'number' && typeof heads === 'number')
		config['head_dim'] = hidden / heads;
	const embedding = source.tensors.get('token_embd.weight');
	if (embedding !== undefined) config['vocab_size'] = rowsOf(embedding.shape);
	config['tie_word_embeddings'] = !source.tensors.has('output.weight');
	const scaling = await ropeScaling(source, name, signal);
	if (scaling !== undefined) config['rope_scaling'] = scaling;
	return { ...config, ...known.more?.(config as unknown as JsonRecord & Sizes) };
}

/** A number; a list has one for each layer, and must say the same for all. */
function oneNumber(value: unknown, key: string): number | undefined {
	const list: readonly unknown[] = Array.isArray(value) ? value : [value];
	const [first] = list;
	if (typeof first !== 'number') return undefined;
	// Matrices of the feed-forward part have their sizes in their shapes.
	if (list.every((one) => one === first) || key.endsWith('.feed_forward_length')) return first;
	throw new AppError(
		'unsupported_model',
		`The GGUF file gives each layer a ${key} of its own, which is not known here.`,
	);
}

async function ropeScaling(
	source: TensorSource,
	name: string,
	signal: AbortSignal | undefined,
): Promise<JsonRecord | undefined> {
	const value = (key: string) => source.metadata.get(`${name}.rope.${key}`);
	const factors = async (tensor: string): Promise<number[] | undefined> => {
		const found = source.tensors.get(tensor);
		if (found === undefined || columnsOf(found.shape) > 4096) return undefined;
		return Array.from(await source.rows(tensor, 0, 1, signal));
	};
	const [short, long] = [
		await factors('rope_factors_short.weight'),
		await factors('rope_factors_long.weight'),
	];
	const original = value('scaling.original_context_length');
	const length = typeof original === 'number' ? { original_max_position_embeddings: original } : {};
	const attention = value('scaling.attn_factor');
	if (short !== undefined && long !== undefined)
		return {
			rope_type: 'longrope',
			short_factor: short,
			long_factor: long,
			...length,
			...(typeof attention === 'number' ? { attention_factor: attention } : {}),
		};
	const divisors = await factors('rope_freqs.weight');
	if (divisors !== undefined) return { rope_type: 'divisors', divisors };
	const type = value('scaling.type');
	const factor = value('scaling.factor') ?? value('scale_linear');
	if (type === 'none' || factor === undefined || factor === 0) return undefined;
	// Files older than the type have only the factor.
	if (type !== 'yarn') return { rope_type: type ?? 'linear', factor };
	const usual = 0.1 * Math.log(Number(factor)) + 1;
	const [fast, slow] = [value('scaling.yarn_beta_fast'), value('scaling.yarn_beta_slow')];
	return {
		rope_type: 'yarn',
		factor,
		...length,
		...(typeof attention === 'number' ? { attention_factor: attention * usual } : {}),
		...(typeof fast === 'number' ? { beta_fast: fast } : {}),
		...(typeof slow === 'number' ? { beta_slow: slow } : {}),
	};
}
