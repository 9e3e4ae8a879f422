/** What a Whisper folder says about itself: special tokens, suppressed tokens, sizes. Reads files only. */

import { AppError } from '../../../protocol/index.ts';
import type { TextModel } from '../../api.ts';
import {
	asNumber,
	asNumbers,
	asRecord,
	type JsonRecord,
	readJsonFile,
} from '../../modelFiles/json.ts';
import type { TensorInfo } from '../../runtime/runtime.ts';
import { speechLanguages } from '../languages.ts';
import { nonSpeechTokens } from './nonSpeech.ts';

export interface WhisperConfig {
	readonly melBins: number;
	/** Encoder input length in 10 ms frames. */
	readonly frames: number;
	/** Longest decoder sequence, prompt included. */
	readonly maxTokens: number;
	readonly startToken: number;
	readonly endToken: number;
	readonly transcribeToken: number | undefined;
	readonly translateToken: number | undefined;
	readonly noTimestampsToken: number | undefined;
	readonly previousToken: number | undefined;
	readonly noSpeechToken: number | undefined;
	/** Id of `<|0.00|>`; the following ids are 20 ms apart. */
	readonly firstTimestamp: number | undefined;
	/** Language code → token; empty for models of one language. */
	readonly languages: ReadonlyMap<string, number>;
	readonly suppressTokens: readonly number[];
	readonly beginSuppressTokens: readonly number[];
	readonly maxInitialTimestamp: number;
	/** `[layer, head]` whose attention follows the words. */
	readonly alignmentHeads: readonly (readonly [number, number])[] | undefined;
	readonly medianWidth: number;
}

/** Ids that GPT-2's vocabulary and the control tokens of the English-only models take together. */
const englishVocabulary = 51_864;

/**
 * Reads config.json, generation_config.json and preprocessor_config.json of a Whisper folder, or
 * genai_config.json, which alone is there in the other layout.
 * @param input features of the encoder graph, whose fixed sizes are the truth
 */
export async function readWhisperConfig(
	folder: string,
	text: TextModel,
	input?: TensorInfo,
): Promise<WhisperConfig> {
	const [publishedConfig, publishedRules] = [
		await readJsonFile(folder, 'config.json'),
		await readJsonFile(folder, 'generation_config.json'),
	];
	const [config, generation] = [publishedConfig ?? {}, publishedRules ?? {}];
	// Without its publisher's rules, a model follows those of the reference decoder.
	const isBare = publishedConfig === undefined && publishedRules === undefined;
	const features = (await readJsonFile(folder, 'preprocessor_config.json')) ?? {};
	const genai = asRecord((await readJsonFile(folder, 'genai_config.json'))?.model) ?? {};
	const either = (key: string) => generation[key] ?? config[key] ?? genai[key];
	const [, bins, frames] = (input?.dims ?? []).map((dim) => (dim > 0 ? dim : undefined));
	const startToken =
		asNumber(either('decoder_start_token_id')) ?? text.tokenToId('<|startoftranscript|>');
	const endToken = asNumbers(either('eos_token_id'))[0] ?? text.tokenToId('<|endoftext|>');
	if (startToken === undefined || endToken === undefined) {
		throw new AppError(
			'unsupported_model',
			'The speech model names no start and end token (decoder_start_token_id, eos_token_id).',
		);
	}
	const tasks = asRecord(generation.task_to_id);
	const noTimestampsToken =
		asNumber(either('no_timestamps_token_id')) ?? text.tokenToId('<|notimestamps|>');
	const languages = languageTokens(generation, text);
	const english = asNumber(either('vocab_size')) === englishVocabulary;
	const multilingual = (either('is_multilingual') ?? !english) !== false && languages.size > 0;
	return {
		melBins: bins ?? asNumber(config.num_mel_bins) ?? asNumber(features.feature_size) ?? 80,
		frames: frames ?? 2 * (asNumber(config.max_source_positions) ?? 1500),
		maxTokens:
			asNumber(config.max_target_positions) ??
			asNumber(generation.max_length) ??
			asNumber(genai.context_length) ??
			448,
		startToken,
		endToken,
		transcribeToken: multilingual
			? (asNumber(tasks?.transcribe) ?? text.tokenToId('<|transcribe|>'))
			: undefined,
		translateToken: multilingual
			? (asNumber(tasks?.translate) ?? text.tokenToId('<|translate|>'))
			: undefined,
		noTimestampsToken,
		previousToken: asNumber(generation.prev_sot_token_id) ?? text.tokenToId('<|startofprev|>'),
		noSpeechToken: text.tokenToId('<|nospeech|>') ?? text.tokenToId('<|nocaptions|>'),
		firstTimestamp:
			text.tokenToId('<|0.00|>') ??
			asNumber(genai.timestamp_begin_token_id) ??
			(noTimestampsToken === undefined ? undefined : noTimestampsToken + 1),
		languages: multilingual ? languages : new Map(),
		suppressTokens: suppressedTokens(
			isBare ? nonSpeechTokens(text) : asNumbers(either('suppress_tokens')),
			text,
		),
		beginSuppressTokens: isBare
			? [...text.encode(' ', { addSpecial: false }), endToken]
			: asNumbers(either('begin_suppress_tokens')),
		maxInitialTimestamp: asNumber(generation.max_initial_timestamp_index) ?? 50,
		alignmentHeads: headPairs(generation.alignment_heads),
		medianWidth: asNumber(config.median_filter_width) ?? 7,
	};
}

function languageTokens(generation: JsonRecord, text: TextModel): ReadonlyMap<string, number> {
	const listed = asRecord(generation.lang_to_id);
	const found = new Map<string, number>();
	for (const code of speechLanguages.keys()) {
		const id =
			asNumber(listed?.[`<|${code}|>`]) ?? (listed ? undefined : text.tokenToId(`<|${code}|>`));
		if (id !== undefined) found.set(code, id);
	}
	return found;
}

/** The published list, and the control tokens that are never part of a transcript. */
function suppressedTokens(published: readonly number[], text: TextModel): number[] {
	const control = [
		'startoftranscript',
		'startofprev',
		'startoflm',
		'nospeech',
		'nocaptions',
		'transcribe',
		'translate',
	];
	const ids = control.map((name) => text.tokenToId(`<|${name}|>`));
	return [...new Set([...published, ...ids.filter((id) => id !== undefined)])].filter(
		(id) => id >= 0,
	);
}

function headPairs(value: unknown): readonly (readonly [number, number])[] | undefined {
	if (!Array.isArray(value) || value.length === 0) return undefined;
	return value.map(asNumbers).map(([layer = 0, head = 0]): [number, number] => [layer, head]);
}
