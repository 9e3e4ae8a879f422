/** The form fields of a transcription, checked; every error names its field. */

import { speechLanguageCode } from '../../engine/speech/languages.ts';
import { AppError, type TranscriptFormat } from '../../protocol/index.ts';
import {
	granularities,
	includable,
	promptLimit,
	speechFields,
	transcriptFormats,
} from '../../protocol/routes/speechForm.ts';

export interface SpeechCall {
	readonly model: string;
	readonly task: 'transcribe' | 'translate';
	/** ISO 639-1; absent = detect. */
	readonly language?: string;
	readonly prompt?: string;
	readonly temperature: number;
	readonly seed?: number;
	readonly format: TranscriptFormat;
	readonly segments: boolean;
	readonly words: boolean;
	readonly stream: boolean;
	readonly logprobs: boolean;
	/** Progress events in the stream. */
	readonly progress: boolean;
	/** Give each stretch the text before it, unless that text was doubtful; absent: as the model's publisher says, else yes. */
	readonly conditionOnPrevious?: boolean;
	/** Fields that mean nothing here. */
	readonly ignored: readonly string[];
}

/** Field name → its values in order; `[]` at the end of a name is dropped. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

/** Throws `invalid_request` with `param`. */
export function parseSpeechCall(fields: FormFields, task: SpeechCall['task']): SpeechCall {
	const one = (name: string): string | undefined => {
		const values = fields.get(name) ?? [];
		if (values.length > 1)
			throw wrong(name, `The field '${name}' was sent ${values.length} times; send it once.`);
		return values[0] === '' ? undefined : values[0];
	};
	const model = one('model');
	if (model === undefined) throw wrong('model', "The field 'model' is missing.");
	const format = choice('response_format', one('response_format') ?? 'json', transcriptFormats);
	const wanted = (fields.get('timestamp_granularities') ?? []).map((value) =>
		choice('timestamp_granularities', value, granularities),
	);
	const include = (fields.get('include') ?? []).map((value) =>
		choice('include', value, includable),
	);
	if (wanted.length > 0 && format !== 'verbose_json')
		throw wrong(
			'timestamp_granularities',
			"'timestamp_granularities' needs response_format=verbose_json.",
		);
	const logprobs = include.includes('logprobs');
	if (logprobs && format !== 'json' && format !== 'verbose_json')
		throw wrong('include', 'include[]=logprobs needs response_format=json or verbose_json.');
	const stream = flag('stream', one('stream')) ?? false;
	if (include.includes('progress') && !stream)
		throw wrong('include', 'include[]=progress needs stream=true.');
	const prompt = one('prompt');
	if (prompt !== undefined && prompt.length > promptLimit)
		throw wrong(
			'prompt',
			`'prompt' has ${prompt.length} characters; at most ${promptLimit} are read.`,
		);
	const seed = numberField('seed', one('seed'), 0, 2 ** 32 - 1);
	if (seed !== undefined && !Number.isInteger(seed))
		throw wrong('seed', "'seed' must be a whole number.");
	const language = languageField(one('language'));
	const conditionOnPrevious = flag('condition_on_previous_text', one('condition_on_previous_text'));
	return {
		model,
		task,
		...(language === undefined ? {} : { language }),
		...(prompt === undefined ? {} : { prompt }),
		...(seed === undefined ? {} : { seed }),
		temperature: numberField('temperature', one('temperature'), 0, 1) ?? 0,
		format,
		segments: wanted.length === 0 || wanted.includes('segment'),
		words: wanted.includes('word'),
		stream,
		logprobs,
		progress: include.includes('progress'),
		...(conditionOnPrevious === undefined ? {} : { conditionOnPrevious }),
		ignored: [...fields.keys()].filter((name) => !speechFields.has(name)),
	};
}

function wrong(param: string, message: string): AppError {
	return new AppError('invalid_request', message, { param });
}

function choice<T extends string>(name: string, value: string, allowed: readonly T[]): T {
	const found = allowed.find((one) => one === value);
	if (found !== undefined) return found;
	throw wrong(name, `'${name}' must be one of ${allowed.join(', ')}, not '${value.slice(0, 40)}'.`);
}

function flag(name: string, value: string | undefined): boolean | undefined {
	if (value === undefined) return undefined;
	if (/^(true|1)$/i.test(value)) return true;
	if (/^(false|0)$/i.test(value)) return false;
	throw wrong(name, `'${name}' must be true or false, not '${value.slice(0, 40)}'.`);
}

function numberField(
	name: string,
	value: string | undefined,
	min: number,
	max: number,
): number | undefined {
	if (value === undefined) return undefined;
	const number = Number(value);
	if (value.trim() !== '' && number >= min && number <= max) return number;
	throw wrong(
		name,
		`'${name}' must be a number from ${min} to ${max}, not '${value.slice(0, 40)}'.`,
	);
}

function languageField(value: string | undefined): string | undefined {
	if (value === undefined || value === 'auto') return undefined;
	const code = speechLanguageCode(value);
	if (code !== undefined) return code;
	throw wrong(
		'language',
		`'${value.slice(0, 40)}' is no language speech models know. Use an ISO 639-1 code such as 'en' or 'de', or leave it out.`,
	);
}
