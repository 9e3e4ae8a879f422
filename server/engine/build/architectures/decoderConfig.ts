/** From config.json, as the hub has it, to what a decoder-only model computes. */

import { defined } from '../../../protocol/defined.ts';
import { AppError } from '../../../protocol/index.ts';
import { asRecord, type JsonRecord } from '../../modelFiles/json.ts';
import { ConfigReader, configFault } from './configReader.ts';
import {
	type ConfigNumber,
	type DecoderFamily,
	decoderFamily,
	decoderFamilyNames,
	expertFamilyNames,
} from './decoderFamilies.ts';
import type { Activation, DecoderShape, ExpertsShape, LayerShape } from './decoderShape.ts';
import { encoderFamilyNames } from './encoderConfig.ts';
import { readRope, ropePart } from './ropeConfig.ts';
import { seq2seqFamilyNames } from './seq2seqConfig.ts';

/** Tokens of the longest context that is built: each has its row in the tables of positions, and keys and values that memory has to hold. */
export const maxContext = 262_144;
const maxLayers = 1024;
const maxExperts = 512;

const activations: Readonly<Record<string, Activation>> = {
	silu: 'silu',
	swish: 'silu',
	gelu: 'gelu',
	gelu_new: 'gelu_tanh',
	gelu_fast: 'gelu_tanh',
	gelu_pytorch_tanh: 'gelu_tanh',
	relu: 'relu',
};

/**
 * The settings of the language model, complete: those of `text_config` where a model has other parts as well,
 * which leave out what is usual in the family.
 */
export function languageConfig(config: JsonRecord): JsonRecord {
	const text = asRecord(config['text_config']);
	if (text === undefined) return config;
	const ids = ['bos_token_id', 'eos_token_id', 'pad_token_id', 'tie_word_embeddings'];
	const own = ids.flatMap((key) =>
		config[key] === undefined ? [] : [[key, config[key]] as const],
	);
	const usual = decoderFamily(String(text['model_type']))?.defaults;
	return { ...usual, ...Object.fromEntries(own), ...text };
}

/**
 * The family that a config.json names.
 * @throws AppError `unsupported_model` with the name, when it is not one that can be built
 */
export function familyOfConfig(config: JsonRecord): { modelType: string; family: DecoderFamily } {
	const modelType = String(config['model_type']);
	const family = decoderFamily(modelType);
	if (family?.experts === undefined) refuseExperts(config);
	if (family !== undefined) return { modelType, family };
	throw new AppError(
		'unsupported_model',
		`Models of the type ${JSON.stringify(modelType.slice(0, 100))} cannot be built here; those that can are ${[...decoderFamilyNames, ...seq2seqFamilyNames, ...encoderFamilyNames].join(', ')}. Take an ONNX export of the model.`,
	);
}

/** @throws AppError `unsupported_model` that names the setting that is missing or means something unknown */
export function readDecoderConfig(given: JsonRecord): DecoderShape {
	const language = languageConfig(given);
	const { modelType, family } = familyOfConfig(language);
	const values = { ...language, ...family.settings?.(language) };
	const config = new ConfigReader(values, family.defaults);
	checkKnown(config, family);
	const hiddenSize = config.size('hidden_size');
	const heads = config.size('num_attention_heads');
	const kvHeads = config.number('num_key_value_heads') ?? heads;
	const headSize = config.number('head_dim') ?? hiddenSize / heads;
	if (!Number.isInteger(headSize) || headSize % 2 !== 0 || heads % kvHeads !== 0)
		throw configFault(`has ${heads} heads, ${kvHeads} for keys, of ${headSize} numbers each`);
	// Scaled positions go by the whole of it.
	const contextLength = config.size('max_position_embeddings', 'n_positions');
	const scale = (from: ConfigNumber | undefined): number | undefined => {
		const value = from === undefined ? undefined : config.number(from.key);
		return value === undefined ? undefined : value ** (from?.power ?? 1);
	};
	const windows = windowsOf(config, family);
	// Newer files have it beside the base.
	const rotaryPart =
		config.number('partial_rotary_factor', 'rope_pct', 'rotary_pct') ??
		ropePart(config) ??
		family.rotaryPart;
	const rotarySize = config.number('rotary_dim') ?? Math.floor(headSize * rotaryPart);
	const global = readRope(config, { rotarySize, contextLength, kind: 'full_attention' });
	const local =
		family.localTheta === undefined
			? undefined
			: readRope(config, {
					rotarySize,
					contextLength,
					kind: 'sliding_attention',
					theta: config.number(family.localTheta) ?? 10_000,
				});
	const withoutRope = config.list('no_rope_layers');
	const layers = windows.map(
		(window, layer): LayerShape => ({
			window,
			// The list says 1 for the layers that have positions.
			rope: withoutRope?.[layer] === 0 ? undefined : local !== undefined && window > 0 ? 1 : 0,
		}),
	);
	return {
		modelType,
		hiddenSize,
		heads,
		kvHeads,
		headSize,
		contextLength: Math.min(contextLength, maxContext),
		layers,
		ropes: [global, ...(local === undefined ? [] : [local])],
		norms: {
			places: family.places,
			kind: family.norm,
			epsilon: config.number('rms_norm_eps', 'layer_norm_eps', 'norm_epsilon') ?? 1e-6,
			offset: family.normOffset,
			plain: family.plainNorms === true,
			queryKey: family.queryKeyNorm,
		},
		activation: activationOf(config, family),
		gated: family.gated,
		...defined({ experts: expertsOf(config, family) }),
		scales: {
			embedding:
				family.embeddingScale === 'sqrt'
					? Math.sqrt(hiddenSize)
					: (scale(family.embeddingScale) ?? 1),
			attention: scale(family.attentionScale) ?? headSize ** -0.5,
			residual: scale(family.residualScale) ?? 1,
			logits: scale(family.logitsScale) ?? 1,
		},
		softcaps: {
			attention: config.number('attn_logit_softcapping') ?? 0,
			logits: config.number('final_logit_softcapping') ?? 0,
		},
		clip: family.clips === true ? (config.number('clip_qkv') ?? 0) : 0,
		groupedQueryKeyValue: family.groupedQueryKeyValue?.(values) === true,
		tied:
			(config.values['tie_word_embeddings'] ?? undefined) === undefined
				? family.tied
				: config.values['tie_word_embeddings'] === true,
		pairedInGguf: family.pairedInGguf,
	};
}

