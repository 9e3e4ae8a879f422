/** Engines elsewhere behind a double that can fail in every way, and behind a second Nearglot. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openUpstreamFile } from '../../server/daemon/upstreamBackend.ts';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

type Answer = (
	response: ServerResponse,
	body: Record<string, unknown>,
	request: IncomingMessage,
) => void;

const key = 'key-of-the-engine-elsewhere';
let answer: Answer;
let seen: {
	readonly body: Record<string, unknown>;
	readonly headers: IncomingMessage['headers'];
}[] = [];
let closed = 0;
const engine = createServer(async (request, response) => {
	response.once('close', () => {
		if (!response.writableFinished) closed++;
	});
	if (request.url === '/v1/models') {
		const data = [
			{ id: 'qwen3-32b', max_model_len: 4096 },
			{ id: 'other' },
			{ id: 'bad\u0007name' },
		];
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ object: 'list', data }));
		return;
	}
	let text = '';
	for await (const chunk of request) text += chunk;
	const body = JSON.parse(text) as Record<string, unknown>;
	seen.push({ body, headers: request.headers });
	answer(response, body, request);
});

const events = (response: ServerResponse, ...objects: unknown[]) => {
	if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const object of objects)
		response.write(`data: ${typeof object === 'string' ? object : JSON.stringify(object)}\n\n`);
};
const delta = (content: string, finish_reason: string | null = null) => ({
	choices: [{ index: 0, delta: { content }, finish_reason }],
});
const usage = {
	prompt_tokens: 7,
	completion_tokens: 2,
	prompt_tokens_details: { cached_tokens: 3 },
};
const whole: Answer = (response) => {
	events(response, delta('Good '), delta('day', 'stop'), { choices: [], usage }, '[DONE]');
	response.end();
};

let server: TestServer;
let keyFile = '';
before(async () => {
	engine.listen(0, '127.0.0.1');
	await once(engine, 'listening');
	server = await startTestServer({ fakeRunner: true });
	keyFile = join(server.backend.settings.dataDir, 'key');
	await writeFile(keyFile, `${key}\n`, { mode: 0o600 });
});
after(async () => {
	await server.close();
	engine.close();
	engine.closeAllConnections();
});

/** Adds it anew, so that earlier failures do not count. */
async function add(
	changes: { timeoutS?: number; models?: string[]; url?: string } = {},
): Promise<void> {
	seen = [];
	answer = whole;
	const { port } = engine.address() as AddressInfo;
	const entry = {
		...{
			name: 'lab',
			url: `http://127.0.0.1:${port}/v1`,
			models: ['qwen*'],
			keyFile,
			timeoutS: 20,
		},
		...changes,
	};
	const file = openUpstreamFile(server.backend.settings.dataDir);
	await file.change((now) => [{ ...now, upstreams: [] }, undefined]);
	await server.backend.upstreams.list();
	await file.change((now) => [{ ...now, upstreams: [entry] }, undefined]);
}

const ask = (fields: object = {}, init?: RequestInit) =>
	server.post(
		'/v1/chat/completions',
		{ model: 'lab/qwen3-32b', messages: [{ role: 'user', content: 'Hello' }], ...fields },
		init,
	);
const errorIn = async (response: Response) =>
	((await response.json()) as { error: { code: string; message: string } }).error;

