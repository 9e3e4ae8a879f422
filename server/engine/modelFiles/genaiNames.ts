/**
 * How genai_config.json of a speech model names what its two graphs take and give. The encoder makes
 * the cross-attention caches; one decoder graph runs all tokens. The defaults are those of ONNX
 * Runtime GenAI's config.h and of its model builder.
 */

import { asRecord, asString, type JsonRecord } from './json.ts';

/** A cache of every layer; `%d` stands for the layer. */
export interface CacheNames {
	/** Input of the decoder. */
	readonly past: string;
	/** Output that fills it: of the decoder for its own tokens, of the encoder for the sound. */
	readonly present: string;
}

export interface GenaiNames {
	readonly features: string;
	readonly hidden: string;
	readonly inputIds: string;
	readonly logits: string;
	/** Keys and values of the decoder's own tokens. */
	readonly self: readonly CacheNames[];
	/** Keys and values of what the encoder heard. */
	readonly cross: readonly CacheNames[];
	/** Cross-attention before its softmax, where the export has it. */
	readonly crossScores: string;
}

/** Names of an encoder-decoder in this layout; `undefined` for a single graph. */
export function genaiNames(genai: JsonRecord | undefined): GenaiNames | undefined {
	const model = asRecord(genai?.model);
	const encoder = asRecord(model?.encoder);
	const decoder = asRecord(model?.decoder);
	if (asString(encoder?.filename) === undefined || decoder === undefined) return undefined;
	const reader = (section: JsonRecord | undefined, side: string) => {
		const names = asRecord(section?.[side]);
		return (key: string, usual: string) => asString(names?.[key]) ?? usual;
	};
	const taken = reader(decoder, 'inputs');
	const given = reader(decoder, 'outputs');
	const heard = reader(encoder, 'outputs');
	return {
		features: reader(encoder, 'inputs')('audio_features', 'audio_features'),
		hidden: heard('encoder_hidden_states', 'encoder_hidden_states'),
		inputIds: taken('input_ids', 'input_ids'),
		logits: given('logits', 'logits'),
		self: [
			{
				past: taken('past_key_names', 'past_key_self_%d'),
				present: given('present_key_names', 'present_key_self_%d'),
			},
			{
				past: taken('past_value_names', 'past_value_self_%d'),
				present: given('present_value_names', 'present_value_self_%d'),
			},
		],
		cross: [
			{
				past: taken('cross_past_key_names', 'past_key_cross_%d'),
				present: heard('cross_present_key_names', 'present_key_cross_%d'),
			},
			{
				past: taken('cross_past_value_names', 'past_value_cross_%d'),
				present: heard('cross_present_value_names', 'present_value_cross_%d'),
			},
		],
		crossScores: given('output_cross_qk_names', 'output_cross_qk_%d'),
	};
}

/** The name for a layer. */
export function layerName(template: string, layer: number): string {
	return template.replace('%d', String(layer));
}

/** The layer a name of this template is of; `undefined` for other names. */
export function layerOf(template: string, name: string): number | undefined {
	const [before = '', after] = template.split('%d');
	if (after === undefined || !name.startsWith(before) || !name.endsWith(after)) return undefined;
	const digits = name.slice(before.length, name.length - after.length);
	return /^\d+$/.test(digits) ? Number(digits) : undefined;
}
