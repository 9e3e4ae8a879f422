/** Which execution provider a request gets, what it is told, and that a model runs on a device once. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
	createModelHost,
	type ModelHostOptions,
	type RunnerHost,
} from '../../server/daemon/modelHost.ts';
import { ModelIndex } from '../../server/daemon/modelIndex.ts';
import type { ModelDescription } from '../../server/engine/api.ts';
import { settingsOf } from '../../server/engine/modelFiles/sessionSettings.ts';
import { AppError, executionProviderOf } from '../../server/protocol/index.ts';
import { check } from '../../server/protocol/routes/check.ts';
import { epField } from '../../server/protocol/routes/loadFields.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const fakeRunner = fileURLToPath(new URL('../support/fakeRunner.ts', import.meta.url));
const models = temporaryFolder('provider');
const hosts: RunnerHost[] = [];
const servers: TestServer[] = [];

before(async () => {
	for (const name of ['plain', 'preferences']) {
		await mkdir(join(models, name));
		await writeFile(join(models, name, 'config.json'), '{}');
	}
});
after(async () => {
	await Promise.all([...hosts, ...servers].map((each) => each.close()));
});

const describe = async (folder: string) =>
	({
		folder,
		task: 'chat-completion',
		variants: [],
		contextLength: 512,
		supportsTools: false,
		memoryEstimateBytes: 100,
		problems: [],
		...(folder.endsWith('preferences') ? { executionProvider: 'webgpu' } : {}),
	}) as unknown as ModelDescription;

function newHost(
	options: Partial<ModelHostOptions>,
	{ without = '', absent = 'qnn' }: { without?: string; absent?: string } = {},
): RunnerHost {
	const host = createModelHost(
		{ defaultTtlS: 0, loadTimeoutMs: 60_000, ...options },
		{
			index: new ModelIndex([{ folder: models, origin: 'local' }], describe),
			openText: () => {
				throw new Error('unused');
			},
			runner: () => ({
				file: process.execPath,
				args: ['--disable-warning=ExperimentalWarning', fakeRunner],
				env: { ...process.env, FAKE_WITHOUT: without },
			}),
			freeBytes: () => 1000,
			hasProvider: (provider) => provider !== absent,
			log: silentLogger,
		},
	);
	hosts.push(host);
	return host;
}

async function newServer(refuseProvider?: ModelHostOptions['refuseProvider']): Promise<TestServer> {
	const server = await startTestServer({
		fakeRunner: true,
		settings: {
			models: {
				defaultTtlS: 0,
				loadTimeoutMs: 60_000,
				...(refuseProvider === undefined ? {} : { refuseProvider }),
			},
		},
	});
	servers.push(server);
	return server;
}

const providersOf = async (host: RunnerHost) =>
	(await host.stats()).map(({ stats }) => stats.executionProvider).sort();

test('a name means the same provider at every door', () => {
	const spellings = [
		['dml', 'dml'],
		['DirectML', 'dml'],
		['DmlExecutionProvider', 'dml'],
		['CUDAExecutionProvider', 'cuda'],
		['WebGPU', 'webgpu'],
		['tpu', undefined],
		['constructor', undefined],
	] as const;
	for (const [name, provider] of spellings) {
		assert.equal(executionProviderOf(name), provider, name);
		const options = { session_options: { provider_options: [{ [name]: {} }] } };
		assert.equal(settingsOf({ model: { decoder: options } }).executionProvider, provider, name);
		if (provider === undefined) assert.throws(() => check(epField, name), AppError);
		else assert.equal(check(epField, name), provider, name);
	}
});

test('the first known provider of genai_config.json is its wish, and its options are not taken', () => {
	const list = [{ rocm: {} }, { cuda: { enable_cuda_graph: '0' } }, { webgpu: {} }];
	const options = { session_options: { provider_options: list } };
	const { executionProvider, note = '' } = settingsOf({ model: { decoder: options } });
	assert.equal(executionProvider, 'cuda');
	assert.match(note, /provider_options\.rocm, provider_options\.cuda\.enable_cuda_graph/);
});

test('a request that names an absent provider is refused with the reason at every door', async () => {
	const server = await newServer();
	const chat = { messages: [{ role: 'user', content: 'hello' }] };
	const doors = [
		['/v1/chat/completions', chat],
		['/v1/chat/completions', { ...chat, stream: true }],
		['/v1/completions', { prompt: 'hello' }],
		['/v1/completions', { prompt: 'hello', stream: true }],
	] as const;
	for (const ep of ['cuda', 'directml'])
		for (const [path, body] of doors) {
			const response = await server.post(path, { model: 'starter-chat', ep, ...body });
			assert.equal(response.status, 400, `${path} ${ep}`);
			const { error } = (await response.json()) as { error: { param: string; message: string } };
			assert.equal(error.param, 'ep');
			assert.match(error.message, /comes without (cuda|dml)/);
		}
	const load = await fetch(`${server.url}/openai/load/starter-chat?ep=dml`);
	assert.equal(load.status, 400);
	assert.deepEqual(await server.backend.host.stats(), []);
});

test('where the CPU stands in, the answer and a header say so', async () => {
	const server = await newServer('never');
	const chat = { messages: [{ role: 'user', content: 'hello' }] };
	const reason = 'This installation of the runtime comes without cuda.';
	const told = { requested: 'cuda', used: 'cpu', reason };
	for (const [path, body] of [
		['/v1/chat/completions', chat],
		['/v1/completions', { prompt: 'hello' }],
	] as const) {
		const request = { model: 'starter-chat', ep: 'cuda', ...body };
		const whole = await server.post(path, request);
		assert.equal(whole.headers.get('x-execution-provider'), 'cpu; requested=cuda', path);
		const answer = (await whole.json()) as Record<string, unknown>;
		assert.deepEqual(answer['execution_provider'], told, path);
		const streamed = await server.post(path, { ...request, stream: true });
		assert.equal(streamed.headers.get('x-execution-provider'), 'cpu; requested=cuda', path);
		const chunks = (await sseData(streamed)) as Record<string, unknown>[];
		assert.ok(
			chunks.some((chunk) => chunk['execution_provider'] !== undefined),
			path,
		);
		// Whoever wished nothing is told nothing.
		const plain = await server.post(path, { ...request, ep: undefined });
		assert.equal(plain.headers.get('x-execution-provider'), null);
	}
	const load = await fetch(`${server.url}/models/load/starter-chat?ep=cuda`);
	assert.equal(load.headers.get('x-execution-provider'), 'cpu; requested=cuda');
	assert.deepEqual(await load.json(), { status: 'already_loaded', execution_provider: told });
	assert.deepEqual(await server.backend.host.loaded(), ['starter-chat:1']);
});

test('a model runs once on a device, however its provider was named and when it failed', async () => {
	const host = newHost({ refuseProvider: 'never' }, { without: 'webgpu' });
	await host.load('plain', {});
	await host.load('plain', { executionProvider: 'webgpu' });
	await host.load('plain', { executionProvider: 'qnn' });
	await host.load('plain', { executionProvider: 'cpu' });
	assert.deepEqual(await providersOf(host), ['cpu']);
	const together = newHost({ refuseProvider: 'never' }, { without: 'webgpu' });
	await Promise.all(
		([undefined, 'cpu', 'webgpu', 'qnn'] as const).map((executionProvider) =>
			together.load('plain', executionProvider === undefined ? {} : { executionProvider }),
		),
	);
	assert.deepEqual(await providersOf(together), ['cpu']);
});

test('another provider of the same device takes the place of an idle one, and waits for a busy one', async () => {
	const host = newHost({});
	await host.load('plain', { executionProvider: 'cpu' });
	await host.load('plain', { executionProvider: 'webgpu' });
	assert.deepEqual(await providersOf(host), ['cpu', 'webgpu']);
	assert.deepEqual(host.loaded(), ['plain:1'], 'one model on two devices');
	await host.load('plain', { executionProvider: 'dml' });
	assert.deepEqual(await providersOf(host), ['cpu', 'dml']);
	await using _busy = await host.acquire('plain', { executionProvider: 'dml' });
	await assert.rejects(host.load('plain', { executionProvider: 'cuda' }), { code: 'conflict' });
	assert.deepEqual(await providersOf(host), ['cpu', 'dml']);
});

test('a wish of the model itself falls back with a remark, and is refused only on demand', async () => {
	const works = newHost({});
	await works.load('preferences', {});
	assert.deepEqual(await providersOf(works), ['webgpu']);
	const host = newHost({}, { without: 'webgpu' });
	const told: unknown[] = [];
	await using _lease = await host.acquire('preferences', {
		onFallback: (fallback) => told.push(fallback),
	});
	const reason = 'No adapter was found.';
	assert.deepEqual(told, [{ requested: 'webgpu', used: 'cpu', reason }]);
	const [row] = await host.stats();
	assert.equal(row?.stats.executionProvider, 'cpu');
	assert.match(row?.stats.notices?.at(-1)?.message ?? '', /asks for webgpu.*No adapter/);
	const strict = newHost({ refuseProvider: 'always' }, { without: 'webgpu' });
	await assert.rejects(strict.load('preferences', {}), (error: AppError) => {
		assert.equal(error.code, 'unsupported_parameter');
		assert.match(error.message, /No adapter was found.*genai_config/);
		return true;
	});
	assert.deepEqual(strict.loaded(), []);
});

test('a failed start is told to all who waited for it', async () => {
	const host = newHost({}, { without: 'webgpu' });
	const results = await Promise.allSettled(
		[1, 2, 3].map(() => host.load('plain', { executionProvider: 'webgpu' })),
	);
	for (const result of results) {
		assert.equal(result.status, 'rejected');
		assert.match(String(result.reason), /No adapter was found/);
	}
	await until('nothing is loaded', () => host.loaded().length === 0);
	assert.equal(host.runners().length, 0);
});

test('the responses door says it, too', async () => {
	const server = await newServer('never');
	const response = await server.post('/v1/responses', {
		model: 'starter-chat',
		input: 'hello',
		ep: 'cuda',
	});
	assert.equal(response.status, 200, await response.clone().text());
	assert.equal(response.headers.get('x-execution-provider'), 'cpu; requested=cuda');
	const answer = (await response.json()) as Record<string, unknown>;
	assert.ok(answer['execution_provider']);
});
