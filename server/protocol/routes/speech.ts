/** Recordings to text. */

import * as z from 'zod';
import { type Route, route } from './route.ts';
import { recordingField, speechForm } from './speechForm.ts';
import { transcriptEvents } from './transcripts.ts';

const usage = z.object({ type: z.literal('duration'), seconds: z.number() });
const shared = {
	method: 'POST',
	who: 'member',
	scope: 'speech',
	also: ['studio'],
	body: {
		kind: 'form',
		schema: speechForm,
		file: {
			name: recordingField,
			description: 'The recording, at most 200 MB and 4 hours unless the server sets other limits.',
		},
	},
	/** `verbose_json` has more. */
	answer: z.looseObject({ text: z.string(), usage }),
	answers: ['text/plain', 'text/vtt'],
	events: transcriptEvents,
	errors: ['invalid_audio', 'model_not_found', 'payload_too_large', 'overloaded'],
	section: 'speech',
} as const satisfies Partial<Route>;

export const transcriptions = route({
	...shared,
	path: '/v1/audio/transcriptions',
	summary:
		'multipart: `file`, `model`, `language`, `prompt`, `temperature`, `response_format` (json, text, verbose_json, diarized_json, srt, vtt), `speakers`, `timestamp_granularities[]`, `stream`, `include[]`',
});
export const audioTranslations = route({
	...shared,
	path: '/v1/audio/translations',
	summary: 'the same, into English',
});

export const speechRoutes = [transcriptions, audioTranslations] as const;