test('a model of an engine elsewhere is listed as remote and answers by its name', async () => {
	await add();
	type Listed = { readonly state: string } & Record<string, unknown>;
	let remote: Listed[] = [];
	await until('the engine has told its models', async () => {
		const list = await (await fetch(`${server.url}/v1/models`)).json();
		remote = list.data.filter(({ state }: Listed) => state === 'remote');
		return remote.length > 0;
	});
	assert.deepEqual(
		remote.map(({ id, owned_by, context_length }) => [id, owned_by, context_length]),
		[['lab/qwen3-32b', 'lab', 4096]],
	);
	assert.equal((await fetch(`${server.url}/v1/models/lab/qwen3-32b`)).status, 200);
	const response = await ask({ temperature: 0, user: 'anna', seed: 4 });
	const body = await response.json();
	assert.equal(body.choices[0].message.content, 'Good day');
	assert.equal(body.model, 'lab/qwen3-32b');
	assert.equal(body.usage.prompt_tokens_details.cached_tokens, 3);
	assert.equal(response.headers.get('x-ignored-parameters'), 'user');
	const [{ body: sent, headers } = { body: {}, headers: {} }] = seen;
	assert.equal(headers.authorization, `Bearer ${key}`);
	assert.equal(sent['model'], 'qwen3-32b');
	assert.equal(sent['seed'], 4);
	assert.ok(!('user' in sent), 'who asks stays here');
});

test('a balancer before the engine is told which conversation it is, by whichever way it was said here', async () => {
	await add();
	await ask({}, { headers: { 'x-conversation': 'chat-17' } });
	await ask({ prompt_cache_key: 'chat-18' });
	await ask({}, { headers: { 'x-conversation': 'two words' } });
	await ask();
	assert.deepEqual(
		seen.map(({ headers }) => headers['x-conversation']),
		['chat-17', 'chat-18', undefined, undefined],
	);
	assert.deepEqual(
		seen.map(({ body }) => body['prompt_cache_key']),
		[undefined, 'chat-18', undefined, undefined],
	);
});

test('a stream comes as it is made, and leaving it closes the connection there', async () => {
	await add();
	let begun: ServerResponse | undefined;
	answer = (response) => {
		begun = response;
		events(response, delta('first'));
	};
	const stop = new AbortController();
	const response = await ask({ stream: true }, { signal: stop.signal });
	const reader = response.body?.getReader();
	const { value } = (await reader?.read()) ?? {};
	assert.match(new TextDecoder().decode(value), /first/);
	assert.ok(begun?.writable, 'the engine has not ended');
	const before = closed;
	stop.abort();
	await until('the connection to the engine is closed', () => closed > before);
});

