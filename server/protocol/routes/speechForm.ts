/** The form fields of a transcription: their names, and their description for openapi.json. */

import type { SchemaObject } from './fields.ts';

const text = (description: string, more: SchemaObject = {}): SchemaObject => ({
	type: 'string',
	description,
	...more,
});
const flag = (description: string): SchemaObject => ({ type: 'boolean', description });

export const transcriptFormats = ['json', 'text', 'verbose_json', 'srt', 'vtt'] as const;
export const granularities = ['segment', 'word'] as const;
export const includable = ['logprobs', 'progress'] as const;
/** Most characters of a prompt. */
export const promptLimit = 8192;

/** Every field that is read; lists are sent with `[]` behind the name, once per value. */
export const speechForm = {
	type: 'object',
	required: ['file', 'model'],
	properties: {
		file: text('The recording, at most 200 MB and 4 hours unless the server sets other limits.', {
			format: 'binary',
		}),
		model: text("Id or alias of a speech model; 'default' = the loaded or largest one."),
		language: text('ISO 639-1 code or English name of the language that is spoken; else detected.'),
		prompt: text('Names and spellings that occur.', { maxLength: promptLimit }),
		temperature: {
			...{ type: 'number', minimum: 0, maximum: 1, default: 0 },
			description: 'Where the ladder of temperatures begins; doubtful text is tried again higher.',
		},
		seed: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
		response_format: text('Form of the answer.', { enum: transcriptFormats, default: 'json' }),
		'timestamp_granularities[]': {
			...{ type: 'array', items: { type: 'string', enum: granularities } },
			description: 'Times of what; needs verbose_json.',
		},
		stream: flag('Server-sent events instead of one answer.'),
		'include[]': {
			...{ type: 'array', items: { type: 'string', enum: includable } },
			description: 'logprobs with json and verbose_json; progress with streams.',
		},
		condition_on_previous_text: flag(
			'Whether a stretch is told the text before it (default). Without, stretches are heard together.',
		),
	},
} as const satisfies SchemaObject;

/** Names of the fields without `[]`. */
export const speechFields: ReadonlySet<string> = new Set(
	Object.keys(speechForm.properties).map((name) => name.replace('[]', '')),
);
