/** `POST /v1/audio/transcriptions` and `/v1/audio/translations`, whole and streamed. */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import { audioTranslations, transcriptions } from '../protocol/routes/speech.ts';
import { recordingField } from '../protocol/routes/speechForm.ts';
import {
	diarizedSegment,
	renderTranscript,
	speechUsageOf,
} from '../services/speech/speechFormats.ts';
import { parseSpeechCall, type SpeechCall } from '../services/speech/speechRequest.ts';
import { scratchIn } from '../store/scratch.ts';
import type { AppEnv } from './env.ts';
import { jsonBytes } from './jsonAnswer.ts';
import { owned } from './owner.ts';
import { register } from './register.ts';
import { recordRequest, withMetrics } from './requestMetrics.ts';
import { sse } from './sseResponse.ts';
import { withHeaders } from './streamedAnswer.ts';
import { nameIgnored } from './unknownFields.ts';
import { readUpload, type Upload } from './upload.ts';

export function registerSpeechRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const answerTo = async (context: Context<AppEnv>, task: SpeechCall['task']) => {
		backend.speech.checkRoom();
		const upload = await readUpload(context, {
			field: recordingField,
			limitBytes: backend.speech.limits.maximumBytes,
			scratch: scratchIn(backend.settings.dataDir),
		});
		try {
			const { ignored, ...asked } = parseSpeechCall(Object.fromEntries(upload.fields), task);
			const call = owned(context, asked);
			nameIgnored(context, ignored);
			if (call.stream) return await stream(context, backend, call, upload);
			return await answer(context, backend, call, upload);
		} catch (error) {
			await upload[Symbol.asyncDispose]();
			throw error;
		}
	};
	register(app, transcriptions, ({ context }) => answerTo(context, 'transcribe'));
	register(app, audioTranslations, ({ context }) => answerTo(context, 'translate'));
}

async function answer(
	context: Context<AppEnv>,
	backend: Backend,
	call: SpeechCall,
	upload: Upload,
): Promise<Response> {
	await using _file = upload;
	const record = recordRequest(context, backend, call.model);
	// Without this await the file would be gone before it is read.
	return await withMetrics(record, async () => {
		const transcript = await backend.speech.run(
			call,
			upload.path,
			(event) => {
				if (event.type === 'model') record.model = event.model.id;
				if (event.type === 'added') record.firstToken();
			},
			context.get('signal'),
		);
		const rendered = renderTranscript(transcript, call.format, call);
		if ('value' in rendered)
			return context.body(await jsonBytes(rendered.value), 200, {
				'content-type': 'application/json; charset=utf-8',
			});
		return context.body(rendered.body, 200, { 'content-type': rendered.contentType });
	});
}

async function stream(
	context: Context<AppEnv>,
	backend: Backend,
	call: SpeechCall,
	upload: Upload,
): Promise<Response> {
	const record = recordRequest(context, backend, call.model);
	const response = await sse(
		{ signal: context.get('signal'), caller: context.get('caller'), last: '[DONE]' },
		async (writer, signal) => {
			await using _file = upload;
			await withMetrics(record, async () => {
				const transcript = await backend.speech.run(
					call,
					upload.path,
					(event) => {
						if (event.type === 'model') record.model = event.model.id;
						else if (event.type === 'progress') {
							const { done, total } = event;
							if (call.progress) writer.data({ type: 'transcript.progress', done, total });
						} else {
							record.firstToken();
							writer.data({
								type: 'transcript.text.delta',
								delta: event.delta,
								...(call.logprobs ? { logprobs: event.logprobs } : {}),
							});
							if (call.format === 'diarized_json')
								for (const segment of event.segments) writer.data(diarizedSegment(segment));
							if (call.format === 'verbose_json' && call.segments)
								for (const segment of event.segments)
									writer.data({
										type: 'transcript.text.segment',
										...segment,
										id: String(segment.id),
									});
						}
					},
					signal,
				);
				const { segments, words, logprobs, text, ...facts } = transcript;
				const verbose = call.format === 'verbose_json';
				writer.data({
					type: 'transcript.text.done',
					text,
					...defined({ logprobs }),
					...(verbose ? facts : {}),
					...(verbose && call.segments ? { segments } : {}),
					...(verbose && words !== undefined ? { words } : {}),
					usage: speechUsageOf(transcript),
				});
			});
		},
	);
	return withHeaders(context, response);
}
