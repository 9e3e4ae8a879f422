import assert from 'node:assert/strict';
import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
	createModelHost,
	type ModelHostOptions,
	type RunnerHost,
} from '../../server/daemon/modelHost.ts';
import { ModelIndex } from '../../server/daemon/modelIndex.ts';
import type { GenerateRequest, ModelDescription } from '../../server/engine/api.ts';
import { AppError } from '../../server/protocol/index.ts';
import { type Logger, silentLogger } from '../../server/services/logger.ts';
import { greedy } from '../fixtures/greedy.ts';
import { needsFreezing } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const models = temporaryFolder('host');
const hosts: RunnerHost[] = [];

before(async () => {
	const { mkdir, writeFile } = await import('node:fs/promises');
	for (const name of ['alpha', 'beta', 'broken', 'gamma', 'Gamma']) {
		await mkdir(join(models, name), { recursive: true });
		await writeFile(join(models, name, 'config.json'), '{}');
	}
	await writeFile(join(models, 'alpha', 'nearglot.json'), '{"alias":"first","version":"2"}');
	await cp(join(models, 'alpha'), join(models, 'older'), { recursive: true });
	await writeFile(join(models, 'older', 'nearglot.json'), '{"name":"alpha","version":"1"}');
});

after(async () => {
	await Promise.all(hosts.map((host) => host.close()));
});

const fakeRunner = fileURLToPath(new URL('../support/fakeRunner.ts', import.meta.url));

async function describe(folder: string): Promise<ModelDescription> {
	if (folder.endsWith('broken'))
		throw new AppError('unsupported_model', 'onnx/model.onnx is missing.');
	return {
		folder,
		task: 'chat-completion',
		variants: [],
		contextLength: 512,
		supportsTools: false,
		memoryEstimateBytes: 100,
		problems: [],
	} as unknown as ModelDescription;
}

function newHost(
	options: Partial<ModelHostOptions> = {},
	env: NodeJS.ProcessEnv = {},
	freeBytes: (host: RunnerHost) => number = () => 1000,
	log: Logger = silentLogger,
): RunnerHost {
	const host: RunnerHost = createModelHost(
		{ defaultTtlS: 0, loadTimeoutMs: 60_000, ...options },
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
			freeBytes: () => freeBytes(host),
			log,
		},
	);
	hosts.push(host);
	return host;
}

const ask = (text: string): GenerateRequest => ({
	prompt: { kind: 'text', text },
	owner: 'local',
	sampling: greedy,
	stop: [],
	n: 1,
	priority: 'interactive',
});

async function answer(host: RunnerHost, text: string, signal?: AbortSignal): Promise<string> {
	await using lease = await host.acquire('alpha', {}, signal);
	let said = '';
	await lease.engine.generate(
		ask(text),
		(event) => {
			if (event.type === 'text') said += event.text;
		},
		signal,
	);
	return said;
}

const failsWith = (code: string) => (error: unknown) => {
	assert.ok(error instanceof AppError);
	assert.equal(error.code, code, error.message);
	return true;
};

test('the log of a load says what the engine remarked', async () => {
	const said: unknown[] = [];
	const log: Logger = {
		...silentLogger,
		info: (message, facts) => {
			if (message === 'model loaded') said.push(facts?.['notices']);
		},
	};
	const notice = 'The graph is not rewritten for logits where asked: a prompt differs.';
	for (const env of [{ FAKE_NOTICE: notice }, {}])
		await answer(newHost({}, env, undefined, log), 'hello');
	assert.deepEqual(said, [notice, undefined]);
});

test('a model is found by id, name, alias and folder, and a name means its highest version', async () => {
	const host = newHost();
	for (const name of ['alpha:2', 'ALPHA', 'first', 'alpha'])
		assert.equal((await host.resolve(name)).id, 'alpha:2');
	assert.equal((await host.resolve('alpha:1')).id, 'alpha:1');
	assert.equal((await host.resolve('older')).id, 'alpha:1');
	const ids = (await host.list()).map(({ id }) => id.toLowerCase());
	assert.equal(new Set(ids).size, ids.length, 'names that differ in case are one model');
});

