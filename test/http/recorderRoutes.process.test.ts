/** `/nearglot/recorder` and `/recorder…`: sound in pieces becomes text, and nobody else gets in. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import type { RecorderEvent } from '../../server/protocol/index.ts';
import { readEvents } from '../../server/protocol/index.ts';
import { type SpeechServer, startSpeechServer } from '../support/speechServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { tones } from '../support/toneModel.ts';
import { until } from '../support/until.ts';

const rateHz = 16_000;
let server: SpeechServer;
let locked: SpeechServer;
const folder = temporaryFolder('recorder');
before(async () => {
	process.env.TMPDIR = folder;
	process.env.TEMP = folder;
	server = await startSpeechServer({ maximumS: 60 });
	locked = await startSpeechServer({ requireKey: true });
});
after(async () => {
	await Promise.all([server.close(), locked.close()]);
});

type Event = RecorderEvent | { readonly type: 'error'; readonly code: string; message: string };

interface Session {
	readonly url: string;
	readonly token: string;
	/** The next event of this type; others are passed over. */
	next(type: Event['type']): Promise<Event>;
	/** Every event so far. */
	readonly seen: Event[];
	close(): void;
}

async function openSession(body: object = {}, at = server): Promise<Session> {
	const stop = new AbortController();
	const response = await post(
		'/nearglot/recorder',
		body,
		{ authorization: 'Bearer key-of-the-test-server' },
		at,
		{
			signal: stop.signal,
		},
	);
	assert.equal(response.status, 200);
	const events = readEvents(response.body as AsyncIterable<Uint8Array>);
	const seen: Event[] = [];
	const next = async (type: Event['type']) => {
		for (;;) {
			const { value, done } = await events.next();
			if (done || value.data === '[DONE]') assert.fail(`the stream ended before '${type}'`);
			const data = JSON.parse(value.data);
			const event: Event = data.error ? { ...data.error, type: 'error' } : data;
			seen.push(event);
			if (event.type === type) return event;
		}
	};
	const first = await next('recorder.session');
	assert.ok(first.type === 'recorder.session');
	return { url: first.url, token: first.token, next, seen, close: () => stop.abort() };
}

function post(
	path: string,
	body: object,
	headers: Record<string, string>,
	at = server,
	init: RequestInit = {},
): Promise<Response> {
	return fetch(at.url + path, {
		...init,
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(body),
	});
}

const withToken = (token: string) => ({ 'x-recorder-token': token });

const say = (token: string, state: string, reason?: string) =>
	post('/recorder/state', { state, reason }, withToken(token));

function send(token: string, samples: Float32Array, from: number, rate = rateHz, at = server) {
	const bytes = new Uint8Array(
		Int16Array.from(samples, (value) => Math.round(value * 32_767)).buffer,
	);
	return fetch(`${at.url}/recorder/audio?rate=${rate}&from=${from}`, {
		method: 'POST',
		headers: { 'content-type': 'application/octet-stream', ...withToken(token) },
		body: bytes,
	});
}

async function refused(answer: Promise<Response>, status: number, message: RegExp): Promise<void> {
	const response = await answer;
	const text = await response.text();
	assert.equal(response.status, status, text);
	assert.match((JSON.parse(text) as { error: { message: string } }).error.message, message);
}

const spoken = tones([
	{ words: [1, 2, 3], gapS: 0.05, pauseS: 1.5 },
	{ words: [4, 5], gapS: 0.05, pauseS: 0.2 },
]);

test('text follows in the first pause, long before the recording is stopped', async () => {
	const session = await openSession({ words: true });
	await say(session.token, 'recording');
	const half = rateHz * 2.6;
	let from = 0;
	for (; from < half; from += 1600)
		await send(session.token, spoken.subarray(from, from + 1600), from);
	assert.deepEqual(await session.next('transcript.text.delta'), {
		type: 'transcript.text.delta',
		delta: 'w1 w2 w3',
	});
	assert.ok(session.seen.some((event) => event.type === 'recorder.level' && event.level > 0.3));
	for (; from < spoken.length; from += 1600)
		await send(session.token, spoken.subarray(from, from + 1600), from);
	await say(session.token, 'stopped');
	assert.deepEqual(await session.next('transcript.text.delta'), {
		type: 'transcript.text.delta',
		delta: ' w4 w5',
	});
	const done = await session.next('transcript.text.done');
	assert.ok(done.type === 'transcript.text.done');
	assert.equal(done.text, 'w1 w2 w3 w4 w5');
	assert.deepEqual(
		done.words?.map(({ word, start }) => [word, Math.round(start * 10) / 10]),
		[
			['w1', 0],
			['w2', 0.4],
			['w3', 0.8],
			['w4', 2.7],
			['w5', 3.1],
		],
	);
	const states = session.seen.flatMap((event) =>
		event.type === 'recorder.state' ? [event.state] : [],
	);
	assert.deepEqual(states, ['waiting', 'recording', 'stopped']);
	await refused(send(session.token, spoken, 0), 403, /has ended/);
});

