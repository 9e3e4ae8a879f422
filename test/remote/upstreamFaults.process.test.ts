/** Engines elsewhere whose answers are packed, cut, labelled or ended in odd ways: what can be read is, and nothing hangs. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { createProxiedFetch } from '../../server/daemon/proxiedFetch.ts';
import { openUpstreamFile } from '../../server/daemon/upstreamBackend.ts';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

type Fields = Record<string, unknown>;
type Answer = (response: ServerResponse, body: Fields, request: IncomingMessage) => void;

const plainList: Answer = (response) => void response.end('{"data":[{"id":"m"}]}');
let answer: Answer;
let list: Answer;
const asked: Fields[] = [];
const engine = createServer(async (request, response) => {
	const text = Buffer.concat(await request.toArray()).toString();
	if (request.url === '/v1/models') return list(response, {}, request);
	asked.push(JSON.parse(text) as Fields);
	return answer(response, asked.at(-1) ?? {}, request);
});

let server: TestServer;
before(async () => {
	engine.listen(0, '127.0.0.1');
	await once(engine, 'listening');
	server = await startTestServer({ fakeRunner: true });
});
after(async () => {
	await server.close();
	engine.close();
	engine.closeAllConnections();
});

/** Adds it anew, so that nothing of earlier tests counts. */
async function add(said: Answer, timeoutS = 20, more: Fields = {}): Promise<void> {
	asked.length = 0;
	[answer, list] = [said, plainList];
	const { port } = engine.address() as AddressInfo;
	const own = { name: 'lab', url: `http://127.0.0.1:${port}/v1`, models: [], timeoutS };
	const entry = { ...own, ...more };
	const file = openUpstreamFile(server.backend.settings.dataDir);
	await file.change(() => [{ upstreams: [] }, undefined]);
	await server.backend.upstreams.list();
	await file.change(() => [{ upstreams: [entry] }, undefined]);
}

const ask = (fields: Fields = {}) =>
	server.post('/v1/chat/completions', {
		...{ model: 'lab/m', messages: [{ role: 'user', content: 'Hello' }] },
		...fields,
	});
const errorIn = async (response: Response) =>
	((await response.json()) as { error: { code: string; message: string } }).error;
async function textIn(response: Response): Promise<string> {
	const body = await response.json();
	assert.equal(response.status, 200, JSON.stringify(body));
	return body.choices[0].message.content;
}

const text = 'Grüße, 世界 🎉';
const delta = (content: unknown, finish_reason: string | null = null) => ({
	choices: [{ index: 0, delta: { content }, finish_reason }],
});
const events = (...objects: unknown[]) =>
	objects.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
const stream = `${events(delta(text), delta('', 'stop'))}data: [DONE]\n\n`;
const whole = JSON.stringify({
	choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }],
});
const sse = { 'content-type': 'text/event-stream' };

