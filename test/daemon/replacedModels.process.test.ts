/** Models whose files are replaced while they are in memory: who is answered by which, and what stays. */

import assert from 'node:assert/strict';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
	createModelHost,
	type ModelHostDeps,
	type RunnerHost,
} from '../../server/daemon/modelHost.ts';
import { ModelIndex } from '../../server/daemon/modelIndex.ts';
import type { ModelDescription } from '../../server/engine/api.ts';
import type { ModelLease } from '../../server/services/host.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { greedy } from '../fixtures/greedy.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const fakeRunner = fileURLToPath(new URL('../support/fakeRunner.ts', import.meta.url));

const describe = async (folder: string) =>
	({
		folder,
		task: 'chat-completion',
		variants: [],
		contextLength: 512,
		supportsTools: false,
		memoryEstimateBytes: 100,
		problems: [],
	}) as unknown as ModelDescription;

interface Tested {
	readonly host: RunnerHost;
	readonly models: string;
	/** Puts another build of the same files in a model's place, as a download does. */
	replace(name: string): Promise<void>;
	pids(): number[];
}

async function open(
	t: TestContext,
	deps: Partial<ModelHostDeps> = {},
	env: NodeJS.ProcessEnv = {},
): Promise<Tested> {
	const models = temporaryFolder('replaced');
	for (const name of ['large', 'small']) {
		await mkdir(join(models, name, 'onnx'), { recursive: true });
		await writeFile(join(models, name, 'config.json'), '{}');
		await writeFile(join(models, name, 'onnx', 'model.onnx'), 'graph');
	}
	const host = createModelHost(
		{ defaultTtlS: 0, loadTimeoutMs: 60_000 },
		{
			index: new ModelIndex([{ folder: models, origin: 'local' }], describe),
			openText: () => {
				throw new Error('unused');
			},
			runner: () => ({
				file: process.execPath,
				args: ['--disable-warning=ExperimentalWarning', fakeRunner],
				env: { ...process.env, ...env },
			}),
			freeBytes: () => 1000,
			log: silentLogger,
			...deps,
		},
	);
	t.after(() => host.close());
	return {
		host,
		models,
		replace: async (name) => {
			const [folder, next, old] = [name, `.${name}.new`, `.${name}.old`].map((part) =>
				join(models, part),
			) as [string, string, string];
			await cp(folder, next, { recursive: true });
			await rename(folder, old);
			await rename(next, folder);
			await rm(old, { recursive: true });
			host.changed(folder);
		},
		pids: () => host.runners().map(({ pid }) => pid),
	};
}

/** An answer of many words, until it is cancelled. */
async function answerLong(lease: ModelLease, signal: AbortSignal): Promise<string> {
	let said = '';
	await using _lease = lease;
	await lease.engine
		.generate(
			{
				prompt: { kind: 'text', text: 'slow' },
				owner: 'local',
				sampling: greedy,
				stop: [],
				n: 1,
				priority: 'interactive',
			},
			(event) => {
				if (event.type === 'text') said += event.text;
			},
			signal,
		)
		.catch((error: { code?: string }) => assert.equal(error.code, 'cancelled'));
	return said;
}

const isAlive = (pid: number): boolean => {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
};

test('requests go to the new build at once, and the older one ends with its last request', async (t) => {
	const { host, replace, pids } = await open(t);
	const stop = new AbortController();
	const first = await host.acquire('large', {});
	const [old] = pids() as [number];
	const long = answerLong(first, stop.signal);
	await replace('large');
	for (let more = 0; more < 3; more++) {
		await using lease = await host.acquire('large', {});
		assert.equal(lease.info.id, 'large:1');
		assert.equal(pids().length, 2);
	}
	assert.ok(isAlive(old), 'whoever it answers is answered');
	stop.abort();
	assert.notEqual(await long, '');
	await until('the older one has ended', () => !isAlive(old));
	assert.equal(pids().length, 1);
	assert.notEqual(pids()[0], old);
	assert.equal((await host.resolve('large')).state, 'loaded');
});

test('an older build that nobody uses ends without being asked, and notes beside a model replace nothing', async (t) => {
	const { host, models, replace, pids } = await open(t);
	await host.load('large', {});
	const [old] = pids() as [number];
	for (const name of ['README.md', '.DS_Store', 'nearglot.json'])
		await writeFile(join(models, 'large', name), '{}');
	host.changed(join(models, 'large'));
	await host.load('large', {});
	assert.deepEqual(pids(), [old]);
	await replace('large');
	await until('the older one has ended', () => !isAlive(old));
	assert.deepEqual(host.loaded(), []);
});

test('a template that is set for a model is taken by the next request', async (t) => {
	const { host, models, pids } = await open(t);
	await host.load('large', {});
	const [old] = pids() as [number];
	await writeFile(
		join(models, 'large', 'nearglot.json'),
		JSON.stringify({ promptTemplate: { prompt: '<|user|>{Content}' } }),
	);
	host.changed(join(models, 'large'));
	await host.load('large', {});
	assert.notEqual(pids()[0], old);
	assert.equal(pids().length, 1);
});

test('where both have no room, the new build is loaded once the older one has ended', async (t) => {
	const tested: Tested = await open(t, {
		freeBytes: () => 150 - 100 * tested.pids().length,
	});
	const { host, replace, pids } = tested;
	const stop = new AbortController();
	const long = answerLong(await host.acquire('large', {}), stop.signal);
	const [old] = pids() as [number];
	await replace('large');
	const next = host.acquire('large', {});
	await until('it is loading', async () => (await host.stats()).length === 1);
	assert.deepEqual(pids(), [old]);
	stop.abort();
	await long;
	await using _lease = await next;
	assert.equal(isAlive(old), false);
	assert.equal(pids().length, 1);
});

test('what is replaced while it is loaded is loaded anew for those who wait', async (t) => {
	const { host, replace, pids } = await open(t, {}, { FAKE_LOAD: 'slow' });
	const { promise: began, resolve } = Promise.withResolvers<void>();
	const waiting = Promise.all(
		[1, 2].map(() => host.acquire('large', { onLoading: () => resolve() })),
	);
	await began;
	await replace('large');
	const leases = await waiting;
	const [pid] = pids() as [number];
	assert.equal(pids().length, 1);
	await host.load('large', {});
	assert.deepEqual(pids(), [pid], 'it is the new one');
	for (const lease of leases) await lease[Symbol.asyncDispose]();
});

test('a model is loaded anew when the one that drafts for it was replaced', async (t) => {
	const { host, replace, pids } = await open(t, {
		draftOf: (id) => (id === 'large:1' ? 'small' : undefined),
	});
	await host.load('large', {});
	const [old] = pids() as [number];
	await replace('small');
	await host.load('large', {});
	assert.notEqual(pids()[0], old);
	assert.equal(pids().length, 1);
});
