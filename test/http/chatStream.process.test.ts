import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

const ask = (text: string, more: object = {}) => ({
	model: 'starter-chat',
	messages: [{ role: 'user', content: text }],
	...more,
});

interface Chunk {
	readonly id: string;
	readonly object: string;
	readonly choices: readonly {
		readonly index: number;
		readonly delta: { readonly role?: string; readonly content?: string };
		readonly finish_reason: string | null;
	}[];
	readonly usage?: { readonly prompt_tokens: number } | null;
	readonly error?: { readonly code: string; readonly type: string; readonly message: string };
}

test('a stream has one id, one role, a finish reason, usage when asked, and ends with [DONE]', async () => {
	const response = await server.post(
		'/v1/chat/completions',
		ask('hi', { stream: true, stream_options: { include_usage: true } }),
	);
	assert.equal(response.status, 200);
	assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
	const data = await sseData(response);
	assert.equal(data.pop(), '[DONE]');
	const chunks = data as Chunk[];
	assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, 1);
	assert.ok(chunks.every((chunk) => chunk.object === 'chat.completion.chunk'));
	const roles = chunks.filter((chunk) => chunk.choices[0]?.delta.role !== undefined);
	assert.equal(roles.length, 1);
	assert.equal(roles[0], chunks[0]);
	const usage = chunks.at(-1);
	assert.deepEqual(usage?.choices, []);
	assert.equal(usage?.usage?.prompt_tokens, 3);
	assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop');
	const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
	assert.equal(text, 'Hello there.');
});

test('a question that names no model is answered by one that is here, and counted for it', async () => {
	const { model: _, ...unnamed } = ask('hi');
	const response = await server.post('/v1/chat/completions', unnamed);
	assert.equal(response.status, 200);
	const { model } = (await response.json()) as { model: string };
	assert.match(model, /^starter-chat:/);
	const path = '/v1/chat/completions/tokenizer/encode/count';
	const counts = await Promise.all(
		[unnamed, ask('hi')].map(async (body) => (await server.post(path, body)).json()),
	);
	assert.deepEqual(counts[0], counts[1]);
	const empty = await server.post('/v1/chat/completions', { ...unnamed, model: '' });
	assert.equal(empty.status, 400);
});

test('without stream_options there is no usage chunk', async () => {
	const data = await sseData(
		await server.post('/v1/chat/completions', ask('hi', { stream: true })),
	);
	assert.ok((data.slice(0, -1) as Chunk[]).every((chunk) => chunk.choices.length === 1));
});

test('several choices are streamed by index, each with its own end', async () => {
	const response = await server.post('/v1/chat/completions', ask('hi', { stream: true, n: 3 }));
	const chunks = (await sseData(response)).slice(0, -1) as Chunk[];
	for (const index of [0, 1, 2]) {
		const own = chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.index === index);
		assert.equal(own.map((choice) => choice.delta.content ?? '').join(''), 'Hello there.');
		assert.equal(own.filter((choice) => choice.finish_reason === 'stop').length, 1);
	}
});

test('a runner that crashes in mid-stream becomes one typed error event, and the next request works', async () => {
	const response = await server.post('/v1/chat/completions', ask('crash', { stream: true }));
	assert.equal(response.status, 200);
	const data = await sseData(response);
	const last = data.at(-1) as Chunk;
	assert.equal(last.error?.code, 'runner_crashed');
	assert.equal(last.error?.type, 'server_error');
	assert.match(last.error?.message ?? '', /starter-chat/);
	assert.ok(!data.includes('[DONE]'));
	const next = await server.post('/v1/chat/completions', ask('again'));
	assert.equal(next.status, 200);
});

test('a crash before the first token is a 503 that may be tried again', async () => {
	const response = await server.post('/v1/chat/completions', ask('crash'));
	assert.equal(response.status, 503);
	assert.equal(response.headers.get('retry-after'), '1');
	const body = (await response.json()) as Chunk;
	assert.equal(body.error?.code, 'runner_crashed');
});

test('an error before the stream begins has its own status', async () => {
	const response = await server.post('/v1/chat/completions', ask('overflow', { stream: true }));
	assert.equal(response.status, 400);
	assert.equal(((await response.json()) as Chunk).error?.code, 'context_length_exceeded');
});

test('a client that goes away stops the engine', async () => {
	await server.post('/v1/chat/completions', ask('hi'));
	for (const stream of [true, false]) {
		const stop = new AbortController();
		const response = server.post('/v1/chat/completions', ask('slow', { stream }), {
			signal: stop.signal,
		});
		await until('the engine runs', async () => (await running()) === 1);
		if (stream) await (await response).body?.getReader().read();
		stop.abort();
		await response.catch(() => {});
		await until('the engine stopped', async () => (await running()) === 0);
	}
});

async function running(): Promise<number> {
	const [row] = await server.backend.host.stats();
	return row?.stats.running ?? 0;
}

test('fifty streams with random disconnects leave nothing behind', async () => {
	await Promise.all(
		Array.from({ length: 50 }, async (_, index) => {
			const stop = new AbortController();
			try {
				const response = await server.post(
					'/v1/chat/completions',
					ask(index % 3 === 0 ? 'slow' : 'hi', { stream: true }),
					{ signal: stop.signal },
				);
				const reader = response.body?.getReader();
				for (let reads = 0; reads <= index % 5; reads++) await reader?.read();
				stop.abort();
			} catch {
				// The abort itself.
			}
		}),
	);
	await until('all sequences are closed', async () => (await running()) === 0);
	await until('no request is open', () => server.backend.activity.idle());
});

test('what a request waits for is told only when asked for, in chunks without choices', async () => {
	const fresh = await startTestServer({ fakeRunner: true, env: { FAKE_LOAD: 'slow' } });
	try {
		const asked = ask('hi', { stream: true, return_progress: true });
		const told = (await sseData(await fresh.post('/v1/chat/completions', asked))) as (Chunk & {
			readonly progress?: { readonly phase: string };
		})[];
		assert.deepEqual(told[0]?.progress, { phase: 'loading' });
		assert.deepEqual(told[0]?.choices, []);
		assert.equal((told[0] as unknown as { model: string }).model, 'starter-chat');
		const plain = await sseData(
			await fresh.post('/v1/chat/completions', ask('hi', { stream: true })),
		);
		assert.ok((plain.slice(0, -1) as Chunk[]).every(({ choices }) => choices.length === 1));
		await fresh.backend.host.unload('starter-chat');
		const again = await sseData(await fresh.post('/v1/chat/completions', asked));
		const { phase, expected_ms: expectedMs } = (
			again[0] as { progress: { phase: string; expected_ms: number } }
		).progress;
		assert.equal(phase, 'loading');
		assert.ok(expectedMs >= 400, `what the load took last time: ${expectedMs} ms`);
	} finally {
		await fresh.close();
	}
});
