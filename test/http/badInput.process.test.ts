/** Bodies nobody should send: each gets a 4xx in the interface's shape, and the server lives on. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { AppError } from '../../server/protocol/index.ts';
import { errorShapeOf } from '../../server/protocol/routes/errorShapes.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

/** Small and repeatable, so that a failure can be looked at. */
function random(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

const junk: readonly unknown[] = [
	null,
	true,
	0,
	-1,
	1.5,
	1e308,
	'',
	'text',
	'\u0000',
	[],
	[[]],
	[null],
	{},
	{ a: { b: [] } },
	'x'.repeat(5000),
	Number.MAX_SAFE_INTEGER + 2,
	['a', 1],
	{ type: 'function' },
	{ role: 'user' },
	'__proto__',
];
const fields = [
	'model',
	'messages',
	'temperature',
	'top_p',
	'n',
	'stream',
	'stream_options',
	'stop',
	'max_tokens',
	'max_completion_tokens',
	'presence_penalty',
	'frequency_penalty',
	'logit_bias',
	'user',
	'metadata',
	'functions',
	'function_call',
	'tools',
	'tool_choice',
	'parallel_tool_calls',
	'response_format',
	'logprobs',
	'top_logprobs',
	'seed',
	'top_k',
	'min_p',
	'repetition_penalty',
	'ep',
	'ttl',
	'reasoning_effort',
	'prompt',
	'input',
	'instructions',
	'text',
	'dimensions',
	'encoding_format',
	'tokens',
	'content',
	'echo',
	'best_of',
	'options',
	'format',
	'think',
	'keep_alive',
	'context',
	'template',
	'suffix',
	'raw',
	'images',
	'system',
	'thinking',
	'stop_sequences',
	'output_config',
];
const routes = [
	'/v1/chat/completions',
	'/v1/completions',
	'/v1/embeddings',
	'/v1/responses',
	'/v1/responses/input_tokens',
	'/tokenize',
	'/detokenize',
	'/v1/messages',
	'/v1/messages/count_tokens',
	'/api/chat',
	'/api/generate',
	'/api/embed',
	'/api/embeddings',
	'/api/show',
	'/v1/chat/completions/tokenizer/encode/count',
];

async function checkAnswer(response: Response, what: string): Promise<void> {
	assert.ok(
		response.status < 500,
		`${response.status} for ${what}: ${await response.clone().text()}`,
	);
	if (response.status < 400) {
		await response.text();
		return;
	}
	const body = (await response.json()) as { error: Record<string, unknown> | string };
	const { pathname } = new URL(response.url);
	const { error } = body;
	const message = typeof error === 'string' ? error : error['message'];
	assert.equal(typeof message, 'string');
	assert.ok(String(message).length < 1000, 'the message repeats no body');
	assert.deepEqual(
		shapeOf(body),
		shapeOf(errorShapeOf(pathname).body(new AppError('internal'))),
		what,
	);
}

/** The names of an object's fields, and of those below them. */
const shapeOf = (value: object): string[] =>
	Object.entries(value)
		.flatMap(([key, each]) =>
			typeof each === 'object' && each !== null
				? shapeOf(each).map((name) => `${key}.${name}`)
				: [key],
		)
		.sort();

test('three hundred bodies with one or two fields of the wrong kind are answered below 500', async () => {
	const draw = random(1);
	const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;
	for (let count = 0; count < 300; count++) {
		const body: Record<string, unknown> = {
			model: 'starter-chat',
			messages: [{ role: 'user', content: 'hi' }],
			prompt: 'hi',
			input: 'hi',
			max_tokens: 2,
		};
		body[pick(fields)] = pick(junk);
		if (draw() < 0.5) body[pick(fields)] = pick(junk);
		const route = pick(routes);
		await checkAnswer(
			await server.post(route, body),
			`${route} ${JSON.stringify(body).slice(0, 300)}`,
		);
	}
});

test('bodies that are no JSON object are 400', async () => {
	for (const route of routes)
		for (const body of [
			'',
			' ',
			'{',
			'[1',
			'null',
			'"x"',
			'7',
			'[]',
			'{"model":}',
			'\u0000',
			'{"a":1}}',
			'model=x',
		]) {
			const response = await server.post(route, body);
			assert.equal(response.status, 400, `${route} ${body}`);
			await checkAnswer(response, body);
		}
});

test('a deep body, a wrong type and a body that is too large are refused', async () => {
	const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
	await checkAnswer(await server.post('/v1/chat/completions', `{"messages":${deep}}`), 'deep');
	const form = await server.post('/v1/chat/completions', '{}', {
		headers: { 'content-type': 'text/plain' },
	});
	assert.equal(form.status, 400);
	const large = await server.post('/v1/chat/completions', `"${'x'.repeat(9 * 1024 * 1024)}"`);
	assert.equal(large.status, 413);
	const packed = (encoding: string, body: string | Uint8Array<ArrayBuffer>) =>
		fetch(`${server.url}/v1/chat/completions`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'content-encoding': encoding },
			body,
		});
	assert.equal((await packed('compress', '{}')).status, 415);
	assert.equal((await packed('gzip', '{}')).status, 400);
	const bomb = Buffer.alloc(32 << 20, ' ');
	for (const [encoding, squeeze] of Object.entries({ gzip: gzipSync, deflate: deflateSync }))
		assert.equal((await packed(encoding, new Uint8Array(squeeze(bomb)))).status, 413, encoding);
});

test('each wrong value is refused with its own name', async () => {
	const wrong: readonly (readonly [string, unknown])[] = [
		['temperature', 2.1],
		['temperature', '1'],
		['top_p', -0.1],
		['n', 0],
		['n', 129],
		['n', 1.5],
		['stream', 'true'],
		['max_tokens', 0],
		['max_tokens', -1],
		['presence_penalty', 2.5],
		['frequency_penalty', -2.5],
		['logit_bias', { 5: 101 }],
		['seed', 1.5],
		['top_logprobs', 21],
		['min_p', 2],
		['top_k', -2],
		['repetition_penalty', 0],
		['ttl', -1],
		['stop', ''],
		['user', 5],
		['metadata', { a: {} }],
		['tool_choice', 'always'],
		['response_format', 'json'],
		['messages', []],
		['messages', [{ role: 'robot', content: 'x' }]],
		['messages', [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }]],
	];
	for (const [name, value] of wrong) {
		const response = await server.post('/v1/chat/completions', {
			model: 'starter-chat',
			messages: [{ role: 'user', content: 'hi' }],
			logprobs: true,
			[name]: value,
		});
		const { error } = (await response.json()) as { error?: { param: string } };
		assert.equal(response.status, 400, `${name} ${JSON.stringify(value)}`);
		assert.ok(error?.param.startsWith(name), `${name}: ${error?.param}`);
	}
});

test('unknown routes and methods are told apart', async () => {
	assert.equal((await fetch(`${server.url}/v2/models`)).status, 404);
	const put = await fetch(`${server.url}/v1/chat/completions`, { method: 'PUT' });
	assert.equal(put.status, 405);
	assert.match(((await put.json()) as { error: { message: string } }).error.message, /takes POST/);
	assert.equal(
		(await fetch(`${server.url}/v1/models/${encodeURIComponent('../../etc')}`)).status,
		404,
	);
});
