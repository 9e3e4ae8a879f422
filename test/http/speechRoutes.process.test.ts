/** `/v1/audio/…` over a socket: shapes of all formats, streaming, every refusal, uploads that end early. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DecodeQueue } from '../../server/audio/decodeQueue.ts';
import { wavFile } from '../support/madeAudio.ts';
import { type SpeechServer, startSpeechServer } from '../support/speechServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { tones } from '../support/toneModel.ts';
import { until } from '../support/until.ts';

const phrases = [
	{ words: [1, 2, 3], gapS: 0.05, pauseS: 6 },
	{ words: [4, 5], gapS: 0.05, pauseS: 0.3 },
];
const recording = wavFile(tones(phrases), { rateHz: 16_000 });
let server: SpeechServer;
const folder = temporaryFolder('routes');
before(async () => {
	// Uploads go to a folder of this test's own, so that what stays behind is ours.
	process.env.TMPDIR = folder;
	process.env.TEMP = folder;
	server = await startSpeechServer({ maximumBytes: 2 * 1_048_576, maximumS: 60 });
});
after(async () => {
	await server.close();
});

type Fields = readonly (readonly [string, string])[];

function form(fields: Fields, file: Uint8Array | undefined = recording): FormData {
	const body = new FormData();
	for (const [name, value] of [['model', 'tones'] as const, ...fields]) body.append(name, value);
	if (file !== undefined) body.append('file', new Blob([new Uint8Array(file)]), 'talk.bin');
	return body;
}

const post = (body: FormData, path = '/v1/audio/transcriptions') =>
	fetch(server.url + path, { method: 'POST', body });

async function refused(
	body: FormData | Promise<Response>,
	status: number,
	param: string | null,
	message: RegExp,
) {
	const response = await (body instanceof FormData ? post(body) : body);
	const text = await response.text();
	assert.equal(response.status, status, text);
	const { error } = JSON.parse(text) as {
		error: { message: string; param: string | null; code: string };
	};
	assert.equal(error.param, param);
	assert.match(error.message, message);
}

test('a silent recording is an empty text in every form', async () => {
	const silence = wavFile(new Float32Array(3 * 16_000), { rateHz: 16_000 });
	const whole = await post(form([], silence));
	assert.equal(whole.status, 200, await whole.clone().text());
	assert.equal(((await whole.json()) as { text: string }).text, '');
	const verbose = await post(form([['response_format', 'verbose_json']], silence));
	const { text, segments, duration } = (await verbose.json()) as {
		text: string;
		segments: unknown[];
		duration: number;
	};
	assert.deepEqual([text, segments, duration], ['', [], 3]);
});

test('json is the default and says how many seconds were used', async () => {
	const response = await post(form([]));
	assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
	assert.deepEqual(await response.json(), {
		text: 'w1 w2 w3 w4 w5',
		usage: { type: 'duration', seconds: 9 },
	});
});

test('text, srt and vtt are plain text of their own', async () => {
	const text = await post(form([['response_format', 'text']]));
	assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
	assert.equal(await text.text(), 'w1 w2 w3 w4 w5\n');
	const srt = await (await post(form([['response_format', 'srt']]))).text();
	assert.equal(
		srt,
		'1\n00:00:00,000 --> 00:00:01,150\nw1 w2 w3\n\n2\n00:00:07,150 --> 00:00:07,900\nw4 w5\n\n',
	);
	const vtt = await post(form([['response_format', 'vtt']]));
	assert.equal(vtt.headers.get('content-type'), 'text/vtt; charset=utf-8');
	assert.match(await vtt.text(), /^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.150\nw1 w2 w3\n\n/);
});

test('verbose_json has segments by default, words when asked, and only what was asked', async () => {
	const plain = (await (await post(form([['response_format', 'verbose_json']]))).json()) as Record<
		string,
		unknown
	>;
	assert.deepEqual(Object.keys(plain).sort(), [
		...['duration', 'language', 'language_code', 'segments', 'task', 'text', 'usage'],
	]);
	assert.equal(plain.task, 'transcribe');
	assert.equal(plain.language, 'english');
	assert.equal(plain.duration, 8.2);
	const segments = plain.segments as readonly Record<string, unknown>[];
	assert.deepEqual(Object.keys(segments[0] ?? {}), [
		...['id', 'seek', 'start', 'end', 'text', 'tokens', 'temperature'],
		...['avg_logprob', 'compression_ratio', 'no_speech_prob'],
	]);
	const words = (await (
		await post(
			form([
				['response_format', 'verbose_json'],
				['timestamp_granularities[]', 'word'],
			]),
		)
	).json()) as Record<string, unknown>;
	assert.equal('segments' in words, false);
	assert.deepEqual((words.words as unknown[])[3], {
		...{ word: 'w4', start: 7.15, end: 7.5, probability: 1 },
	});
	const both = (await (
		await post(
			form([
				['response_format', 'verbose_json'],
				['timestamp_granularities[]', 'word'],
				['timestamp_granularities[]', 'segment'],
			]),
		)
	).json()) as Record<string, unknown>;
	assert.ok('segments' in both && 'words' in both);
});

test('log-probabilities come with their tokens and bytes', async () => {
	const body = (await (await post(form([['include[]', 'logprobs']]))).json()) as {
		logprobs: readonly { token: string; logprob: number; bytes: number[] }[];
	};
	assert.deepEqual(body.logprobs[0], { token: ' t0', logprob: -0.1, bytes: [32, 116, 48] });
	assert.equal(body.logprobs.length, 5);
});

async function events(response: Response): Promise<Record<string, unknown>[]> {
	const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
	return lines.map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
}

test('a stream is deltas that add up to the text, then one done', async () => {
	const response = await post(
		form([
			['stream', 'true'],
			['include[]', 'progress'],
			['response_format', 'verbose_json'],
		]),
	);
	assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
	assert.match(
		response.headers.get('cache-control') ?? '',
		/no-transform/,
		'nobody may collect it',
	);
	const all = await events(response);
	const deltas = all.filter((event) => event.type === 'transcript.text.delta');
	assert.ok(deltas.length >= 2);
	const done = all.at(-1);
	assert.equal(done?.type, 'transcript.text.done');
	assert.equal(deltas.map((event) => event.delta).join(''), done?.text);
	assert.ok(all.some((event) => event.type === 'transcript.progress' && event.total === 8.2));
	assert.equal(all.filter((event) => event.type === 'transcript.text.segment').length, 2);
	const plain = await events(await post(form([['stream', 'true']])));
	assert.ok(
		plain.every(({ type }) => type === 'transcript.text.delta' || type === 'transcript.text.done'),
	);
	assert.deepEqual(Object.keys(plain.at(-1) ?? {}), ['type', 'text', 'usage']);
});

test('translations ask the model to translate', async () => {
	const before = server.model.requests.length;
	const response = await post(form([]), '/v1/audio/translations');
	assert.equal(response.status, 200);
	assert.equal(server.model.requests[before]?.task, 'translate');
	await post(
		form([
			['temperature', '0.4'],
			['prompt', 'Kyoto'],
			['seed', '9'],
		]),
	);
	const last = server.model.requests.at(-1);
	assert.equal(last?.temperature, 0.4);
	assert.equal(last?.seed, 9);
	assert.match(last?.prompt ?? '', /^Kyoto/);
});

test('fields that mean nothing are named in a header', async () => {
	const response = await post(
		form([
			['chunking_strategy', 'auto'],
			['best_of', '5'],
		]),
	);
	assert.equal(response.headers.get('x-ignored-parameters'), 'chunking_strategy, best_of');
});

test('wrong fields are refused by name', async () => {
	await refused(
		form([['response_format', 'xml']]),
		400,
		'response_format',
		/one of 'json', 'text', 'verbose_json'/,
	);
	await refused(form([['language', 'klingon']]), 400, 'language', /ISO 639-1/);
	await refused(form([['temperature', '1.5']]), 400, 'temperature', /from 0 to 1/);
	await refused(form([['temperature', 'hot']]), 400, 'temperature', /number/);
	await refused(
		form([['timestamp_granularities[]', 'word']]),
		400,
		'timestamp_granularities',
		/verbose_json/,
	);
	await refused(form([['include[]', 'item']]), 400, 'include', /logprobs/);
	await refused(form([['stream', 'maybe']]), 400, 'stream', /true or false/);
	await refused(
		form([
			['language', 'en'],
			['language', 'de'],
		]),
		400,
		'language',
		/2 times/,
	);
	await refused(form([['prompt', 'x'.repeat(9000)]]), 400, 'prompt', /9000 characters/);
	const other = new FormData();
	other.append('file', new Blob([new Uint8Array(recording)]), 'a');
	await refused(other, 400, 'model', /missing/);
	other.append('model', 'nope');
	await refused(other, 404, 'model', /Known: tones:1/);
});

test('forms without a proper file are refused', async () => {
	await refused(form([], new Uint8Array(0)), 400, 'file', /empty/);
	const none = new FormData();
	none.append('model', 'tones');
	await refused(none, 400, 'file', /missing/);
	none.append('file', '/etc/hostname');
	await refused(none, 400, 'file', /a text; send the bytes/);
	const twice = form([]);
	twice.append('file', new Blob([new Uint8Array(recording)]), 'b');
	await refused(twice, 400, 'file', /more than once/);
	const elsewhere = new FormData();
	elsewhere.append('audio', new Blob([new Uint8Array(recording)]), 'b');
	await refused(elsewhere, 400, 'file', /'audio'; it belongs into 'file'/);
	const json = fetch(`${server.url}/v1/audio/transcriptions`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'tones', file: '/etc/hostname' }),
	});
	await refused(json, 400, 'file', /multipart\/form-data.*never read/s);
	const broken = fetch(`${server.url}/v1/audio/transcriptions`, {
		method: 'POST',
		headers: { 'content-type': 'multipart/form-data; boundary=x' },
		body: 'nothing of the kind',
	});
	await refused(broken, 400, null, /damaged/);
});

test('what is no recording, too long or too large is refused with the figures', async () => {
	await refused(form([], Buffer.from('Dear all, there is no audio here.')), 400, null, /text file/);
	const long = wavFile(new Float32Array(16_000 * 61).fill(0.1), { rateHz: 8000, bits: 8 });
	await refused(form([], long), 413, 'file', /122 s long.*at most 60 s/);
	const large = new Uint8Array(3 * 1_048_576 + 5);
	large.set(recording.subarray(0, 44));
	await refused(form([], large), 413, 'file', /at most 2 MB/);
	let sent = 0;
	const endless = new ReadableStream<Uint8Array>({
		start(controller) {
			controller.enqueue(
				Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'),
			);
		},
		pull(controller) {
			controller.enqueue(new Uint8Array(65_536));
			sent += 65_536;
			if (sent > 4 * 1_048_576) controller.close();
		},
	});
	const streamed = fetch(`${server.url}/v1/audio/transcriptions`, {
		method: 'POST',
		headers: { 'content-type': 'multipart/form-data; boundary=x' },
		body: endless,
		duplex: 'half',
	} as RequestInit);
	await refused(streamed, 413, 'file', /at most 2 MB/);
});

test('a client that goes away stops the model within its step, and no upload stays behind', async () => {
	server.model.delayMs = 20_000;
	const cancelled = server.model.cancelled;
	const asked = server.model.requests.length;
	const stop = new AbortController();
	const running = fetch(`${server.url}/v1/audio/transcriptions`, {
		method: 'POST',
		body: form([]),
		signal: stop.signal,
	});
	await until('the model is asked', () => server.model.requests.length > asked);
	stop.abort();
	await assert.rejects(running, { name: 'AbortError' });
	await until('the model is cancelled', () => server.model.cancelled > cancelled);
	server.model.delayMs = 0;
	assert.equal((await post(form([]))).status, 200);
	// An upload that breaks off in the middle.
	await new Promise<void>((resolve) => {
		const half = httpRequest(`${server.url}/v1/audio/transcriptions`, {
			method: 'POST',
			headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 100_000 },
		});
		half.on('error', () => {});
		half.on('close', () => resolve());
		half.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nRIFF');
		setTimeout(() => half.destroy(), 100);
	});
	const left = () => readdir(join(folder, 'tmp'));
	await until('the temporary folder is empty', async () => (await left()).length === 0);
	assert.deepEqual(await left(), []);
});

test('where no further recording can be opened, none is received and the client is told when to come', async () => {
	const queue = new DecodeQueue({ maxOpen: 1 });
	const full = await startSpeechServer({ checkRoom: () => queue.checkRoom() });
	const place = await queue.enter();
	const ask = () =>
		fetch(`${full.url}/v1/audio/transcriptions`, { method: 'POST', body: form([]) });
	try {
		const response = await ask();
		assert.equal(response.status, 503);
		assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
		assert.match(await response.text(), /"code":"overloaded"/);
		assert.deepEqual(await readdir(join(folder, 'tmp')), []);
		place.leave();
		assert.equal((await ask()).status, 200);
	} finally {
		await full.close();
	}
});
