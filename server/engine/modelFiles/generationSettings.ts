/** Generation settings of a model folder, from generation_config.json, config.json or genai_config.json. */

import { AppError } from '../../protocol/index.ts';
import { asNumber, asNumbers, asRecord, asString, type JsonRecord, readJsonFile } from './json.ts';

/** How the model's publisher says it should generate. Absent values are the reference library's defaults. */
export interface GenerationSettings {
	/** Every id that ends an answer. */
	readonly eosTokenIds: readonly number[];
	readonly bosTokenId: number | undefined;
	readonly padTokenId: number | undefined;
	/** First token fed to the decoder of an encoder-decoder. */
	readonly decoderStartTokenId: number | undefined;
	/** Token forced right after the start token (the target language, where it is fixed). */
	readonly forcedBosTokenId: number | undefined;
	/** Token forced as the last one when the length limit is reached. */
	readonly forcedEosTokenId: number | undefined;
	/** Token sequences that must not appear. */
	readonly badWords: readonly (readonly number[])[];
	/** Never generated. */
	readonly suppressTokens: readonly number[];
	/** Not generated as the first token. */
	readonly beginSuppressTokens: readonly number[];
	/** Position (0 = the start token) → forced id. */
	readonly forcedDecoderIds: readonly (readonly [position: number, id: number])[];
	/** Speech models: whether a chunk is conditioned on the text before it; `undefined` = the publisher does not say. */
	readonly conditionOnPrevious: boolean | undefined;
	/** Chat models: earlier turns of a conversation the model reads; `undefined` = all that fit. */
	readonly maxHistoryTurns: number | undefined;
	/** 1 = off. */
	readonly repetitionPenalty: number;
	/** 0 = off. */
	readonly noRepeatNgramSize: number;
	/** Prompt plus answer (decoders) or decoder ids (encoder-decoders); `undefined` = no limit of its own. */
	readonly maxLength: number | undefined;
	readonly maxNewTokens: number | undefined;
	readonly minLength: number;
	readonly numBeams: number;
	readonly lengthPenalty: number;
	/** As in the reference: stop when enough hypotheses ended, when none can improve (`false`), or `never` early. */
	readonly earlyStopping: boolean | 'never';
	/** Scores are log-softmaxed again after the processors. */
	readonly renormalizeLogits: boolean;
	readonly doSample: boolean;
	readonly temperature: number;
	readonly topP: number;
	/** 0 = off. */
	readonly topK: number;
	readonly minP: number;
}

/** Reads the settings of a folder. `generation_config.json` wins over `config.json`, as in the reference. */
export async function generationSettings(folder: string): Promise<GenerationSettings> {
	const genai = await readJsonFile(folder, 'genai_config.json');
	const config = await readJsonFile(folder, 'config.json');
	const own = await readJsonFile(folder, 'generation_config.json');
	const tokenizer = await readJsonFile(folder, 'tokenizer_config.json');
	const settings = settingsFrom(own, config, genai);
	const isChatDecoder =
		config?.is_encoder_decoder !== true && settings.decoderStartTokenId === undefined;
	const end = isChatDecoder ? endOfTextId(tokenizer) : undefined;
	if (end === undefined || settings.eosTokenIds.includes(end)) return settings;
	return { ...settings, eosTokenIds: [...settings.eosTokenIds, end] };
}

/**
 * {@link generationSettings} from parsed files.
 * @throws AppError `unsupported_model` when `max_history_turns` is no count
 */
export function settingsFrom(
	own: JsonRecord | undefined,
	config: JsonRecord | undefined,
	genai: JsonRecord | undefined,
): GenerationSettings {
	const text = asRecord(config?.text_config);
	const search = asRecord(genai?.search);
	const model = asRecord(genai?.model);
	const pick = (key: string): unknown => {
		for (const from of [own, config, text, model, search]) {
			if (from?.[key] !== undefined && from[key] !== null) return from[key];
		}
		return undefined;
	};
	const number = (key: string, otherwise: number) => asNumber(pick(key)) ?? otherwise;
	const early = pick('early_stopping');
	// The defaults of old config.json files are not settings; only a generation config's max_length is one.
	const maxLength = own === undefined ? asNumber(search?.max_length) : asNumber(own.max_length);
	const doSample = pick('do_sample') === true;
	return {
		eosTokenIds: asNumbers(pick('eos_token_id')),
		bosTokenId: asNumber(pick('bos_token_id')),
		padTokenId: asNumber(pick('pad_token_id')),
		decoderStartTokenId: asNumber(pick('decoder_start_token_id')),
		forcedBosTokenId: asNumber(pick('forced_bos_token_id')),
		forcedEosTokenId: asNumber(pick('forced_eos_token_id')),
		badWords: asLists(pick('bad_words_ids')).filter((ids) => ids.length > 0),
		suppressTokens: asNumbers(pick('suppress_tokens')),
		beginSuppressTokens: asNumbers(pick('begin_suppress_tokens')),
		forcedDecoderIds: asLists(pick('forced_decoder_ids')).flatMap(([position, id]) =>
			position === undefined || id === undefined ? [] : [[position, id] as const],
		),
		conditionOnPrevious: flagOf(pick('condition_on_prev_tokens')),
		maxHistoryTurns: turnsOf(pick('max_history_turns')),
		repetitionPenalty: number('repetition_penalty', 1),
		noRepeatNgramSize: number('no_repeat_ngram_size', 0),
		maxLength,
		maxNewTokens: asNumber(own?.max_new_tokens),
		minLength: number('min_length', 0),
		numBeams: number('num_beams', 1),
		lengthPenalty: number('length_penalty', 1),
		earlyStopping: early === 'never' ? 'never' : early === true,
		renormalizeLogits: pick('renormalize_logits') === true,
		doSample,
		temperature: doSample ? number('temperature', 1) : 1,
		topP: doSample ? number('top_p', 1) : 1,
		topK: doSample ? number('top_k', 50) : 0,
		minP: doSample ? number('min_p', 0) : 0,
	};
}

function asLists(value: unknown): number[][] {
	return Array.isArray(value) ? value.map(asNumbers) : [];
}

function flagOf(value: unknown): boolean | undefined {
	return typeof value === 'boolean' ? value : undefined;
}

// What is written beside a model by hand and not understood would change its answers silently.
function turnsOf(value: unknown): number | undefined {
	if (value === undefined) return undefined;
	const count = asNumber(value);
	if (count !== undefined && Number.isSafeInteger(count) && count >= 0) return count;
	throw new AppError(
		'unsupported_model',
		`'max_history_turns' of the model's generation_config.json is ${JSON.stringify(value).slice(0, 40)}; it must be a whole number from 0, or be left out to read every turn that fits.`,
	);
}

// Some exports list only <|endoftext|> although every chat turn ends with the tokenizer's own end token.
function endOfTextId(tokenizer: JsonRecord | undefined): number | undefined {
	const token = tokenizer?.eos_token;
	const content = asString(token) ?? asString(asRecord(token)?.content);
	const added = asRecord(tokenizer?.added_tokens_decoder);
	if (content === undefined || added === undefined) return undefined;
	for (const [id, entry] of Object.entries(added)) {
		if (asRecord(entry)?.content === content) return Number(id);
	}
	return undefined;
}
