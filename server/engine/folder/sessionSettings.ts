/** Session options a model folder asks for: `session_options` of genai_config.json. */

import { asNumber, asRecord, readJsonFile } from './json.ts';

export interface SessionSettings {
	/** Intra-op threads the publisher asks for. */
	readonly threads?: number;
	/** Configuration entries of ONNX Runtime (`session.…`, `ep.…`, …). */
	readonly config: Readonly<Record<string, string>>;
}

/** Reads the decoder's options; empty for folders without. */
export async function sessionSettings(folder: string): Promise<SessionSettings> {
	const genai = await readJsonFile(folder, 'genai_config.json');
	const model = asRecord(genai?.['model']);
	const options = asRecord(asRecord(model?.['decoder'])?.['session_options']) ?? {};
	const threads = asNumber(options['intra_op_num_threads']);
	const config: Record<string, string> = {};
	for (const [key, value] of Object.entries({
		...options,
		...asRecord(options['config_entries']),
	})) {
		// Dotted names are ONNX Runtime's own; the others are fields of genai.
		if (key.includes('.') && ['string', 'number', 'boolean'].includes(typeof value)) {
			config[key] = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
		}
	}
	return { config, ...(threads !== undefined && threads > 0 ? { threads } : {}) };
}