test('a model is loaded exactly where that is asked for, in one of the two ways at a time', async () => {
	const host = newHost();
	const pidOf = () => host.runners()[0]?.pid;
	await host.load('alpha', { exact: true });
	const exact = pidOf();
	{
		await using lease = await host.acquire('alpha', {});
		assert.equal(pidOf(), exact, 'who says nothing takes it as it is');
		await assert.rejects(host.acquire('alpha', { exact: false }), (error) => {
			failsWith('conflict')(error);
			assert.match((error as Error).message, /'exact'/);
			return true;
		});
		assert.equal(lease.loadMs, 0);
	}
	await host.load('alpha', { exact: false });
	assert.notEqual(pidOf(), exact);
	assert.equal(host.runners().length, 1);
});

test('an unknown model is an error that names the known ones, a broken one says what is wrong', async () => {
	const host = newHost();
	await assert.rejects(host.resolve('../alpha'), (error) => {
		failsWith('model_not_found')(error);
		assert.match((error as Error).message, /alpha:2, beta:1/);
		return true;
	});
	await assert.rejects(host.acquire('broken', {}), (error) => {
		failsWith('unsupported_model')(error);
		assert.match((error as Error).message, /onnx\/model\.onnx is missing/);
		return true;
	});
});

test('requests that arrive together load a model once', async () => {
	const host = newHost();
	const states: string[] = [];
	host.onChange(({ state }) => states.push(state));
	const answers = await Promise.all([answer(host, 'a'), answer(host, 'b'), answer(host, 'c')]);
	assert.deepEqual(answers, Array(3).fill('Hello there.'));
	assert.deepEqual(states, ['loading', 'loaded']);
	assert.deepEqual(host.loaded(), ['alpha:2']);
	await using lease = await host.acquire('alpha', {});
	assert.equal(lease.loadMs, 0);
	assert.equal(lease.info.state, 'loaded');
});

test('a crash costs the request it hit and the next one loads the model again', async () => {
	const host = newHost();
	await assert.rejects(answer(host, 'crash'), (error) => {
		failsWith('runner_crashed')(error);
		assert.equal((error as AppError).kind.retryable, true);
		return true;
	});
	assert.deepEqual(host.loaded(), []);
	assert.equal((await host.resolve('alpha')).state, 'cached');
	assert.equal(await answer(host, 'again'), 'Hello there.');
});

test('a runner killed from outside ends its requests with a retryable error', async () => {
	const host = newHost();
	await answer(host, 'warm up');
	const running = answer(host, 'slow');
	running.catch(() => {});
	await until('it answers', async () => (await host.stats())[0]?.stats.running === 1);
	const [runner] = host.runners();
	assert.equal(runner?.model, 'alpha:2');
	process.kill(runner.pid, 'SIGKILL');
	await assert.rejects(running, failsWith('runner_crashed'));
	assert.equal(await answer(host, 'again'), 'Hello there.');
});

test('a runner that runs out of memory says so', async () => {
	const host = newHost();
	await assert.rejects(answer(host, 'memory'), failsWith('out_of_memory'));
	assert.deepEqual(host.loaded(), []);
});

test('a runner that stops answering is ended', async () => {
	const host = newHost({ watch: { everyMs: 100, silentMs: 1500, stuckMs: 1500 } });
	await assert.rejects(answer(host, 'hang'), (error) => {
		failsWith('runner_crashed')(error);
		assert.match((error as Error).message, /did not answer/);
		return true;
	});
	assert.equal(await answer(host, 'again'), 'Hello there.');
});

test('a runner that was stopped from outside is ended, and one whose work makes no step', {
	skip: needsFreezing,
}, async () => {
	const host = newHost({ watch: { everyMs: 100, silentMs: 1500, stuckMs: 1500 } });
	await answer(host, 'warm up');
	const frozen = answer(host, 'slow');
	process.kill(host.runners()[0]!.pid, 'SIGSTOP');
	await assert.rejects(frozen, (error) => {
		failsWith('runner_crashed')(error);
		assert.match((error as Error).message, /did not answer for 2 s/);
		return true;
	});
	await assert.rejects(answer(host, 'stuck'), (error) => {
		failsWith('runner_crashed')(error);
		assert.match((error as Error).message, /made no step for 2 s/);
		return true;
	});
	assert.equal(
		await answer(host, 'slow'),
		Array.from({ length: 500 }, (_, i) => `w${i} `).join(''),
		'work that goes on is left alone',
	);
});

