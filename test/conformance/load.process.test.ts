/** Many at once and many in a row: full queues, disconnects, long conversations. Nothing may be left behind. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { chat, type ErrorReply, text } from './ask.ts';
import { type TinyModels, tinyModels } from './tinyModels.ts';

let server: TestServer;
let models: TinyModels;
before(async () => {
	models = await tinyModels(16_384);
	server = await startTestServer({
		modelsDir: models.dir,
		settings: { models: { defaultTtlS: 0, loadTimeoutMs: 120_000, load: { maxWaiting: 5 } } },
	});
});
after(async () => {
	await server.close();
	await models.remove();
});

const bytesOnly = Object.fromEntries(Array.from({ length: 64 }, (_, id) => [256 + id, -100]));
const ask = { model: 'tiny', messages: [{ role: 'user', content: 'hi' }], logit_bias: bytesOnly };

async function stats() {
	const rows = await server.backend.host.stats();
	return rows.find((row) => row.model === 'tiny:1')?.stats;
}

test('requests that arrive together load the model once and say how long they waited', async () => {
	const replies = await Promise.all(
		[1, 2, 3, 4].map(() => chat(server, { ...ask, max_tokens: 2 })),
	);
	assert.ok(replies.every((reply) => reply.timings.load_ms > 0));
	assert.equal(server.backend.metrics.value('nearglot_model_loads_total', { model: 'tiny:1' }), 1);
	assert.equal((await chat(server, { ...ask, max_tokens: 2 })).timings.load_ms, 0);
});

test('a full queue is 503 with Retry-After, and what was accepted is answered', async () => {
	const answers = await Promise.all(
		Array.from({ length: 40 }, async () => {
			const response = await server.post('/v1/chat/completions', { ...ask, n: 8, max_tokens: 60 });
			return { response, body: (await response.json()) as Partial<ErrorReply> };
		}),
	);
	const full = answers.filter(({ response }) => response.status === 503);
	assert.ok(full.length > 0, 'forty at once, of eight choices each, fit into a queue of five');
	for (const { response, body } of full) {
		assert.equal(body.error?.code, 'overloaded');
		assert.ok(Number(response.headers.get('retry-after')) >= 1);
	}
	const served = answers.filter(({ response }) => response.status === 200);
	assert.equal(served.length + full.length, 40);
	assert.ok(served.length >= 5);
});

test('streams with random disconnects leave no sequence, request or lease behind', async () => {
	for (let round = 0; round < 5; round++)
		await Promise.all(
			Array.from({ length: 10 }, async (_, index) => {
				const stop = new AbortController();
				try {
					const body = { ...ask, stream: true, max_tokens: 400 };
					const response = await server.post('/v1/chat/completions', body, { signal: stop.signal });
					const reader = response.body?.getReader();
					for (let reads = 0; reads < index; reads++) await reader?.read();
					stop.abort();
				} catch {
					// The abort itself.
				}
			}),
		);
	await until('the engine is empty', async () => {
		const now = await stats();
		return now?.running === 0 && now.waiting === 0 && now.openSequences === 0;
	});
	await until('no request is open', () => server.backend.activity.idle());
	assert.equal(await server.backend.host.unload('tiny'), true, 'no lease is held');
});

test('a cancelled stream frees its place for the next request within one step', async () => {
	await chat(server, { ...ask, max_tokens: 1 });
	const before = (await stats())?.generatedTokensTotal ?? 0;
	const stop = new AbortController();
	const response = await server.post(
		'/v1/chat/completions',
		{ ...ask, stream: true, max_tokens: 16_000 },
		{ signal: stop.signal },
	);
	const reader = response.body?.getReader();
	await reader?.read();
	stop.abort();
	await until('the sequence is gone', async () => (await stats())?.openSequences === 0);
	const generated = ((await stats())?.generatedTokensTotal ?? 0) - before;
	assert.ok(generated < 8000, `${generated} tokens were generated for nobody`);
	assert.equal((await chat(server, { ...ask, max_tokens: 3 })).usage.completion_tokens, 3);
});

test('a conversation of a hundred turns keeps its beginning and reads only what is new', async () => {
	const messages: { role: string; content: string }[] = [{ role: 'system', content: 'Be brief.' }];
	let last = 0;
	for (let turn = 0; turn < 100; turn++) {
		messages.push({ role: 'user', content: `Question ${turn}?` });
		const reply = await chat(server, { ...ask, messages, max_tokens: 4, temperature: 0 });
		const { prompt_tokens: prompt, prompt_tokens_details: details } = reply.usage;
		assert.ok(prompt > last, 'nothing was dropped');
		if (turn > 1)
			assert.ok(
				details.cached_tokens > last / 2,
				`turn ${turn}: ${details.cached_tokens} of ${prompt}`,
			);
		last = prompt;
		messages.push({ role: 'assistant', content: text(reply) });
	}
	assert.ok(last > 2000);
});