test('calls of tools keep their pieces and get an id where the engine gives none', async () => {
	await add();
	answer = (response) => {
		const call = (fields: object) => ({
			choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: fields }] } }],
		});
		events(
			response,
			call({ name: 'add', arguments: '{"a":' }),
			call({ arguments: '1}' }),
			delta('', 'tool_calls'),
			'[DONE]',
		);
		response.end();
	};
	const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }];
	const body = await (
		await ask({ tools, tool_choice: { type: 'function', function: { name: 'add' } } })
	).json();
	const [called] = body.choices[0].message.tool_calls;
	assert.deepEqual(called.function, { name: 'add', arguments: '{"a":1}' });
	assert.match(called.id, /^call_/);
	assert.deepEqual(seen[0]?.body['tool_choice'], { type: 'function', function: { name: 'add' } });
});

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) => {
	response.writeHead(status, { 'content-type': 'application/json', ...headers });
	response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
const faults: readonly [name: string, Answer, status: number, code: string, message: RegExp][] = [
	[
		'its key is refused',
		(r) => json(r, 401, { error: { message: `no ${key}` } }),
		502,
		'upstream_failed',
		/'lab'.*refuses its key/,
	],
	[
		'too much is asked',
		(r) => json(r, 429, { error: { message: 'slow down' } }, { 'retry-after': '7' }),
		429,
		'rate_limited',
		/'lab'.*slow down/,
	],
	[
		'the prompt is too long',
		(r) => json(r, 400, { error: { message: 'long', code: 'context_length_exceeded' } }),
		400,
		'context_length_exceeded',
		/'lab'.*long/,
	],
	[
		'it says the key in an error',
		(r) => json(r, 500, { error: { message: `key ${key} \u001b[31mbroken` } }),
		502,
		'upstream_failed',
		/'lab'.*key … \[31mbroken/,
	],
	[
		'a proxy answers with a page',
		(r) => json(r, 502, '<html>Bad Gateway</html>'),
		502,
		'upstream_failed',
		/'lab'.*Bad Gateway/,
	],
	[
		'it sends requests on',
		(r) => json(r, 302, '', { location: 'https://elsewhere.example/' }),
		502,
		'upstream_failed',
		/'lab'.*another address/,
	],
	[
		'it answers nonsense',
		(r) => json(r, 200, 'no json'),
		502,
		'upstream_failed',
		/'lab'.*cannot be read/,
	],
	[
		'its stream holds nonsense',
		(r) => {
			events(r, 'no json');
			r.end();
		},
		502,
		'upstream_failed',
		/cannot be read/,
	],
	[
		'its stream ends too early',
		(r) => {
			events(r, delta('half'));
			r.end();
		},
		502,
		'upstream_failed',
		/ended in the middle/,
	],
	[
		'its connection breaks',
		(r) => void r.destroy(),
		502,
		'upstream_failed',
		/'lab'.*cannot be reached/,
	],
	[
		'an error comes in the stream',
		(r) => {
			events(r, { error: { message: 'out of memory there' } });
			r.end();
		},
		502,
		'upstream_failed',
		/'lab'.*out of memory there/,
	],
];
for (const [name, fault, status, code, message] of faults)
	test(`the error says whose it is when ${name}`, async () => {
		await add();
		answer = fault;
		const response = await ask();
		assert.equal(response.status, status);
		const error = await errorIn(response);
		assert.equal(error.code, code);
		assert.match(error.message, message);
		assert.ok(!error.message.includes(key), 'the key is in no message');
	});

test('an engine that says nothing is given up after its time', async () => {
	await add({ timeoutS: 0.3 });
	answer = () => {};
	assert.equal((await errorIn(await ask())).code, 'timeout');
	answer = (response) => events(response, delta('then silence'));
	const stream = await sseData(await ask({ stream: true }));
	assert.match(JSON.stringify(stream.at(-1)), /said nothing/);
});

test('an engine that failed five times is left alone, and nothing answers in its place', async () => {
	await add();
	answer = (response) => json(response, 500, {});
	for (let at = 0; at < 5; at++) await (await ask()).text();
	const before = seen.length;
	const response = await ask();
	assert.equal(seen.length, before, 'it was not asked');
	assert.ok(Number(response.headers.get('retry-after')) > 0);
	assert.match((await errorIn(response)).message, /left alone/);
});

test('what cannot be promised of an engine elsewhere is refused before it is asked', async () => {
	await add();
	for (const fields of [{ logprobs: true }, { grammar: 'root ::= "a"' }])
		assert.equal((await errorIn(await ask(fields))).code, 'unsupported_parameter');
	assert.equal((await errorIn(await ask({ model: 'lab/other' }))).code, 'model_not_found');
	assert.equal(seen.length, 0);
});

test('another Nearglot is an engine like any other', async () => {
	const other = await startTestServer({ fakeRunner: true });
	try {
		const list = await (await fetch(`${other.url}/v1/models`)).json();
		const model = list.data.find(({ task }: { task: string }) => task === 'chat-completion').id;
		await add({ url: `${other.url}/v1`, models: [] });
		await writeFile(keyFile, other.key);
		const messages = [{ role: 'user', content: 'Hello' }];
		const [here, there] = await Promise.all(
			[
				server.post('/v1/chat/completions', { model: `lab/${model}`, messages, temperature: 0 }),
				other.post('/v1/chat/completions', { model, messages, temperature: 0 }),
			].map(async (response) => (await response).json()),
		);
		assert.equal(here.choices[0].message.content, there.choices[0].message.content);
		assert.equal(here.usage.prompt_tokens, there.usage.prompt_tokens);
	} finally {
		await writeFile(keyFile, key);
		await other.close();
	}
});