test('a load that fails is told to everybody who waits for it, and may be tried again', async () => {
	const host = newHost({}, { FAKE_LOAD: 'fail' });
	const results = await Promise.allSettled([answer(host, 'a'), answer(host, 'b')]);
	for (const result of results) {
		assert.equal(result.status, 'rejected');
		failsWith('unsupported_model')(result.reason);
		assert.match(String(result.reason), /The graph is broken/);
	}
	assert.equal((await host.resolve('alpha')).state, 'cached');
});

test('cancelling stops the engine and leaves the model loaded', async () => {
	const host = newHost();
	await answer(host, 'warm up');
	const stop = new AbortController();
	const running = answer(host, 'slow', stop.signal);
	running.catch(() => {});
	await until('it answers', async () => (await host.stats())[0]?.stats.running === 1);
	stop.abort();
	await assert.rejects(running, failsWith('cancelled'));
	const [row] = await host.stats();
	assert.equal(row?.stats.running, 0);
	assert.equal(row?.stats.cachedPrefixes, 1, 'the engine itself saw the cancelling');
});

test('a load that nobody waits for any more is given up', async () => {
	const host = newHost({}, { FAKE_LOAD: 'slow' });
	const stop = new AbortController();
	const waiting = answer(host, 'a', stop.signal);
	setTimeout(() => stop.abort(), 50);
	await assert.rejects(waiting, failsWith('cancelled'));
	assert.equal((await host.resolve('alpha')).state, 'cached');
	assert.equal(await answer(host, 'b'), 'Hello there.');
});

test('an unused model is unloaded after its time, counted from the end of the last request', async () => {
	const host = newHost({ defaultTtlS: 0.3 });
	const states: string[] = [];
	const gone = new Promise<void>((resolve) => {
		host.onChange(({ state }) => {
			states.push(state);
			if (state === 'cached') resolve();
		});
	});
	const stop = new AbortController();
	const running = answer(host, 'slow', stop.signal);
	await until('it answers', async () => (await host.stats())[0]?.stats.running === 1);
	assert.equal(states.includes('cached'), false, 'not unloaded while it answers');
	stop.abort();
	await assert.rejects(running);
	await gone;
	assert.deepEqual(host.loaded(), []);
});

test('unloading a busy model is refused, by force its requests end with a retryable error', async () => {
	const host = newHost();
	await answer(host, 'warm up');
	const running = answer(host, 'slow');
	running.catch(() => {});
	await until('it answers', async () => (await host.stats())[0]?.stats.running === 1);
	await assert.rejects(host.unload('alpha'), failsWith('conflict'));
	assert.equal(await host.unload('alpha', true), true);
	await assert.rejects(running, failsWith('runner_crashed'));
	assert.equal(await host.unload('alpha'), false);
});

test('a model that cannot be used is not in memory, and can be replaced', async () => {
	assert.equal(await newHost().unload('broken'), false);
});

test('idle models make room for one that would not fit', async () => {
	// Each model takes 100 of 150 bytes.
	const host = newHost({}, {}, (own) => 150 - 100 * own.loaded().length);
	await answer(host, 'alpha first');
	await using _lease = await host.acquire('beta', {});
	assert.deepEqual(host.loaded(), ['beta:1']);
});

test('no idle model goes for one that would not fit even then', async () => {
	// A model takes 100 bytes, and of the memory others hold nearly all.
	let others = 0;
	const host = newHost({}, {}, (own) => 250 - 100 * own.loaded().length - others);
	await answer(host, 'alpha first');
	others = 500;
	await assert.rejects(host.acquire('beta', {}), failsWith('out_of_memory'));
	assert.deepEqual(host.loaded(), ['alpha:2']);
	others = 100;
	await using _lease = await host.acquire('beta', {});
	assert.deepEqual(host.loaded(), ['beta:1']);
});

test('a loaded model whose folder has gone is unloaded by its name', async () => {
	const host = newHost();
	await answer(host, 'hello');
	await rename(join(models, 'alpha'), join(models, '.gone'));
	try {
		host.changed();
		assert.deepEqual(host.loaded(), ['alpha:2']);
		assert.equal(await host.unload('alpha'), true);
		assert.deepEqual(host.loaded(), []);
	} finally {
		await rename(join(models, '.gone'), join(models, 'alpha'));
	}
});