const readable: readonly [what: string, said: Answer][] = [
	[
		'each byte comes alone',
		async (r) => {
			r.writeHead(200, sse);
			for (const byte of Buffer.from(stream)) {
				r.write(Uint8Array.of(byte));
				await new Promise(setImmediate);
			}
			r.end();
		},
	],
	[
		'lines end with CR and LF, with comments, names and a byte order mark',
		(r) => {
			r.writeHead(200, sse);
			const lines = stream.replaceAll('\n', '\r\n').replaceAll('data:', 'event: message\r\ndata:');
			r.end(`\ufeff: hello\r\n\r\nretry: 10\r\n\r\n${lines}`);
		},
	],
	[
		'a stream is packed',
		(r) => void r.writeHead(200, { ...sse, 'content-encoding': 'gzip' }).end(gzipSync(stream)),
	],
	[
		'a whole answer is packed',
		(r) => void r.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync(whole)),
	],
	[
		'a stream says that it is a text',
		(r) => void r.writeHead(200, { 'content-type': 'text/plain' }).end(stream),
	],
	[
		'a stream says that it is JSON',
		(r) => void r.writeHead(200, { 'content-type': 'application/json' }).end(stream),
	],
	['a whole answer says that it is a stream', (r) => void r.writeHead(200, sse).end(`\n${whole}`)],
	['nothing says what it is', (r) => void r.end(whole)],
	[
		'it speaks HTTP/1.0 and ends by closing',
		(r) =>
			void r.socket?.end(`HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${stream}`),
	],
	[
		'it does not say that it is done, and stays open',
		(r) => void r.writeHead(200, sse).write(events(delta(text), delta('', 'stop'))),
	],
	[
		'it breaks after its last word',
		(r) => {
			r.writeHead(200, sse).write(events(delta(text), delta('', 'stop')), () => r.destroy());
		},
	],
	[
		'it sends parts in the place of a text',
		(r) => {
			const parts = [
				{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
				{ type: 'text', text },
			];
			r.writeHead(200, sse).end(events(delta(parts), delta('', 'stop')));
		},
	],
];
for (const [what, said] of readable)
	test(`an answer is read although ${what}`, async () => {
		await add(said);
		assert.equal(await textIn(await ask()), text);
	});

test('a line of ten million characters is read, and one without an end is not', async () => {
	const long = 'x'.repeat(10 << 20);
	await add((r) => void r.writeHead(200, sse).end(events(delta(long), delta('', 'stop'))));
	assert.equal((await textIn(await ask())).length, long.length);
	await add((r) => {
		r.writeHead(200, sse);
		const more = () => {
			while (!r.destroyed && r.write('y'.repeat(1 << 20)));
			r.once('drain', more);
		};
		r.write('data: ');
		more();
	});
	const { code, message } = await errorIn(await ask());
	assert.equal(code, 'upstream_failed');
	assert.match(message, /'lab' .*cannot be read/);
});

const refused: readonly [what: string, said: Answer, code: string, message: RegExp][] = [
	[
		'an error comes with the status of a success',
		(r) => void r.end('{"error":{"message":"no room there","code":"context_length_exceeded"}}'),
		'context_length_exceeded',
		/'lab' .*refuses the request: no room there/,
	],
	[
		'an error in a stream has a status of its own',
		(r) => void r.writeHead(200, sse).end(events({ error: { message: 'slow down', code: 429 } })),
		'rate_limited',
		/'lab' .*\(429\): slow down/,
	],
	[
		'the error is a text',
		(r) => void r.writeHead(200, sse).end(events({ error: 'the model fell over' })),
		'upstream_failed',
		/'lab' .*failed: the model fell over/,
	],
	[
		'it breaks off',
		(r) => {
			r.writeHead(200, sse).write(events(delta('half')), () => r.destroy());
		},
		'upstream_failed',
		/'lab' .*broke off in the middle/,
	],
	[
		'its headers have no end',
		(r) => {
			r.socket?.write('HTTP/1.1 200 OK\r\n');
			const line = `x-more: ${'z'.repeat(1000)}\r\n`;
			const more = () => {
				while (r.socket?.writable && r.socket.write(line));
				r.socket?.once('drain', more);
			};
			more();
		},
		'upstream_failed',
		/'lab' .*HEADERS_OVERFLOW/,
	],
	[
		'what it packed is broken',
		(r) => void r.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
		'upstream_failed',
		/'lab'/,
	],
	['it answers with nothing', (r) => void r.writeHead(204).end(), 'upstream_failed', /'lab'/],
];
for (const [what, said, code, message] of refused)
	test(`the error says whose it is when ${what}`, async () => {
		await add(said);
		const error = await errorIn(await ask());
		assert.equal(error.code, code, error.message);
		assert.match(error.message, message);
	});

test('an engine that says when to come again by a date is passed on as seconds', async () => {
	const date = new Date(Date.now() + 90_000).toUTCString();
	await add((r) => void r.writeHead(429, { 'retry-after': date }).end('{}'));
	const response = await ask();
	assert.equal(response.status, 429);
	const seconds = Number(response.headers.get('retry-after'));
	assert.ok(seconds > 30 && seconds <= 90, `${seconds} s`);
});

