/** What stands in the way of a shard costs neither what was computed nor a lease. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import type { RunItem } from '../../server/jobs/itemRow.ts';
import type { ObjectStore } from '../../server/jobs/objectStore.ts';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { AppError } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { answers, asked, expected, finished, items, owner } from './batchProcesses.ts';
import { capitals, openJobs } from './jobWorker.ts';

const places = () => {
	const folder = temporaryFolder('troubles');
	return {
		...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), isAlone: true },
		...{ width: 1, leaseMs: 30_000, itemMs: 0 },
	};
};

/** A store of which some calls fail. */
const failing = (
	store: ObjectStore,
	fail: (call: 'putIfAbsent' | 'size', key: string) => AppError | undefined,
): ObjectStore => {
	const [put, size] = [store.putIfAbsent.bind(store), store.size.bind(store)];
	const check = (call: 'putIfAbsent' | 'size', key: string) => {
		const error = fail(call, key);
		if (error !== undefined) throw error;
	};
	return Object.assign(store, {
		putIfAbsent: async (...given: Parameters<typeof put>) => {
			check('putIfAbsent', given[0]);
			return await put(...given);
		},
		size: async (key: string) => {
			check('size', key);
			return await size(key);
		},
	});
};

test('where a full disk takes no result, what was computed is kept, said, and written when there is room', async () => {
	const options = places();
	let [isFull, refused, asks] = [true, 0, 0];
	const run: RunItem = (...given) => {
		asks++;
		return capitals(0)(...given);
	};
	const service = openJobs(options, {}, Date.now, {
		pause: () => new Promise((resolve) => void setImmediate(resolve)),
		openStore: async () =>
			failing(await openFolderStore(options.store, Date.now), (call, key) => {
				if (!isFull || call !== 'putIfAbsent' || !key.includes('/shards/')) return undefined;
				refused++;
				return new AppError('disk_full', 'There is no room.');
			}),
	});
	const jobs = await service.open();
	const id = await asked(jobs, items(30));
	service.start(run);
	await until('the disk was full some times', () => refused > 3);
	assert.equal((await jobs.batches.get(owner.person, id)).open?.problem?.code, 'disk_full');
	isFull = false;
	const { end } = await finished(jobs, id);
	assert.deepEqual(await answers(jobs, end?.outputFileId), expected(30));
	assert.equal(asks, 30, 'nothing was computed twice');
	await service.close();
});

test('a batch that waits for room for its results can be cancelled', async () => {
	const options = places();
	let refused = 0;
	const service = openJobs(options, {}, Date.now, {
		openStore: async () =>
			failing(await openFolderStore(options.store, Date.now), (call, key) => {
				if (call !== 'putIfAbsent' || !key.includes('/shards/')) return undefined;
				refused++;
				return new AppError('disk_full', 'There is no room.');
			}),
	});
	const jobs = await service.open();
	const id = await asked(jobs, items(30));
	service.start(capitals(0));
	await until('the disk was full', () => refused > 0);
	await jobs.batches.cancel(owner.person, id);
	const { end } = await finished(jobs, id);
	assert.equal(end?.status, 'cancelled');
	await service.close();
});

test('a shard is given back when the store is away before it begins: nobody takes its worker for dead', async () => {
	const options = places();
	const queue = openSqliteQueue(options.queue, { now: Date.now, isAlone: true });
	const leased = new Set<string>();
	const ended = new Set<string>();
	let failures = 0;
	const service = openJobs(options, {}, Date.now, {
		openStore: async () =>
			failing(await openFolderStore(options.store, Date.now), (call, key) => {
				if (call !== 'size' || !key.includes('/shards/')) return undefined;
				failures++;
				return new AppError('store_unavailable', 'The store is away.');
			}),
		openQueue: async () => ({
			...queue,
			lease: async (...given) => {
				const lease = await queue.lease(...given);
				if (lease !== undefined) leased.add(lease.token);
				return lease;
			},
			giveBack: async (lease, delayMs) => {
				ended.add(lease.token);
				await queue.giveBack(lease, delayMs);
			},
		}),
	});
	const jobs = await service.open();
	await asked(jobs, items(150));
	service.start(capitals(0));
	await until('each was leased', () => failures > 2);
	await service.close();
	assert.ok(leased.size > 2);
	assert.deepEqual(ended, leased);
});

test('a batch whose key is not known here is left to servers that know it, and that is said', async () => {
	const options = places();
	const service = openJobs(options);
	const jobs = await service.open();
	const id = await asked(jobs, items(10));
	let [isKnown, looks] = [false, 0];
	service.start(capitals(0), () => {
		looks++;
		return isKnown ? undefined : new AppError('store_unavailable', 'The key is not known here.');
	});
	await until('it was looked at', () => looks > 0);
	const { open } = await jobs.batches.get(owner.person, id);
	assert.equal(open?.problem?.message, 'The key is not known here.');
	isKnown = true;
	const { end } = await finished(jobs, id);
	assert.deepEqual(await answers(jobs, end?.outputFileId), expected(10));
	await service.close();
});