test('a pause of the recording brings the text at once, and the rest afterwards', async () => {
	const session = await openSession();
	const first = spoken.subarray(0, rateHz * 1.2);
	await send(session.token, first, 0);
	await say(session.token, 'paused');
	await session.next('transcript.text.delta');
	await say(session.token, 'recording');
	await send(session.token, spoken.subarray(first.length), first.length);
	await say(session.token, 'stopped');
	const done = await session.next('transcript.text.done');
	assert.ok(done.type === 'transcript.text.done' && done.text === 'w1 w2 w3 w4 w5');
});

test('microphones of other rates are heard alike', async () => {
	const session = await openSession();
	const fast = Float32Array.from(
		{ length: spoken.length * 3 },
		(_, i) => (spoken[Math.floor(i / 3)] ?? 0) as number,
	);
	await send(session.token, fast, 0, 48_000);
	await refused(send(session.token, fast, fast.length, 44_100), 400, /began with 48000/);
	await say(session.token, 'stopped');
	const done = await session.next('transcript.text.done');
	assert.ok(done.type === 'transcript.text.done' && done.text === 'w1 w2 w3 w4 w5');
});

test('a piece that is sent twice counts once, and a gap is refused', async () => {
	const session = await openSession();
	for (let from = 0; from < spoken.length; from += 8000) {
		const piece = spoken.subarray(from, from + 8000);
		await send(session.token, piece, from);
		const again = await send(session.token, piece, from);
		assert.deepEqual(await again.json(), { received: from + piece.length });
	}
	await refused(send(session.token, spoken, spoken.length + 5), 409, /missing/);
	await say(session.token, 'stopped');
	const done = await session.next('transcript.text.done');
	assert.ok(done.type === 'transcript.text.done' && done.text === 'w1 w2 w3 w4 w5');
});

test('the link opens one page once', async () => {
	const session = await openSession({ language: 'de' });
	const ticket = new URL(session.url).hash.slice(1);
	assert.equal(new URL(session.url).pathname, '/recorder');
	const claimed = await post('/recorder/claim', { ticket }, {});
	const { token, language } = (await claimed.json()) as { token: string; language: string };
	assert.equal(token, session.token);
	assert.equal(language, 'de');
	await refused(post('/recorder/claim', { ticket }, {}), 403, /used already/);
	await refused(post('/recorder/claim', { ticket: 'guess' }, {}), 403, /used already/);
	await refused(
		fetch(`${server.url}/recorder/events`, { headers: withToken(ticket) }),
		403,
		/no such recording/,
	);
	await refused(
		post('/nearglot/recorder', {}, { ...withToken(token), authorization: `Bearer ${token}` }),
		401,
		/needs the key/,
	);
	session.close();
});

test('the page follows the events, and its going ends the recording with what was said', async () => {
	const session = await openSession();
	await send(session.token, spoken, 0);
	const stop = new AbortController();
	const page = await fetch(`${server.url}/recorder/events`, {
		headers: withToken(session.token),
		signal: stop.signal,
	});
	const events = readEvents(page.body as AsyncIterable<Uint8Array>);
	const { value } = await events.next();
	assert.deepEqual(JSON.parse(value?.data ?? ''), { type: 'recorder.state', state: 'waiting' });
	stop.abort();
	const done = await session.next('transcript.text.done');
	assert.ok(done.type === 'transcript.text.done' && done.text === 'w1 w2 w3 w4 w5');
	assert.ok(!session.seen.some((event) => 'token' in event && event.type !== 'recorder.session'));
});

