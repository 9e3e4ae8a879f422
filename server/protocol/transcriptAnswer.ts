/** The request for a transcript with the times of its words, and its streamed answer. */

import { streamCut } from './eventStream.ts';
import { setFormFile } from './formFile.ts';
import type { TranscriptDelta } from './methods.ts';
import type { EventOf } from './routes/route.ts';
import type { transcriptions } from './routes/speech.ts';
import type { Transcript } from './speechTypes.ts';

/** Asks for segments, words and progress; without a model or a language the server chooses. */
export function transcriptForm(
	{
		model = '',
		language = '',
		speakers = false,
	}: { readonly model?: string; readonly language?: string; readonly speakers?: boolean },
	sound: Blob,
	name: string,
): FormData {
	const form = new FormData();
	form.set('model', model || 'default');
	if (language !== '') form.set('language', language);
	form.set('response_format', 'verbose_json');
	form.append('timestamp_granularities[]', 'segment');
	form.append('timestamp_granularities[]', 'word');
	if (speakers) form.set('speakers', 'true');
	form.append('include[]', 'progress');
	form.set('stream', 'true');
	setFormFile(form, sound, name);
	return form;
}

/** Resolves to the whole; `onDelta` gets text and progress as they come. */
export async function readTranscript(
	events: AsyncIterable<EventOf<typeof transcriptions>>,
	onDelta: (delta: TranscriptDelta) => void,
): Promise<Transcript> {
	for await (const event of events) {
		if (event.type === 'transcript.text.done') return event as unknown as Transcript;
		if (event.type === 'transcript.text.delta') onDelta({ phase: 'running', delta: event.delta });
		if (event.type === 'transcript.text.segment')
			onDelta({ phase: 'running', segments: [{ ...event, id: Number(event.id) }] });
		if (event.type === 'transcript.progress') {
			const { type: _type, ...progress } = event;
			onDelta({ progress });
		}
	}
	throw streamCut('recording');
}
