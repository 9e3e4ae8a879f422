/** How the server ends, and how it rids itself of bodies that come too slowly. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { listen } from '../../server/http/listen.ts';
import { minBodyBytesPerS } from '../../server/net/slowBody.ts';
import { sseData, startTestServer } from '../support/testServer.ts';

const chat = (content: string) => ({
	model: 'starter-chat',
	stream: true,
	messages: [{ role: 'user', content }],
});

async function get(url: string, path: string, agent: Agent) {
	const call = httpRequest(new URL(path, url), { agent });
	call.end();
	const [answer] = (await once(call, 'response')) as [IncomingMessage];
	let text = '';
	for await (const chunk of answer) text += String(chunk);
	return { status: answer.statusCode, connection: answer.headers.connection, text };
}

async function startListening(bodyWindowMs?: number) {
	const server = await startTestServer({ fakeRunner: true });
	const options = { port: 0, host: '127.0.0.1', key: server.key, requireKey: false };
	const listener = await listen(server.backend, {
		...options,
		allowedOrigins: [],
		allowedHosts: [],
		...(bodyWindowMs === undefined ? {} : { bodyWindowMs }),
	});
	return {
		...listener,
		[Symbol.asyncDispose]: async () => {
			await listener.close();
			await server.close();
		},
	};
}

const post = (url: string, body: unknown) =>
	fetch(new URL('/v1/chat/completions', url), {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

test('a server that ends is alive and not ready, and streams under way finish', async () => {
	await using server = await startListening();
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	assert.deepEqual(await get(server.url, '/ready', agent), {
		status: 200,
		connection: 'keep-alive',
		text: '{"status":"ready"}',
	});
	const stream = await post(server.url, chat('slow'));
	const closed = server.close(3_600_000);
	assert.deepEqual(await get(server.url, '/ready', agent), {
		status: 503,
		connection: 'close',
		text: '{"status":"ending"}',
	});
	assert.deepEqual(await get(server.url, '/health', agent), {
		status: 200,
		connection: 'close',
		text: '{"status":"ok"}',
	});
	assert.equal((await sseData(stream)).at(-1), '[DONE]');
	agent.destroy();
	await closed;
});

test('a stream that outlives the time ends with an event that says why, and so does what has not begun', async () => {
	await using server = await startListening();
	const stream = await post(server.url, chat('slow'));
	const whole = post(server.url, { ...chat('slow'), stream: false });
	// It is under way once another request behind it has been answered.
	await (await post(server.url, chat('hi'))).text();
	const closed = server.close(200);
	const { error } = (await sseData(stream)).at(-1) as { error: { code: string; message: string } };
	assert.equal(error.code, 'daemon_unavailable');
	assert.match(error.message, /is ending/);
	const answer = await whole;
	assert.equal(answer.status, 503);
	assert.equal(answer.headers.get('retry-after'), '2');
	assert.equal(((await answer.json()) as { error: typeof error }).error.code, 'daemon_unavailable');
	await closed;
});

/** Writes pieces of a body until an answer comes. */
async function trickle(url: string, head: string, pieces: readonly string[], everyMs: number) {
	const { port, hostname } = new URL(url);
	const socket = connect(Number(port), hostname);
	const length = pieces.join('').length;
	socket.write(`POST ${head}\r\nHost: ${hostname}:${port}\r\nContent-Length: ${length}\r\n\r\n`);
	const left = [...pieces];
	const timer = setInterval(() => socket.write(left.shift() ?? ''), everyMs);
	const [answer] = (await once(socket, 'data')) as [Buffer];
	clearInterval(timer);
	socket.destroy();
	return answer.toString('latin1');
}

test('a body of a byte now and then is ended; one that is slow and goes on is not', async () => {
	await using server = await startListening(1000);
	const json = '/v1/chat/completions HTTP/1.1\r\nContent-Type: application/json';
	const form = '/v1/audio/transcriptions HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x';
	for (const head of [json, form]) {
		const text = await trickle(server.url, head, Array<string>(1000).fill(' '), 100);
		assert.match(text, /^HTTP\/1\.1 408/, head);
		assert.match(text, /connection: close/i);
		assert.match(text, /"code":"request_timeout"/);
	}
	// Interfaces with errors of their own say it in theirs.
	const translated: readonly (readonly [string, RegExp])[] = [
		['/translate?api-version=3.0&to=de', /"code":408002/],
		['/libretranslate/detect', /"error":"Next to nothing of the body came/],
		['/api/chat', /"error":"Next to nothing of the body came/],
		['/v1/messages', /Next to nothing of the body came/],
	];
	for (const [path, says] of translated) {
		const head = `${path} HTTP/1.1\r\nContent-Type: application/json`;
		const text = await trickle(server.url, head, Array<string>(1000).fill(' '), 100);
		assert.match(text, /^HTTP\/1\.1 40[08]/, path);
		assert.match(text, says);
	}
	const body = JSON.stringify({ ...chat('hi'), user: 'u'.repeat(500) });
	const pieces = body.match(new RegExp(`.{1,${minBodyBytesPerS}}`, 'g')) ?? [];
	assert.match(await trickle(server.url, json, pieces, 250), /^HTTP\/1\.1 200/);
});

test('a client that asks before it sends its body is told to go on, and answered', async () => {
	await using listener = await startListening();
	const call = httpRequest(new URL('/v1/chat/completions', listener.url), {
		method: 'POST',
		headers: { 'content-type': 'application/json', expect: '100-continue' },
		signal: AbortSignal.timeout(60_000),
	});
	call.flushHeaders();
	await once(call, 'continue');
	call.end(JSON.stringify({ ...chat('hello'), stream: false }));
	const [answer] = (await once(call, 'response')) as [IncomingMessage];
	answer.resume();
	assert.equal(answer.statusCode, 200);
});