const idsOf = async () => (await server.backend.upstreams.list()).map(({ fullId }) => fullId);
const lists: readonly [what: string, body: unknown, ids: readonly string[]][] = [
	['names one twice', { data: [{ id: 'a' }, { id: 'a' }, { id: 'b' }] }, ['lab/a', 'lab/b']],
	['is a bare list', [{ id: 'a' }], ['lab/a']],
	['has no models', { object: 'list', data: null }, []],
	[
		'calls them by their files',
		{ data: [{ id: 'C:\\my models\\a (2).gguf' }, { id: '/srv/b~1.gguf' }] },
		['lab/C:\\my models\\a (2).gguf', 'lab//srv/b~1.gguf'],
	],
	[
		'has names that no list should show',
		{ data: [{ id: 'a\u202eb' }, { id: ' a' }, { id: 7 }] },
		[],
	],
];
for (const [what, body, ids] of lists)
	test(`a list of models is read that ${what}`, async () => {
		await add(plainList);
		list = (response) => void response.end(JSON.stringify(body));
		assert.deepEqual(await idsOf(), ids);
		assert.equal((await server.backend.upstreams.test('lab')).length, ids.length);
	});

test('a list that comes byte by byte holds nobody up, and its engine still answers', async () => {
	await add((r) => void r.writeHead(200, sse).end(stream));
	list = (response) => {
		const drip = setInterval(() => response.write(' '), 100);
		response.once('close', () => clearInterval(drip));
	};
	assert.deepEqual(await idsOf(), []);
	list = (response) => void response.writeHead(500).end();
	// More often than an engine may fail.
	for (let time = 0; time < 8; time++) assert.deepEqual(await idsOf(), []);
	assert.equal(await textIn(await ask()), text);
});

test('whoever tries an engine waits for it longer than a list does', async () => {
	await add(plainList);
	const held: ServerResponse[] = [];
	list = (response) => void held.push(response);
	const tested = server.backend.upstreams.test('lab');
	await until('the engine is asked', () => held.length > 0);
	// A list that is begun later has given up before the engine answers.
	assert.deepEqual(await idsOf(), []);
	for (const response of held) response.end('{"data":[{"id":"m"}]}');
	const [found] = await tested;
	assert.equal(found?.fullId, 'lab/m');
});

test('fields that every request has are left out or renamed for an engine that refuses them, once', async () => {
	const refuse = (r: ServerResponse, message: unknown) =>
		void r.writeHead(422).end(JSON.stringify({ object: 'error', message }));
	await add((r, body) => {
		if ('stream_options' in body)
			return refuse(r, {
				detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options', 'include_usage'] }],
			});
		if ('max_tokens' in body)
			return refuse(
				r,
				"'max_tokens' is not supported with this model. Use 'max_completion_tokens'.",
			);
		return void r.writeHead(200, sse).end(stream);
	});
	assert.equal(await textIn(await ask({ max_tokens: 5 })), text);
	assert.equal(asked.length, 3);
	assert.equal(asked[2]?.['max_completion_tokens'], 5);
	assert.equal(await textIn(await ask({ max_tokens: 6 })), text);
	assert.equal(asked.length, 4, 'it is known');
	// What the caller asked for is never left out.
	answer = (r) => refuse(r, "Extra inputs: 'top_k'");
	assert.equal((await errorIn(await ask({ top_k: 3 }))).code, 'invalid_request');
	assert.equal(asked.length, 5);
});

test('too large a limit is the caller’s, and asked for once', async () => {
	await add(
		(r) =>
			void r
				.writeHead(400)
				.end('{"error":{"message":"\'max_tokens\' or \'max_completion_tokens\' is too large"}}'),
	);
	assert.equal((await errorIn(await ask({ max_tokens: 1e5 }))).code, 'invalid_request');
	assert.equal(asked.length, 1);
});

