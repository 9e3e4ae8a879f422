/** Session options a model folder asks for: `session_options` of genai_config.json. */

import { availableParallelism } from 'node:os';
import { defined } from '../../protocol/defined.ts';
import { type ExecutionProvider, executionProviderOf } from '../../protocol/index.ts';
import { asNumber, asRecord, type JsonRecord, readJsonFile } from './json.ts';
import { allowedValue } from './sessionConfig.ts';

export interface SessionSettings {
	/** Intra-op threads the publisher asks for, at most as many as the machine runs at once. */
	readonly threads?: number;
	/** The first execution provider it names that is known here. */
	readonly executionProvider?: ExecutionProvider;
	/** Allowed configuration entries of ONNX Runtime (`session.…`). */
	readonly config: Readonly<Record<string, string>>;
	/** What else the folder asks for, as a sentence; absent when there is nothing. */
	readonly note?: string;
}

/** Fields that say nothing about how the model runs. */
const silent = /^(log_id|log_severity_level|log_verbosity_level|config_entries)$/;
/** Names of refused options that a note spells out. */
const maxNamed = 20;

/** Reads the decoder's options; empty for folders without. */
export async function sessionSettings(folder: string): Promise<SessionSettings> {
	return settingsOf(await readJsonFile(folder, 'genai_config.json'));
}

/** {@link sessionSettings} from the parsed file. */
export function settingsOf(genai: JsonRecord | undefined): SessionSettings {
	const decoder = asRecord(asRecord(genai?.['model'])?.['decoder']);
	const options = asRecord(decoder?.['session_options']) ?? {};
	const { intra_op_num_threads: requested, provider_options: providers, ...others } = options;
	const config: Record<string, string> = {};
	const refused = new Set<string>();
	for (const [key, value] of [
		...Object.entries(others),
		...Object.entries(asRecord(options['config_entries']) ?? {}),
	]) {
		const text = allowedValue(key, value);
		if (text !== undefined) config[key] = text;
		else if (!silent.test(key) && !isEmpty(value)) refused.add(key);
	}
	const named = providersOf(providers, refused);
	const threads = asNumber(requested) ?? 0;
	// Zero leaves the choice to the runtime, as absence does.
	const isCount = Number.isInteger(threads) && threads >= 0;
	if (!isCount || (requested !== undefined && typeof requested !== 'number'))
		refused.add('intra_op_num_threads');
	return {
		config,
		...defined({ executionProvider: named }),
		...(isCount && threads > 0 ? { threads: Math.min(threads, availableParallelism()) } : {}),
		...(refused.size > 0 ? { note: noteOf([...refused]) } : {}),
	};
}

/** Wishes in order, each `{name: options}`; the options themselves are not a model's to decide. */
function providersOf(list: unknown, refused: Set<string>): ExecutionProvider | undefined {
	let first: ExecutionProvider | undefined;
	for (const entry of Array.isArray(list) ? list : []) {
		for (const [name, options] of Object.entries(asRecord(entry) ?? {})) {
			const provider = executionProviderOf(name);
			if (provider === undefined) refused.add(`provider_options.${name}`);
			first ??= provider;
			for (const key of Object.keys(asRecord(options) ?? {}))
				refused.add(`provider_options.${name}.${key}`);
		}
	}
	if (list !== undefined && !Array.isArray(list)) refused.add('provider_options');
	return first;
}

function isEmpty(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

function noteOf(refused: readonly string[]): string {
	const names = refused.slice(0, maxNamed).map((key) => {
		const isPlain = /^[\w.]{1,128}$/.test(key);
		return isPlain ? key : JSON.stringify(key.slice(0, 128));
	});
	const more = refused.length - names.length;
	return `genai_config.json asks for session options that a model does not decide here; they are not used: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
