/** Where models run when nobody says so: measured once, kept, and the processor wherever the other one fails. */

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type FasterDeviceDeps, onFasterDevice } from '../../server/daemon/measuredDevice.ts';
import { createModelHost, type RunnerHost } from '../../server/daemon/modelHost.ts';
import { ModelIndex } from '../../server/daemon/modelIndex.ts';
import type { ModelDescription } from '../../server/engine/api.ts';
import type { ExecutionProvider } from '../../server/protocol/index.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const fakeRunner = fileURLToPath(new URL('../support/fakeRunner.ts', import.meta.url));
const hosts: RunnerHost[] = [];
after(async () => {
	await Promise.all(hosts.map((host) => host.close()));
});

interface Machine {
	readonly env?: NodeJS.ProcessEnv;
	readonly gpus?: readonly string[];
	readonly dataDir?: string;
}

async function newHost({ env = {}, gpus = ['A Card'], dataDir }: Machine) {
	const data = dataDir ?? temporaryFolder('device');
	const models = join(data, 'models');
	// As the files are, so they stay: the model is the same one.
	for (const name of dataDir === undefined ? ['plain', 'preferences', 'speech'] : []) {
		await mkdir(join(models, name), { recursive: true });
		await writeFile(join(models, name, 'config.json'), '{}');
	}
	const describe = async (folder: string) =>
		({
			...{ folder, variants: [], contextLength: 512, supportsTools: false },
			...{ memoryEstimateBytes: 100, problems: [] },
			task: folder.endsWith('speech') ? 'automatic-speech-recognition' : 'chat-completion',
			...(folder.endsWith('preferences') ? { executionProvider: 'dml' } : {}),
		}) as unknown as ModelDescription;
	const index = new ModelIndex([{ folder: models, origin: 'local' }], describe);
	const loads: ExecutionProvider[] = [];
	const host = createModelHost(
		{ defaultTtlS: 0, loadTimeoutMs: 60_000 },
		{
			index,
			openText: () => {
				throw new Error('unused');
			},
			runner: () => ({
				file: process.execPath,
				args: ['--disable-warning=ExperimentalWarning', fakeRunner],
				env: { ...process.env, ...env },
			}),
			freeBytes: (provider) => {
				loads.push(provider);
				return 1000;
			},
			log: silentLogger,
		},
	);
	const deps: FasterDeviceDeps = {
		...{ dataDir: data, version: '1.0.0', models: { defaultTtlS: 0 }, index, log: silentLogger },
		gpus: {
			list: async () => gpus.map((name, id) => ({ id, name, vendor: 'other' as const })),
			chosen: () => 0,
		},
		providers: new Set<ExecutionProvider>(['cpu', 'dml', 'webgpu']),
	};
	const faster = onFasterDevice(host, deps);
	hosts.push(faster);
	return { host: faster, loads, data };
}

/** Where a model runs that somebody asks for; it is unloaded again. */
async function deviceOf(host: RunnerHost, name = 'plain', ep?: ExecutionProvider) {
	const lease = await host.acquire(name, ep === undefined ? {} : { executionProvider: ep });
	const { executionProvider } = await lease.engine.stats();
	await lease[Symbol.asyncDispose]();
	await host.unload(name);
	return executionProvider;
}

/** The devices that were measured for the one model. */
async function measuredIn(data: string): Promise<string[]> {
	const { models } = JSON.parse(await readFile(join(data, 'devices.json'), 'utf8')) as {
		models: Record<string, { ms: object }>;
	};
	return Object.values(models).flatMap(({ ms }) => Object.keys(ms).sort());
}

test('a model runs where a test found it faster, which is made once', async () => {
	const { host, loads, data } = await newHost({ env: { FAKE_FAST: 'webgpu' } });
	assert.equal(await deviceOf(host), 'webgpu');
	assert.deepEqual([...new Set(loads)].sort(), ['cpu', 'dml', 'webgpu']);
	loads.length = 0;
	assert.equal(await deviceOf(host), 'webgpu');
	assert.deepEqual(loads, ['webgpu']);
	const later = await newHost({ env: { FAKE_FAST: 'webgpu' }, dataDir: data });
	assert.equal(await deviceOf(later.host), 'webgpu');
	assert.deepEqual(later.loads, ['webgpu'], 'what was found is kept');
	assert.deepEqual(await measuredIn(data), ['cpu', 'dml', 'webgpu']);
});

test('it is made again on a machine with another graphics processor, and not where there is none', async () => {
	const { host, data } = await newHost({ env: { FAKE_FAST: 'webgpu' } });
	assert.equal(await deviceOf(host), 'webgpu');
	const other = await newHost({ gpus: ['Another'], dataDir: data, env: { FAKE_FAST: 'cpu' } });
	assert.equal(await deviceOf(other.host), 'cpu');
	assert.ok(other.loads.includes('dml'));
	const none = await newHost({ gpus: [] });
	assert.equal(await deviceOf(none.host), 'cpu');
	assert.deepEqual(none.loads, ['cpu']);
});

test('the processor works where a graphics processor is no faster, or does not start', async () => {
	const { host } = await newHost({});
	assert.equal(await deviceOf(host), 'cpu', 'as fast is not faster');
	const without = await newHost({ env: { FAKE_FAST: 'dml', FAKE_WITHOUT: 'dml' } });
	assert.equal(await deviceOf(without.host), 'cpu');
	assert.deepEqual(await measuredIn(without.data), ['cpu', 'webgpu']);
});

test('who names a provider gets it, and so do models whose files name one and those that do not write', async () => {
	const { host, loads } = await newHost({ env: { FAKE_FAST: 'webgpu' } });
	assert.equal(await deviceOf(host, 'plain', 'cpu'), 'cpu');
	assert.equal(await deviceOf(host, 'preferences'), 'dml');
	assert.equal(await deviceOf(host, 'speech'), 'cpu');
	assert.deepEqual(loads, ['cpu', 'dml', 'cpu']);
});

test('those who come while it is measured wait for the same test', async () => {
	const { host, loads } = await newHost({ env: { FAKE_FAST: 'webgpu' } });
	const leases = await Promise.all([1, 2, 3].map(() => host.acquire('plain', {})));
	for (const lease of leases) {
		assert.equal((await lease.engine.stats()).executionProvider, 'webgpu');
		await lease[Symbol.asyncDispose]();
	}
	assert.equal(loads.filter((provider) => provider === 'cpu').length, 1);
});

test('after the test it is in memory on the faster device alone, also where it is pinned', async () => {
	const { host } = await newHost({ env: { FAKE_FAST: 'webgpu' } });
	await using lease = await host.acquire('plain', {});
	await host.pin('plain', true);
	assert.equal((await lease.engine.stats()).executionProvider, 'webgpu');
	assert.equal(host.runners().length, 1);
});

test('a faster device that fails later leaves the work to the processor', async () => {
	const { host, data } = await newHost({ env: { FAKE_FAST: 'webgpu' } });
	assert.equal(await deviceOf(host), 'webgpu');
	const later = await newHost({
		env: { FAKE_FAST: 'webgpu', FAKE_FULL: 'webgpu' },
		dataDir: data,
	});
	assert.equal(await deviceOf(later.host), 'cpu');
});