function checkKnown(config: ConfigReader, family: DecoderFamily): void {
	for (const [key, values] of Object.entries(family.only ?? {})) {
		const value = config.values[key] ?? null;
		if (!values.includes(value))
			throw configFault(
				`sets ${key} to ${JSON.stringify(value).slice(0, 100)}, which is not known here`,
			);
	}
	const clip = config.values['clip_qkv'];
	if (family.clips !== true && clip !== undefined && clip !== null && clip !== 0)
		throw configFault(
			`sets clip_qkv to ${JSON.stringify(clip).slice(0, 100)}, which is not known here`,
		);
}

function expertsOf(config: ConfigReader, family: DecoderFamily): ExpertsShape | undefined {
	if (family.experts === undefined) return undefined;
	const count = config.size('num_local_experts', 'num_experts');
	const used = config.size('num_experts_per_tok');
	if (count > maxExperts || used > count)
		throw configFault(
			`has ${count} experts and takes ${used} for a token; at most ${maxExperts} are built`,
		);
	const normalised = family.experts === 'normalised' || config.values['norm_topk_prob'] === true;
	return { count, used, normalised };
}

/** @throws AppError `unsupported_model` for a mixture of experts of a family that has none here */
export function refuseExperts(config: JsonRecord): void {
	const keys = ['num_local_experts', 'num_experts', 'n_routed_experts', 'moe_num_experts'];
	const given = keys.map((key) => config[key]).find((value) => value !== null && Boolean(value));
	if (given === undefined) return;
	throw new AppError(
		'unsupported_model',
		`The model (${JSON.stringify(String(config['model_type']).slice(0, 100))}) is a mixture of ${typeof given === 'number' ? `${given} ` : ''}experts of a kind that cannot be built here; those that can are ${expertFamilyNames.join(', ')}. Take an ONNX export of it, or a model without experts.`,
	);
}

function activationOf(config: ConfigReader, family: DecoderFamily): Activation {
	const name = config.text('hidden_activation') ?? config.text('hidden_act');
	if (name === undefined) return family.activation;
	const known = Object.hasOwn(activations, name) ? activations[name] : undefined;
	if (known === undefined)
		throw configFault(`names the activation ${JSON.stringify(name.slice(0, 100))}`);
	// Gemma's first models say gelu and mean the approximation.
	return known === 'gelu' && family.activation === 'gelu_tanh' && family.gated
		? 'gelu_tanh'
		: known;
}

/** The window of each layer; 0 = none. */
function windowsOf(config: ConfigReader, family: DecoderFamily): readonly number[] {
	const count = config.size('num_hidden_layers');
	if (count > maxLayers) throw configFault(`has ${count} layers; at most ${maxLayers} are built`);
	const layers = Array.from({ length: count }, (_, layer) => layer);
	const types = config.list('layer_types');
	const window = config.number('sliding_window') ?? 0;
	const { windows } = family;
	if (windows === 'none' || window <= 0) return layers.map(() => 0);
	if (windows === 'switched' && config.values['use_sliding_window'] !== true)
		return layers.map(() => 0);
	if (types !== undefined)
		return layers.map((layer) => {
			const type = types[layer];
			if (type === 'full_attention') return 0;
			if (type === 'sliding_attention') return window;
			throw configFault(`gives layer ${layer} the type ${JSON.stringify(type)?.slice(0, 100)}`);
		});
	if (windows === 'all') return layers.map(() => window);
	if (windows === 'switched') {
		const first = config.number('max_window_layers') ?? 0;
		return layers.map((layer) => (layer >= first ? window : 0));
	}
	const every = config.number('sliding_window_pattern', '_sliding_window_pattern') ?? windows.every;
	return layers.map((layer) => ((layer + 1) % every === 0 ? 0 : window));
}