test('what was discarded or held nothing ends with a sentence', async () => {
	const discarded = await openSession();
	await send(discarded.token, spoken, 0);
	await say(discarded.token, 'cancelled', 'The person changed their mind.');
	const error = await discarded.next('error');
	assert.ok(error.type === 'error' && error.code === 'cancelled');
	assert.match(error.message, /changed their mind/);
	const empty = await openSession();
	await say(empty.token, 'stopped');
	const nothing = await empty.next('error');
	assert.ok(nothing.type === 'error' && /Nothing was recorded/.test(nothing.message));
});

test('an editor that goes away stops the model, and nothing stays on disk', async () => {
	const { cancelled, requests } = server.model;
	const before = requests.length;
	server.model.delayMs = 60_000;
	const session = await openSession();
	await send(session.token, spoken, 0);
	await until('a request came', () => requests.length > before);
	session.close();
	await until('the recording was cancelled', () => server.model.cancelled > cancelled);
	server.model.delayMs = 0;
	await until('the folder is empty', async () => (await readdir(folder)).length === 0);
	await refused(say(session.token, 'stopped'), 403, /has ended/);
});

test('wrong requests are refused before anybody is asked to speak', async () => {
	const key = { authorization: 'Bearer key-of-the-test-server' };
	const open = (body: object) => post('/nearglot/recorder', body, key);
	await refused(open({ model: 'nothing' }), 404, /no model 'nothing'/);
	await refused(open({ language: 'Klingon' }), 400, /no language/);
	await refused(open({ words: 'yes' }), 400, /true or false/);
	const session = await openSession();
	await refused(say(session.token, 'flying'), 400, /one of/);
	await refused(send(session.token, spoken, -1), 400, /from/);
	await refused(send(session.token, spoken, 0, 12), 400, /rate/);
	await refused(send(session.token, new Float32Array(rateHz * 61), 0), 413, /60 s/);
	await refused(send(session.token, new Float32Array(2_200_000), 0), 413, /limit/);
	await refused(
		post('/recorder/audio?rate=16000&from=0', {}, withToken(session.token)),
		400,
		/octet/,
	);
	session.close();
});

/** Everything below the recorder, with what each wants to be let in. */
const routes = [
	['GET', '/recorder'],
	['POST', '/nearglot/recorder'],
	['POST', '/recorder/claim'],
	['POST', '/recorder/audio?rate=16000&from=0'],
	['POST', '/recorder/state'],
	['GET', '/recorder/events'],
] as const;

/** `fetch` lets nobody set Host and Sec-Fetch-Site, so this goes below it. */
function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number> {
	const { hostname, port } = new URL(server.url);
	return new Promise((resolve, reject) => {
		const call = httpRequest({ hostname, port, method, path, headers }, (response) => {
			response.resume();
			resolve(response.statusCode ?? 0);
		});
		call.on('error', reject).end();
	});
}

test('no other web page reaches any of the routes, with or without the secrets', async () => {
	const session = await openSession();
	const own = withToken(session.token);
	const secrets = { authorization: 'Bearer key-of-the-test-server', ...own };
	for (const [method, path] of routes) {
		// A page that has turned a name of its own to this computer has no key.
		assert.equal(await statusOf(method, path, { ...own, host: 'evil.example' }), 403, path);
		for (const evil of [
			{ origin: 'https://evil.example' },
			{ origin: 'null' },
			{ 'sec-fetch-site': 'cross-site' },
			{ 'sec-fetch-site': 'same-site' },
		] as Record<string, string>[])
			assert.equal(
				await statusOf(method, path, { ...secrets, ...evil }),
				403,
				`${method} ${path} ${JSON.stringify(evil)}`,
			);
		if (path !== '/recorder')
			assert.ok([400, 401, 403].includes(await statusOf(method, path, {})), path);
	}
	session.close();
});

test('with a required key the page and its token still work, and nothing more', async () => {
	const page = await fetch(`${locked.url}/recorder`);
	assert.equal(page.status, 200);
	assert.match(
		page.headers.get('content-security-policy') ?? '',
		/default-src 'none'.*script-src 'self'/,
	);
	assert.doesNotMatch(await page.text(), /<script(?![^>]*src=)|style=|key-of-the-test-server/);
	const session = await openSession({}, locked);
	const answer = await send(session.token, spoken, 0, rateHz, locked);
	assert.equal(answer.status, 200);
	const form = new FormData();
	await refused(
		fetch(`${locked.url}/v1/audio/transcriptions`, {
			method: 'POST',
			body: form,
			headers: withToken(session.token),
		}),
		401,
		/wants its key/,
	);
	session.close();
});
