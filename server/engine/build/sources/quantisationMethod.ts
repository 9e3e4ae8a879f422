/** How a model of safetensors files says that it is quantised. */

import { asRecord, asString, type JsonRecord } from '../../modelFiles/json.ts';

/** What a model says of how it is quantised: `quantization_config` of its settings. */
export interface QuantisationMethod {
	readonly name: string;
	readonly settings: JsonRecord;
}

/** @param settings `config.json`, or what quantisers wrote beside it before */
export function methodOf(
	settings: readonly (JsonRecord | undefined)[],
): QuantisationMethod | undefined {
	const [config, gptq, awq] = settings;
	const own = asRecord(config?.['quantization_config']) ?? asRecord(config?.['compression_config']);
	const mlx = asRecord(config?.['quantization']);
	// MLX repeats its settings under the other name.
	const method = asString(own?.['quant_method']) ?? (mlx && 'mlx');
	if (own !== undefined || mlx !== undefined)
		return { name: method ?? 'unknown', settings: own ?? mlx ?? {} };
	if (gptq !== undefined) return { name: 'gptq', settings: gptq };
	if (awq !== undefined) return { name: 'awq', settings: awq };
	return undefined;
}
