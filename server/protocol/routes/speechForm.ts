/** The form fields of a transcription. */

import type * as z from 'zod';
import { Refused } from './check.ts';
import { mapped, object } from './fields.ts';
import {
	formChoice,
	formChoices,
	formFlag,
	formNumber,
	formText,
	neededText,
} from './formFields.ts';

/** `diarized_json`: segments with their speakers, as OpenAI has them. */
export const transcriptFormats = [
	'json',
	'text',
	'verbose_json',
	'srt',
	'vtt',
	'diarized_json',
] as const;
/** Field with the recording. */
export const recordingField = 'file';

const fields = object({
	model: neededText("Id or alias of a speech model; 'default' = the loaded or largest one."),
	language: formText(
		'ISO 639-1 code or English name of the language that is spoken; else detected.',
	),
	prompt: formText('Names and spellings that occur.', { maxLength: 8192 }),
	temperature: formNumber({
		...{ min: 0, max: 1, default: 0 },
		description: 'Where the ladder of temperatures begins; doubtful text is tried again higher.',
	}),
	seed: formNumber({ type: 'integer', min: 0, max: 2 ** 32 - 1 }),
	response_format: formChoice(transcriptFormats, {
		description: 'Form of the answer.',
		default: 'json',
	}),
	timestamp_granularities: formChoices(['segment', 'word'], 'Times of what; needs verbose_json.'),
	stream: formFlag('Server-sent events instead of one answer.'),
	speakers: formFlag(
		'Whether segments name their speaker: verbose_json, srt and vtt; diarized_json does in any case.',
	),
	include: formChoices(
		['logprobs', 'progress'],
		'logprobs with json and verbose_json; progress with streams.',
	),
	condition_on_previous_text: formFlag(
		'Whether a chunk is conditioned on the text before it (default). Without, chunks are transcribed together.',
	),
});

export const speechForm = mapped(fields, (found) => {
	const {
		response_format: format = 'json',
		timestamp_granularities: times = [],
		include = [],
	} = found;
	if (times.length > 0 && format !== 'verbose_json')
		throw needs('timestamp_granularities', 'response_format=verbose_json');
	if (include.includes('logprobs') && format !== 'json' && format !== 'verbose_json')
		throw needs('include', 'response_format=json or verbose_json for logprobs');
	if (found.speakers && (format === 'json' || format === 'text'))
		throw needs('speakers', 'response_format=diarized_json, verbose_json, srt or vtt');
	if (include.includes('progress') && !found.stream)
		throw needs('include', 'stream=true for progress');
	return found;
});

export type SpeechForm = z.output<typeof speechForm>;

const needs = (field: string, what: string) =>
	new Refused(`.${field}`, (name) => `${name} needs ${what}.`);
