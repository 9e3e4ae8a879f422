/**
 * Recording a microphone into text; shapes in protocol/recorder.ts, the table in docs/api.md. An editor opens
 * a session with the key (`POST /nearglot/recorder`) and reads its events. The page at `/recorder` has only a
 * ticket in the fragment of its address, which it exchanges once for the token of this one session; the
 * routes below `/recorder/` take that token and never the key.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError } from '../protocol/index.ts';
import {
	claimRecorder,
	openRecorder,
	recorderEvents,
	recorderPage,
	sendSamples,
	setRecorderState,
} from '../protocol/routes/recorder.ts';
import type { RecorderSession } from '../services/speech/recorderSession.ts';
import type { AppEnv } from './env.ts';
import { type Call, register } from './register.ts';
import { readBytes } from './requestBody.ts';
import { recordRequest, withMetrics } from './requestMetrics.ts';
import { page } from './servePage.ts';
import { sse } from './sseResponse.ts';
import { withHeaders } from './streamedAnswer.ts';

/** Header of the session's token; no other route reads it. */
const recorderTokenHeader = 'x-recorder-token';

/** Samples of one request: 20 s at 96 kHz. */
const pieceBytes = 4 * 1024 * 1024;

export function registerRecorderRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, recorderPage, ({ context }) => page(context, 'Nearglot: recording', 'recorder'));
	register(app, openRecorder, (call) => openRecording(call, backend));
	register(app, claimRecorder, async ({ body, answer }) => {
		const { token, recording } = backend.recordings.claim(body.ticket);
		const { language } = recording.call;
		return answer({ id: recording.id, token, ...(language ? { language } : {}) });
	});
	register(app, sendSamples, async ({ context, query, answer }) => {
		const recording = recordingOf(context, backend);
		if (context.req.header('content-type') !== 'application/octet-stream')
			throw new AppError('invalid_request', 'Send samples as application/octet-stream.');
		context.set('admitted', true);
		const bytes = await readBytes(context, pieceBytes);
		await recording.write(samplesOf(bytes), query.rate, query.from);
		return answer({ received: recording.received });
	});
	register(app, setRecorderState, async ({ context, body, answer }) => {
		const recording = recordingOf(context, backend);
		await recording.command(body.state, body.reason);
		return answer({ received: recording.received });
	});
	register(app, recorderEvents, ({ context }) => follow(context, recordingOf(context, backend)));
}

async function openRecording(
	{ context, body }: Call<typeof openRecorder>,
	backend: Backend,
): Promise<Response> {
	const recording = await backend.recordings.open(body, context.get('account'));
	const record = recordRequest(context, backend, recording.call.model);
	const response = await sse(
		{ signal: context.get('signal'), caller: context.get('caller'), last: '[DONE]' },
		async (writer, signal) => {
			try {
				const { token, ticket } = backend.recordings.admit(recording);
				const url = `${new URL(context.req.url).origin}/recorder#${ticket}`;
				writer.data({ type: 'recorder.session', id: recording.id, url, token });
				recording.listen((event) => {
					if (event.type === 'transcript.text.delta') record.firstToken();
					writer.data(event);
				});
				await withMetrics(record, () => recording.run(signal));
			} finally {
				await backend.recordings.forget(recording);
			}
		},
	);
	return withHeaders(context, response);
}

/** The events for the page; they end with the recording, or when the page goes. */
async function follow(context: Context<AppEnv>, recording: RecorderSession): Promise<Response> {
	const response = await sse(
		{ signal: context.get('signal'), caller: context.get('caller'), last: '[DONE]' },
		(writer, signal) => {
			const leave = recording.attend();
			const silence = recording.listen((event) => writer.data(event));
			return Promise.race([recording.ended, goneOf(signal)]).finally(() => {
				silence();
				leave();
			});
		},
	);
	return withHeaders(context, response);
}

function goneOf(signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve();
		signal.addEventListener('abort', () => resolve(), { once: true });
	});
}

function recordingOf(context: Context<AppEnv>, backend: Backend): RecorderSession {
	return backend.recordings.find(context.req.header(recorderTokenHeader) ?? '');
}

function samplesOf(bytes: Uint8Array): Int16Array {
	if (bytes.length === 0 || bytes.length % 2 === 1)
		throw new AppError('invalid_audio', 'Samples are pairs of bytes, at least one.');
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return Int16Array.from({ length: bytes.length >> 1 }, (_, i) => view.getInt16(2 * i, true));
}