test('what an engine has used is counted when it comes after the end, and estimated when it says nothing', async () => {
	const used = { prompt_tokens: 11, completion_tokens: 3 };
	await add(
		(r) =>
			void r
				.writeHead(200, sse)
				.end(
					events(delta(text, 'stop'), { choices: [], usage: null }, { choices: [], usage: used }),
				),
	);
	const counted = await (await ask()).json();
	assert.equal(counted.usage.prompt_tokens, 11);
	await add((r) => void r.writeHead(200, sse).end(events({ ...delta(text, 'stop'), usage: {} })));
	const estimated = await (await ask()).json();
	assert.ok(estimated.usage.prompt_tokens > 0 && estimated.usage.completion_tokens > 0);
});

test('a stream that an engine leaves open is ended for the caller, too', async () => {
	await add((r) => void r.writeHead(200, sse).write(events(delta(text, 'stop'))));
	const seen = await sseData(await ask({ stream: true }));
	assert.equal(seen.at(-1), '[DONE]');
});

test('an empty reason to end with every piece ends nothing', async () => {
	await add((r) => {
		r.writeHead(200, sse);
		r.end(`${events(delta('Grü', ''), delta('ße', ''), delta('', 'stop'))}data: [DONE]\n\n`);
	});
	assert.equal(await textIn(await ask()), 'Grüße');
});

test('a key that is refused in an answer of status 200 is no fault of who asks', async () => {
	for (const code of [401, 403]) {
		await add((r) => void r.writeHead(200).end(JSON.stringify({ error: { code, message: 'no' } })));
		const response = await ask();
		assert.equal(response.status, 502);
		assert.match((await errorIn(response)).message, /refuses its key/);
	}
	await add((r) => void r.writeHead(200).end('{"error":{"code":409,"message":"busy"}}'));
	assert.equal((await ask()).status, 502);
	await add((r) => void r.writeHead(200).end('{"error":{"code":400,"message":"odd"}}'));
	assert.equal((await ask()).status, 400);
});

test('a key that no header can carry is nowhere in what is said about it', async () => {
	const keyFile = join(server.backend.settings.dataDir, 'odd-key');
	for (const key of ['sk-secret\nsecond', 'sk-secret second', 'sk-secrét', '\u200bsk-secret']) {
		await writeFile(keyFile, `${key}\n`, { mode: 0o600 });
		await add(() => assert.fail('it is not asked'), 20, { keyFile });
		const { code, message } = await errorIn(await ask());
		assert.equal(code, 'upstream_failed');
		assert.match(message, /cannot be asked: its key has more than one line.*odd-key/);
		assert.ok(!message.includes('sk-'), message);
	}
	const fetch = createProxiedFetch({});
	await assert.rejects(
		fetch('http://127.0.0.1:9/', { headers: { authorization: 'Bearer sk-secret\nsecond' } }),
		({ message, cause }: Error) => !message.includes('sk-') && cause === undefined,
	);
});

test('an engine that does not stop is given up', async () => {
	const piece = `: ${'x'.repeat(1 << 20)}\n\n`;
	function* withoutEnd() {
		for (;;) yield piece;
	}
	await add((r) => void Readable.from(withoutEnd()).pipe(r.writeHead(200, sse)));
	const { code, message } = await errorIn(await ask());
	assert.equal(code, 'upstream_failed');
	assert.match(message, /does not stop: after 128 MiB/);
});

test('a wait of ages and a list of everything are cut', async () => {
	await add((r) => void r.writeHead(429, { 'retry-after': '1e300' }).end('{}'));
	assert.equal((await ask()).headers.get('retry-after'), '86400');
	const ids = Array.from({ length: 20_000 }, (_, at) => ({ id: `m${at}` }));
	list = (r) => void r.end(JSON.stringify({ data: ids }));
	assert.equal((await server.backend.upstreams.list()).length, 5000);
});
