/** The openai npm clients of `/v1/realtime`: the published one, and the one before it. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { OpenAIRealtimeWS as BetaRealtimeWS } from 'openai/beta/realtime/ws';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { Resampler } from '../../server/audio/resampler.ts';
import { realtimeServerEvents } from '../../server/protocol/routes/realtime.ts';
import { pcm16 } from '../support/realtimeClient.ts';
import { type SpeechServer, startSpeechServer } from '../support/speechServer.ts';
import { tones } from '../support/toneModel.ts';

let server: SpeechServer;
let client: OpenAI;
before(async () => {
	server = await startSpeechServer({ requireKey: true });
	client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'key-of-the-test-server' });
});
after(() => server.close());

const sound = new Resampler(16_000, 24_000).push(
	tones([{ words: [1, 2, 3], gapS: 0.05, pauseS: 0.8 }]),
);
const pieces = function* (): Generator<string> {
	const bytes = pcm16(sound);
	for (let at = 0; at < bytes.length; at += 4800)
		yield bytes.subarray(at, at + 4800).toString('base64');
};

/** The clients speak TLS to every address; here a plain connection carries them. */
const options = {
	createConnection: () => connect(Number(new URL(server.url).port), '127.0.0.1'),
	headers: { Host: '127.0.0.1' },
} as never;

test('openai realtime: a transcription session of the published interface', async () => {
	const realtime = new OpenAIRealtimeWS({ model: 'tones', options }, client);
	const seen: object[] = [];
	const transcript = await new Promise<string>((resolve, reject) => {
		let text = '';
		realtime.on('error', reject);
		realtime.on('event', (event) => seen.push(event));
		realtime.on('session.created', ({ session }) => {
			assert.equal(session.type, 'transcription');
			realtime.send({
				type: 'session.update',
				session: {
					type: 'transcription',
					audio: {
						input: {
							format: { type: 'audio/pcm', rate: 24_000 },
							transcription: { model: 'gpt-realtime-whisper', language: 'en', prompt: 'Kyoto' },
							turn_detection: {
								type: 'server_vad',
								threshold: 0.5,
								prefix_padding_ms: 200,
								silence_duration_ms: 400,
							},
							noise_reduction: { type: 'near_field' },
						},
					},
					include: ['item.input_audio_transcription.logprobs'],
				},
			});
		});
		realtime.on('session.updated', () => {
			for (const audio of pieces()) realtime.send({ type: 'input_audio_buffer.append', audio });
		});
		realtime.on('conversation.item.input_audio_transcription.delta', ({ delta = '' }) => {
			text += delta;
		});
		realtime.on('conversation.item.input_audio_transcription.completed', (event) => {
			assert.equal(event.transcript, text);
			assert.equal(event.logprobs?.length, 3);
			resolve(event.transcript);
		});
	});
	assert.equal(transcript, 'w1 w2 w3');
	for (const event of seen) realtimeServerEvents.parse(event);
	realtime.close();
});

test('openai realtime: the session before that, and an error with the id of its event', async () => {
	const realtime = new BetaRealtimeWS({ model: 'default', options }, client);
	const seen: object[] = [];
	const transcript = await new Promise<string>((resolve, reject) => {
		realtime.on('event', (event) => {
			seen.push(event);
			const { type } = event as { type: string };
			if (type !== 'transcription_session.created') return;
			realtime.send({ type: 'input_audio_buffer.commit', event_id: 'too early' });
			realtime.send({
				type: 'transcription_session.update',
				session: { input_audio_format: 'pcm16', turn_detection: { type: 'server_vad' } },
			});
			for (const audio of pieces()) realtime.send({ type: 'input_audio_buffer.append', audio });
		});
		realtime.on('error', ({ error }) => {
			if (error?.event_id !== 'too early') reject(new Error(JSON.stringify(error)));
		});
		realtime.on('conversation.item.input_audio_transcription.completed', (event) =>
			resolve(event.transcript),
		);
	});
	assert.equal(transcript, 'w1 w2 w3');
	for (const event of seen) realtimeServerEvents.parse(event);
	assert.ok(seen.some((event) => 'type' in event && event.type === 'conversation.item.created'));
	realtime.close();
});

test('openai realtime: a model that is not there is refused before the session', async () => {
	const realtime = new OpenAIRealtimeWS({ model: 'gpt-realtime', options }, client);
	const message = await new Promise<string>((resolve) => {
		realtime.on('error', (error) => resolve(error.message));
	});
	assert.match(message, /404/);
});
