/** What the server tells of itself: status, metrics, OpenAPI, Ollama's listing. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({
		fakeRunner: true,
		settings: { metricLabels: ['user', 'team'] },
	});
});
after(() => server.close());

const get = async (path: string, headers: Record<string, string> = {}) =>
	(await fetch(server.url + path, { headers })).json() as Promise<Record<string, never>>;

test('health tells strangers nothing but that it is well', async () => {
	assert.deepEqual(await get('/health'), { status: 'ok' });
	const known = await get('/health', { authorization: 'Bearer key-of-the-test-server' });
	assert.deepEqual(known, {
		status: 'ok',
		pid: process.pid,
		version: '1.2.3',
		idle: true,
		persistent: true,
		ending: false,
		replaced: false,
	});
});

test('the status has the names of both client generations', async () => {
	const status = await get('/openai/status');
	assert.deepEqual(status['Endpoints'], [server.url]);
	assert.equal(status['ModelDirPath'], status['modelDirPath']);
	assert.equal(status['PipeName'], server.backend.settings.pipePath);
});

test('models are listed with their true context length, and the earlier turns they read', async () => {
	const { data } = (await get('/v1/models')) as unknown as {
		data: { id: string; context_length: number; max_history_turns?: number }[];
	};
	const chat = data.find((model) => model.id === 'starter-chat:1');
	assert.equal(
		chat?.context_length,
		(await server.backend.host.describe('starter-chat')).contextLength,
	);
	assert.equal(chat?.max_history_turns, 0);
	assert.deepEqual(await get('/v1/models/starter-chat'), chat);
});

test('a server with a shorter context lists, cuts to and refuses by that one', async () => {
	const load = { contextLength: 100 };
	const models = { defaultTtlS: 0, loadTimeoutMs: 120_000, load };
	const short = await startTestServer({ settings: { models } });
	try {
		const listed = await fetch(`${short.url}/v1/models/starter-chat`);
		assert.equal(((await listed.json()) as { context_length: number }).context_length, 100);
		const refused = await short.post('/v1/chat/completions', {
			model: 'starter-chat',
			messages: [{ role: 'user', content: 'word '.repeat(120) }],
		});
		const { error } = (await refused.json()) as { error: { message: string } };
		assert.match(error.message, /this model reads 100 tokens/);
	} finally {
		await short.close();
	}
});

test('metrics count requests and tokens, with the labels that were switched on', async () => {
	const body = {
		model: 'starter-chat',
		messages: [{ role: 'user', content: 'hi' }],
		user: 'ann"\n',
		metadata: { team: 'docs', other: 'x' },
	};
	await server.post('/v1/chat/completions', body);
	await server.post('/v1/chat/completions', { ...body, model: 'nope' });
	assert.equal((await fetch(`${server.url}/metrics`)).status, 401, 'it names people and models');
	const response = await fetch(`${server.url}/metrics`, { headers: server.keyed });
	assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
	const lines = (await response.text()).trim().split('\n');
	const line = /^(# (HELP|TYPE) .+|[a-z_]+(\{([a-z_]+="([^"\\\n]|\\.)*",?)*\})? [0-9.e+-]+)$/;
	for (const each of lines) assert.match(each, line);
	const labels = 'model="starter-chat:1",user="ann\\"\\n",team="docs"';
	assert.ok(lines.includes(`nearglot_generated_tokens_total{${labels}} 3`), lines.join('\n'));
	assert.ok(lines.includes(`nearglot_cached_tokens_total{${labels}} 1`));
	assert.ok(lines.some((each) => /requests_total\{.*status="404",model="unknown"/.test(each)));
	assert.ok(lines.includes('nearglot_models_loaded 1'));
	assert.ok(!lines.some((each) => each.includes('other')));
});

interface Document {
	readonly openapi: string;
	readonly paths: Record<
		string,
		Record<
			string,
			{
				requestBody?: {
					content: { 'application/json': { schema: { properties: Record<string, object> } } };
				};
			}
		>
	>;
}

test('openapi.json lists every route, with the fields and ranges the parsers check', async () => {
	const document = (await get('/openapi.json')) as unknown as Document;
	assert.equal(document.openapi, '3.1.0');
	for (const path of [
		'/v1/chat/completions',
		'/v1/completions',
		'/v1/embeddings',
		'/v1/responses',
		'/v1/models/{id}',
		'/metrics',
	])
		assert.ok(document.paths[path], path);
	const chat =
		document.paths['/v1/chat/completions']?.['post']?.requestBody?.content['application/json']
			.schema;
	assert.deepEqual(chat?.properties['temperature'], { type: 'number', minimum: 0, maximum: 2 });
	assert.deepEqual(chat?.properties['n'], { type: 'integer', minimum: 1, maximum: 128 });
});

test('an editor that speaks to Ollama finds the models and their context', async () => {
	assert.match(String((await get('/api/version'))['version']), /^0\.(6\.[4-9]|[7-9]\.|\d\d)/);
	const { models } = (await get('/api/tags')) as unknown as {
		models: { model: string; size: number }[];
	};
	assert.deepEqual(
		models.map((each) => each.model),
		['starter-chat:1'],
	);
	assert.ok((models[0]?.size ?? 0) > 1e6);
	const response = await server.post('/api/show', { model: 'starter-chat:1' });
	const shown = (await response.json()) as {
		model_info: Record<string, unknown>;
		capabilities: string[];
		template: string;
	};
	const family = String(shown.model_info['general.architecture']);
	assert.equal(shown.model_info[`${family}.context_length`], 512);
	assert.ok(shown.capabilities.includes('completion'));
	assert.match(shown.template, /messages/);
	assert.equal((await server.post('/api/show', { model: 'nope' })).status, 404);
});
