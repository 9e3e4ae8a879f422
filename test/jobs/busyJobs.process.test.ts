/** Whether there is work that nobody does when this process ends. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { batchText } from '../../server/cli/batchText.ts';
import { createActivity } from '../../server/daemon/activity.ts';
import { batchAnswer } from '../../server/http/serializeBatch.ts';
import { finishBatch } from '../../server/jobs/finishBatch.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { errorAnswer } from '../../server/jobs/itemRow.ts';
import type { JobQueue } from '../../server/jobs/jobQueue.ts';
import { type BatchRecord, batchVersion, keys } from '../../server/jobs/jobTypes.ts';
import { OpenBatch } from '../../server/jobs/openBatch.ts';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { StoredFiles } from '../../server/jobs/storedFiles.ts';
import { AppError } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { asked, begun, finished, items, owner } from './batchProcesses.ts';
import { capitals, openJobs } from './jobWorker.ts';

test('a batch is work until it ends or rests, but for a queue that others have, too', async () => {
	const folder = temporaryFolder('busy');
	const options = {
		...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), leaseMs: 10_000 },
		...{ isAlone: true, width: 1, itemMs: 0 },
	};
	const { service: serving, id } = await begun(items(4), options);
	assert.equal(serving.isBusy, false, 'others do it');
	await serving.close();
	const { promise: go, resolve } = Promise.withResolvers<void>();
	const service = openJobs(options);
	service.start(async (call, signal) => {
		await go;
		return capitals(0)(call, signal);
	});
	const jobs = await service.open();
	await until('it is under way', () => service.isBusy);
	await jobs.batches.pause(owner.person, id, true);
	assert.equal(service.isBusy, false);
	await jobs.batches.pause(owner.person, id, false);
	assert.equal(service.isBusy, true);
	resolve();
	await finished(jobs, id);
	await until('it is over', () => !service.isBusy);
	await service.close();
});

test('of a batch that rests no more than one part is looked at by each who looks for work', async () => {
	const folder = temporaryFolder('busy');
	const queue = join(folder, 'queue.db');
	const width = 2;
	const options = {
		...{ store: join(folder, 'store'), queue, leaseMs: 60_000 },
		...{ isAlone: true, width, itemMs: 0 },
	};
	let leased = 0;
	let isLookedThrough = Promise.withResolvers<void>();
	const openQueue = async (): Promise<JobQueue> => {
		const real = openSqliteQueue(queue, { now: Date.now, isAlone: true });
		return {
			...real,
			lease: async (...of) => {
				const lease = await real.lease(...of);
				if (lease === undefined) isLookedThrough.resolve();
				else leased++;
				return lease;
			},
			// Whoever takes a resting batch out comes later.
			remove: async () => {},
			losses: 0,
		};
	};
	const service = openJobs(options, {}, Date.now, { openQueue });
	const { promise: go, resolve } = Promise.withResolvers<void>();
	service.start(async (call, signal) => {
		await Promise.race([go, new Promise((_, reject) => signal.addEventListener('abort', reject))]);
		return capitals(0)(call, signal);
	});
	const jobs = await service.open();
	const id = await asked(jobs, items(3000));
	await until('it is under way', () => leased >= width);
	const { open } = await jobs.batches.get(owner.person, id);
	const shards = open?.manifest?.shards.length ?? 0;
	leased = 0;
	isLookedThrough = Promise.withResolvers<void>();
	await jobs.batches.pause(owner.person, id, true);
	await isLookedThrough.promise;
	assert.ok(leased <= 2 * width + 8 && shards > 4 * (2 * width + 8), `${leased} of ${shards}`);
	resolve();
	await jobs.batches.pause(owner.person, id, false);
	await until('it goes on', async () => (open?.done.size ?? 0) > 0);
	await service.close();
});

test('a batch whose files are being written says since when', async () => {
	await using store = await openFolderStore(temporaryFolder('busy'), Date.now);
	const record: BatchRecord = {
		...{ version: batchVersion, id: 'batch', owner, endpoint: '/v1/embeddings' },
		...{ inputFileId: 'file', completionWindow: '1h', createdAt: 1, expiresAt: 2 },
	};
	const open = new OpenBatch(record, store);
	const shards = [{ number: 0, start: 0, end: 1, firstLine: 0, items: 1 }];
	open.manifest = { total: 1, at: 1, shards };
	const shown = () => batchAnswer({ record, open }, 0);
	assert.deepEqual([shown().status, shown().finalizing_at], ['in_progress', null]);
	const counts = { completed: 1, failed: 0, okBytes: 1, input: 3, output: 4 };
	open.done.add(0, { version: batchVersion, from: 0, ...counts });
	assert.equal(shown().status, 'in_progress');
	const files = new StoredFiles(store, Date.now);
	await store.put(keys.shard({ batch: 'batch', shard: 0 }), Buffer.from('x'));
	let first = shown();
	await finishBatch(record, open.manifest, open, 'completed', {
		...{ store, files, now: () => 123, keepS: 1000 },
		reached: () => {
			first = shown();
		},
	});
	assert.deepEqual([first.status, first.finalizing_at], ['finalizing', 123]);
	assert.deepEqual(first.usage, {
		...{ input_tokens: 3, output_tokens: 4, total_tokens: 7 },
		input_tokens_details: { cached_tokens: 0 },
		output_tokens_details: { reasoning_tokens: 0 },
	});
});

test('a batch that waits for a limit says for what and until when, and keeps no replaced server', async () => {
	const folder = temporaryFolder('busy');
	const at = Date.UTC(2026, 0, 1);
	const options = {
		...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), leaseMs: 10_000 },
		...{ isAlone: true, width: 1, itemMs: 0 },
	};
	let isLimited = true;
	const goOn = Promise.withResolvers<void>();
	const activity = createActivity();
	const service = openJobs(options, {}, () => at, { pause: () => goOn.promise, activity });
	service.start(async (call, signal) => {
		const limit = new AppError('rate_limited', 'Your limit of requests is used up.');
		if (isLimited) return { ...errorAnswer(limit), retryAfterS: 3600 };
		return capitals(0)(call, signal);
	});
	const jobs = await service.open();
	const id = await asked(jobs, items(4));
	const shown = async () => batchAnswer(await jobs.batches.get(owner.person, id), 0);
	await until('it is said', async () => (await shown()).problem !== null);
	const { problem } = await shown();
	assert.deepEqual(problem, {
		...{ code: 'rate_limited', message: 'Your limit of requests is used up.' },
		until: at / 1000 + 3600,
	});
	assert.match(
		batchText(await shown()),
		/^In the way until 2026-01-01T01:00:00Z: Your limit of requests is used up\.$/m,
	);
	assert.equal(service.isBusy, false);
	assert.deepEqual(
		[activity.idle(), activity.idleMs()],
		[true, 0],
		'it keeps only what is current',
	);
	isLimited = false;
	goOn.resolve();
	await finished(jobs, id);
	assert.equal((await shown()).problem, null);
	await service.close();
});

test('a part that waits when its server ends leaves no trace in what goes on there', async () => {
	const folder = temporaryFolder('busy');
	const activity = createActivity();
	const service = openJobs(
		{
			...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), leaseMs: 10_000 },
			...{ isAlone: true, width: 1, itemMs: 0 },
		},
		{},
		Date.now,
		{
			pause: async (_, signal) => {
				await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
				signal.throwIfAborted();
			},
			activity,
		},
	);
	service.start(async () => ({ ...errorAnswer(new AppError('rate_limited')), retryAfterS: 3600 }));
	const jobs = await service.open();
	const id = await asked(jobs, items(4));
	await until(
		'it waits',
		async () => (await jobs.batches.get(owner.person, id)).open?.isWaiting === true,
	);
	assert.equal(activity.idle(), true);
	await service.close();
	activity.begin();
	assert.equal(activity.idle(), false);
});

test('a part whose result is in the store is done, whatever the queue says of it', async () => {
	const folder = temporaryFolder('busy');
	const options = {
		...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), leaseMs: 300 },
		...{ isAlone: true, width: 1, itemMs: 0 },
	};
	const queue = openSqliteQueue(options.queue, { now: Date.now });
	let refusals = 0;
	const service = openJobs(options, {}, Date.now, {
		openQueue: async () => ({
			...queue,
			complete: async (lease) => {
				if (refusals++ === 0) throw new AppError('store_unavailable', 'The queue is away.');
				return queue.complete(lease);
			},
		}),
	});
	service.start(capitals(0));
	const jobs = await service.open();
	const id = await asked(jobs, items(120));
	const problems = new Set<string>();
	await until('it has ended', async () => {
		const { open, end } = await jobs.batches.get(owner.person, id);
		if (open?.problem !== undefined) problems.add(open.problem.message);
		return end !== undefined;
	});
	assert.ok(refusals > 0);
	assert.deepEqual([...problems], []);
	await service.close();
});
