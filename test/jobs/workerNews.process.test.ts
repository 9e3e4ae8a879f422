/** A server that only serves says who works on batches, and what they wait for there. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { batchAnswer } from '../../server/http/serializeBatch.ts';
import { openBullQueue } from '../../server/jobs/bullQueue.ts';
import { errorAnswer } from '../../server/jobs/itemRow.ts';
import type { OpenJobs } from '../../server/jobs/jobService.ts';
import { AppError } from '../../server/protocol/index.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { answers, asked, expected, finished, items, owner } from './batchProcesses.ts';
import { capitals, openJobs } from './jobWorker.ts';

let redis: RedisServer;
before(async () => {
	if (!redisMissing) redis = await RedisServer.start();
});
after(() => redis?.[Symbol.asyncDispose]());

const problemOf = async (jobs: OpenJobs, id: string) =>
	batchAnswer(await jobs.batches.get(owner.person, id), 0).problem;

test('a server that only serves says that nobody works, then what the one that works waits for', {
	skip: redisMissing,
}, async () => {
	const folder = temporaryFolder('news');
	const options = {
		...{ store: join(folder, 'store'), queue: `${redis.url}/0`, isAlone: false, itemMs: 0 },
		leaseMs: 1000,
	};
	const serving = openJobs({ ...options, width: 0 });
	const jobs = await serving.open();
	const id = await asked(jobs, items(60));
	const hasProblem = (code: string | undefined) =>
		until(`the problem is ${code}`, async () => (await problemOf(jobs, id))?.code === code, 30_000);
	await hasProblem('no_worker');
	let isLimited = true;
	const goOn = Promise.withResolvers<void>();
	const working = () =>
		openJobs({ ...options, width: 1 }, {}, Date.now, {
			pause: async (_, signal) => {
				const over = new Promise<void>((resolve) =>
					signal.addEventListener('abort', () => resolve(), { once: true }),
				);
				await Promise.race([goOn.promise, over]);
				signal.throwIfAborted();
			},
		});
	const start = () => {
		const service = working();
		service.start(async (call, signal) => {
			const limit = new AppError('rate_limited', 'Your limit of requests is used up.');
			if (isLimited) return { ...errorAnswer(limit), retryAfterS: 3600 };
			return capitals(0)(call, signal);
		});
		return service;
	};
	const first = start();
	await hasProblem('rate_limited');
	const problem = await problemOf(jobs, id);
	assert.equal(problem?.message, 'Your limit of requests is used up.');
	assert.ok((problem?.until ?? 0) > Date.now() / 1000 + 1800, 'and until when');
	await first.close();
	await hasProblem('no_worker');
	const second = start();
	await hasProblem('rate_limited');
	isLimited = false;
	goOn.resolve();
	const { end } = await finished(jobs, id);
	assert.deepEqual(await answers(jobs, end?.outputFileId), expected(60));
	await Promise.all([second.close(), serving.close()]);
});

test('a batch of which something gets on anywhere waits for nothing', {
	skip: redisMissing,
}, async () => {
	const open = () => openBullQueue(`${redis.url}/1`, 1000, Date.now);
	await using one = await open();
	await using other = await open();
	await using third = await open();
	const wait = { code: 'rate_limited', message: 'a limit', until: 20 };
	const forMs = 60_000;
	const said = () => third.workers?.waitOf('b');
	assert.equal(await said(), undefined);
	await one.workers?.report('b', wait, forMs);
	assert.deepEqual(await said(), wait);
	await other.workers?.report('b', 'none', forMs);
	assert.equal(await said(), undefined, 'the other one gets on');
	await other.workers?.report('b', { ...wait, until: 10 }, forMs);
	assert.equal((await said())?.until, 10, 'the first of both');
	await other.workers?.report('b', undefined, forMs);
	assert.deepEqual(await said(), wait);
	await one.workers?.report('b', { ...wait, until: 5 }, 50);
	await other.workers?.report('b', { ...wait, until: 10 }, forMs);
	await until(
		'nobody believes what was told too long ago',
		async () => (await said())?.until === 10,
	);
	assert.equal(await third.workers?.isAny(), false);
	await one.add([{ batch: 'b', shard: 0 }], 1);
	const lease = await one.lease(1000);
	assert.equal(await third.workers?.isAny(), true, 'somebody holds a shard');
	assert.ok(lease && (await one.complete(lease)));
	assert.equal(await third.workers?.isAny(), false);
	await one.workers?.announce(forMs);
	assert.equal(await third.workers?.isAny(), true);
});
