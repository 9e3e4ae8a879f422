/** The openai npm client against the speech routes: every response format, streaming, errors. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { wavFile } from '../support/madeAudio.ts';
import { type SpeechServer, startSpeechServer } from '../support/speechServer.ts';
import { tones } from '../support/toneModel.ts';
import { until } from '../support/until.ts';

const recording = wavFile(
	tones([
		{ words: [1, 2, 3], gapS: 0.05, pauseS: 6 },
		{ words: [4, 5], gapS: 0.05, pauseS: 0.3 },
	]),
	{ rateHz: 16_000 },
);
const text = 'w1 w2 w3 w4 w5';
let server: SpeechServer;
let client: OpenAI;
before(async () => {
	server = await startSpeechServer();
	client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
after(() => server.close());

const file = () => toFile(recording, 'talk.wav');

test('openai: json, text, srt and vtt', async () => {
	const { transcriptions } = client.audio;
	const json = await transcriptions.create({ model: 'tones', file: await file() });
	assert.equal(json.text, text);
	assert.deepEqual(json.usage, { type: 'duration', seconds: 9 });
	const plain = await transcriptions.create({
		model: 'tones',
		file: await file(),
		response_format: 'text',
	});
	assert.equal(String(plain).trim(), text);
	const srt = await transcriptions.create({
		model: 'tones',
		file: await file(),
		response_format: 'srt',
	});
	assert.match(srt, /^1\n00:00:00,000 --> /);
	const vtt = await transcriptions.create({
		model: 'tones',
		file: await file(),
		response_format: 'vtt',
	});
	assert.match(vtt, /^WEBVTT\n\n/);
});

test('openai: verbose_json with words and segments', async () => {
	const verbose = await client.audio.transcriptions.create({
		model: 'tones',
		file: await file(),
		response_format: 'verbose_json',
		timestamp_granularities: ['word', 'segment'],
		language: 'en',
		temperature: 0.2,
		prompt: 'Kyoto',
	});
	assert.equal(verbose.text, text);
	assert.equal(verbose.words?.length, 5);
	for (const word of verbose.words ?? []) {
		const { probability } = word as { readonly probability?: number };
		assert.ok(probability !== undefined && probability > 0 && probability <= 1);
	}
	assert.equal(verbose.segments?.length, 2);
	assert.equal(Number(verbose.duration), 8.2);
	assert.equal(server.model.requests.at(-1)?.temperature, 0.2);
});

test('openai: log-probabilities and streaming', async () => {
	const plain = await client.audio.transcriptions.create({
		model: 'tones',
		file: await file(),
		include: ['logprobs'],
	});
	assert.equal(plain.logprobs?.[0]?.token, ' t0');
	const stream = await client.audio.transcriptions.create({
		model: 'tones',
		file: await file(),
		stream: true,
	});
	let joined = '';
	let done = '';
	for await (const event of stream) {
		if (event.type === 'transcript.text.delta') joined += event.delta;
		else if (event.type === 'transcript.text.done') done = event.text;
	}
	assert.equal(joined, text);
	assert.equal(done, text);
});

test('openai: translations, and errors with their status', async () => {
	const translated = await client.audio.translations.create({ model: 'tones', file: await file() });
	assert.equal(translated.text, text);
	await assert.rejects(
		client.audio.transcriptions.create({ model: 'nope', file: await file() }),
		(error: unknown) => error instanceof OpenAI.NotFoundError && error.code === 'model_not_found',
	);
	await assert.rejects(
		client.audio.transcriptions.create({
			model: 'tones',
			file: await toFile(Buffer.from('no'), 'a.wav'),
		}),
		(error: unknown) => error instanceof OpenAI.BadRequestError && error.code === 'invalid_audio',
	);
});

test('openai: aborting a stream stops the model', async () => {
	server.model.delayMs = 20_000;
	const before = server.model.cancelled;
	const stop = new AbortController();
	const running = client.audio.transcriptions.create(
		{ model: 'tones', file: await file(), stream: true },
		{ signal: stop.signal },
	);
	const asked = server.model.requests.length;
	await until('the model is asked', () => server.model.requests.length > asked);
	stop.abort();
	await assert.rejects(running);
	await until('the model is cancelled', () => server.model.cancelled > before);
	server.model.delayMs = 0;
});
