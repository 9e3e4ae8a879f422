/** The rotary embedding as config.json describes it, in the forms of all versions of the format. */

import type { JsonRecord } from '../../modelFiles/json.ts';
import { asNumber, asRecord } from '../../modelFiles/json.ts';
import { type ConfigReader, configFault } from './configReader.ts';
import type { Rope, RopeScaling } from './decoderShape.ts';

export interface RopeOptions {
	readonly rotarySize: number;
	readonly contextLength: number;
	/** The layers' type, by which newer files tell several embeddings apart. */
	readonly kind: 'full_attention' | 'sliding_attention';
	/** The base, where this embedding has its own setting and no scaling. */
	readonly theta?: number;
}

/** The part of a head that is rotated, as newer files say it; `undefined` where they do not. */
export function ropePart(config: ConfigReader): number | undefined {
	const parameters = config.record('rope_parameters');
	const own = asRecord(parameters?.['full_attention']) ?? parameters;
	return asNumber(own?.['partial_rotary_factor']);
}

/** @throws AppError `unsupported_model` that names a scaling that is not known */
export function readRope(config: ConfigReader, options: RopeOptions): Rope {
	const { rotarySize } = options;
	if (rotarySize <= 0 || rotarySize % 2 !== 0)
		throw configFault(`rotates ${rotarySize} numbers of a head`);
	const parameters = config.record('rope_parameters');
	const own = asRecord(parameters?.[options.kind]) ?? parameters;
	const theta =
		asNumber(own?.['rope_theta']) ?? options.theta ?? config.number('rope_theta') ?? 10_000;
	if (!(theta > 0)) throw configFault(`has the rope_theta ${theta}`);
	// Newer files have the scaling beside the base, older ones by itself, and only for layers without window.
	const scaling = own ?? (options.theta === undefined ? config.record('rope_scaling') : undefined);
	return { theta, rotarySize, scaling: scalingOf(scaling, config, options) };
}

/** What is read here or elsewhere, and what means nothing for texts. */
const knownKeys: ReadonlySet<string> = new Set([
	'rope_type',
	'type',
	'rope_theta',
	'partial_rotary_factor',
	'factor',
	'original_max_position_embeddings',
	'low_freq_factor',
	'high_freq_factor',
	'short_factor',
	'long_factor',
	'attention_factor',
	'beta_fast',
	'beta_slow',
	'mscale',
	'mscale_all_dim',
	'truncate',
	'divisors',
	'full_attention',
	'sliding_attention',
	'finetuned',
	'mrope_section',
	'mrope_interleaved',
]);

function scalingOf(
	given: JsonRecord | undefined,
	config: ConfigReader,
	{ rotarySize, contextLength }: RopeOptions,
): RopeScaling {
	const kind = String(given?.['rope_type'] ?? given?.['type'] ?? 'default');
	if (given === undefined || kind === 'default') return { kind: 'none' };
	for (const [key, value] of Object.entries(given))
		if (!knownKeys.has(key) && value !== null)
			throw configFault(
				`sets ${JSON.stringify(key.slice(0, 100))} in rope_scaling, which is not known here`,
			);
	const number = (key: string): number | undefined => asNumber(given[key]);
	const wanted = (key: string): number => {
		const value = number(key);
		if (value === undefined || !(value > 0)) throw configFault(`has no ${key} in rope_scaling`);
		return value;
	};
	const originalLength =
		number('original_max_position_embeddings') ??
		config.number('original_max_position_embeddings') ??
		contextLength;
	if (kind === 'linear') return { kind, factor: wanted('factor') };
	if (kind === 'llama3')
		return {
			kind,
			factor: wanted('factor'),
			lowFrequencyFactor: wanted('low_freq_factor'),
			highFrequencyFactor: wanted('high_freq_factor'),
			originalLength,
		};
	const factors = (key: string): readonly number[] => {
		const list = given[key];
		if (!Array.isArray(list) || list.length !== rotarySize / 2 || !list.every(isFactor))
			throw configFault(`has no ${rotarySize / 2} numbers as ${key} in rope_scaling`);
		return list;
	};
	if (kind === 'divisors') return { kind, divisors: factors(kind) };
	if (kind === 'longrope' || kind === 'su') {
		const factor = contextLength / originalLength;
		const usual = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(originalLength));
		return {
			kind: 'longrope',
			short: factors('short_factor'),
			long: factors('long_factor'),
			originalLength,
			attentionFactor: number('attention_factor') ?? usual,
		};
	}
	if (kind === 'yarn') {
		const factor = wanted('factor');
		const scale = (by: number): number => (factor <= 1 ? 1 : 0.1 * by * Math.log(factor) + 1);
		const [all, one] = [number('mscale_all_dim'), number('mscale')];
		return {
			kind,
			factor,
			originalLength,
			betaFast: number('beta_fast') ?? 32,
			betaSlow: number('beta_slow') ?? 1,
			truncate: given['truncate'] !== false,
			attentionFactor:
				number('attention_factor') ??
				(all !== undefined && one !== undefined ? scale(one) / scale(all) : scale(1)),
		};
	}
	throw configFault(
		`has the rope_scaling ${JSON.stringify(kind.slice(0, 100))}, which is not known here`,
	);
}

const isFactor = (value: unknown): value is number => typeof value === 'number' && value > 0;
