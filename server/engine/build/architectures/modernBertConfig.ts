/** From config.json of ModernBERT to what it computes: norms first, rotary positions, windows in most layers. */

import { asRecord, type JsonRecord } from '../../modelFiles/json.ts';
import { ConfigReader, configFault } from './configReader.ts';
import type { Activation, Rope } from './decoderShape.ts';
import { readRope } from './ropeConfig.ts';

export interface ModernBertShape {
	readonly kind: 'modern';
	readonly modelType: string;
	readonly hiddenSize: number;
	readonly innerSize: number;
	readonly attentionHeads: number;
	readonly activation: Activation;
	readonly epsilon: number;
	readonly contextLength: number;
	/** Tokens that layers with a window see on either side. */
	readonly window: number;
	/** Whether each layer has the window, and its embedding of positions. */
	readonly isLocal: readonly boolean[];
	/** Of layers without and with a window. */
	readonly ropes: readonly [Rope, Rope];
	/** Always true: the norms are before each part and at the end. */
	readonly normFirst: true;
	readonly withoutNormBias: boolean;
}

/** Settings that mean other tensors than those that are read. */
const refused = ['attention_bias', 'mlp_bias'];

/**
 * @param activationOf the activation of a name
 * @throws AppError `unsupported_model` that names the setting that is missing or means something unknown
 */
export function readModernBertConfig(
	values: JsonRecord,
	activationOf: (name: string) => Activation,
	maxLayers: number,
): ModernBertShape {
	const config = new ConfigReader(values, {
		local_attention: 128,
		global_attn_every_n_layers: 3,
		global_rope_theta: 160_000,
		local_rope_theta: 10_000,
		max_position_embeddings: 8192,
	});
	for (const key of refused) if (values[key] === true) throw configFault(`sets ${key}`);
	if (asRecord(values['rope_scaling']) !== undefined) throw configFault('sets rope_scaling');
	const hiddenSize = config.size('hidden_size');
	const attentionHeads = config.size('num_attention_heads');
	const layers = config.size('num_hidden_layers');
	if (layers > maxLayers || hiddenSize % attentionHeads !== 0)
		throw configFault(`has ${layers} layers of ${attentionHeads} heads for ${hiddenSize} numbers`);
	const contextLength = config.size('max_position_embeddings');
	const rotarySize = hiddenSize / attentionHeads;
	const global = config.number('global_rope_theta') ?? 160_000;
	const common = { rotarySize, contextLength };
	return {
		kind: 'modern',
		modelType: 'modernbert',
		hiddenSize,
		innerSize: config.size('intermediate_size'),
		attentionHeads,
		activation: activationOf(config.text('hidden_activation') ?? 'gelu'),
		epsilon: config.number('norm_eps') ?? 1e-5,
		contextLength,
		window: Math.floor(config.size('local_attention') / 2),
		isLocal: localLayers(config, layers),
		ropes: [
			readRope(config, { ...common, kind: 'full_attention', theta: global }),
			// Where it is null, one embedding is for all.
			readRope(config, {
				...common,
				kind: 'sliding_attention',
				theta: config.number('local_rope_theta') ?? global,
			}),
		],
		normFirst: true,
		withoutNormBias: values['norm_bias'] !== true,
	};
}

function localLayers(config: ConfigReader, layers: number): readonly boolean[] {
	const types = config.list('layer_types');
	if (types === undefined) {
		const every = config.size('global_attn_every_n_layers');
		return Array.from({ length: layers }, (_, layer) => layer % every !== 0);
	}
	const known = ['full_attention', 'sliding_attention'];
	if (types.length !== layers || !types.every((type) => known.includes(String(type))))
		throw configFault('has layer_types that are not known');
	return types.map((type) => type === 'sliding_attention');
}
