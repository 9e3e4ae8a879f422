/** What a transcription was asked, made of the fields of its form. */

import { speechLanguageCode } from '../../engine/speech/languages.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError, type TranscriptFormat } from '../../protocol/index.ts';
import { check } from '../../protocol/routes/check.ts';
import { unreadFields } from '../../protocol/routes/fields.ts';
import type { FormTexts } from '../../protocol/routes/formFields.ts';
import { type SpeechForm, speechForm } from '../../protocol/routes/speechForm.ts';
import type { Account } from '../limits/account.ts';

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
	/** Say who speaks. */
	readonly speakers: boolean;
	/** Progress events in the stream. */
	readonly progress: boolean;
	/** Give each chunk the text before it, unless that text was doubtful; absent: as the model's publisher says, else yes. */
	readonly conditionOnPrevious?: boolean;
	/** Who pays for the seconds. */
	readonly account?: Account | undefined;
	/** Gives way to everybody's where it is `batch`. */
	readonly priority?: 'interactive' | 'batch';
	/** Whose turn it takes; see `Owned`. */
	readonly owner?: string | undefined;
}

/** Throws `invalid_request` with `param`. */
export function parseSpeechCall(
	texts: FormTexts,
	task: SpeechCall['task'],
): SpeechCall & {
	/** Fields that mean nothing here. */
	readonly ignored: readonly string[];
} {
	const call = speechCall(check(speechForm, texts), task);
	return { ...call, ignored: unreadFields(speechForm, texts) };
}

/** Throws `invalid_request` for a language that no speech model knows. */
export function speechCall(form: SpeechForm, task: SpeechCall['task']): SpeechCall {
	const { timestamp_granularities: times = [], include = [] } = form;
	return {
		model: form.model,
		task,
		...defined({
			language: languageCode(form.language),
			prompt: form.prompt,
			seed: form.seed,
			conditionOnPrevious: form.condition_on_previous_text,
		}),
		temperature: form.temperature ?? 0,
		format: form.response_format ?? 'json',
		segments: times.length === 0 || times.includes('segment'),
		words: times.includes('word'),
		stream: form.stream ?? false,
		logprobs: include.includes('logprobs'),
		speakers: form.response_format === 'diarized_json' || (form.speakers ?? false),
		progress: include.includes('progress'),
	};
}

function languageCode(value: string | undefined): string | undefined {
	if (value === undefined || value === '' || value === 'auto') return undefined;
	const code = speechLanguageCode(value);
	if (code !== undefined) return code;
	throw new AppError(
		'invalid_request',
		`'${value.slice(0, 40)}' is no language speech models know. Use an ISO 639-1 code such as 'en' or 'de', or leave it out.`,
		{ param: 'language' },
	);
}
