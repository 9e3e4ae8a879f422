/** Each outage of the queue or the store of batches is one line of the log, however long it lasts. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createActivity } from '../../server/daemon/activity.ts';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { JobService } from '../../server/jobs/jobService.ts';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { AppError } from '../../server/protocol/index.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

test('every outage is said once, also when nothing was done in between', async () => {
	const folder = temporaryFolder('troubles');
	const said: string[] = [];
	let away: 'queue' | 'store' | undefined = 'queue';
	let [leases, shards, failures] = [0, 0, 0];
	const fail = (of: 'queue' | 'store') => {
		if (away !== of) return;
		failures++;
		throw new AppError('store_unavailable', `The ${of} is away.`);
	};
	const queue = openSqliteQueue(join(folder, 'queue.db'), { now: Date.now });
	const store = await openFolderStore(join(folder, 'store'), Date.now);
	const read = store.read.bind(store);
	const service = new JobService({
		openStore: async () =>
			Object.assign(store, {
				read: (...given: Parameters<typeof read>) => {
					fail('store');
					return read(...given);
				},
			}),
		openQueue: async () => ({
			...queue,
			lease: async (leaseMs) => {
				fail('queue');
				leases++;
				const lease = await queue.lease(leaseMs);
				if (lease !== undefined) shards++;
				return lease;
			},
		}),
		mayHaveWork: () => true,
		isShared: false,
		limits: jobLimits({}),
		scratch: join(folder, 'tmp'),
		log: {
			...silentLogger,
			warn: (message, { reason } = {}) => {
				if (message.startsWith('the queue or the store')) said.push(String(reason));
			},
		},
		now: Date.now,
		...{ width: 1, leaseMs: 30_000, tickMs: 5 },
		activity: createActivity(),
	});
	const outage = async (of: 'queue' | 'store') => {
		failures = 0;
		away = of;
		await until('it failed some times', () => failures > 3);
		away = undefined;
		leases = 0;
		await until('it is back', () => leases > 3);
	};
	service.start(async () => ({ status: 200, requestId: '', body: {} }));
	await outage('queue');
	await outage('queue');
	assert.deepEqual(said.splice(0), ['The queue is away.', 'The queue is away.']);
	away = 'store';
	// Each fails by itself, while the queue can be used.
	await queue.add(
		Array.from({ length: 5 }, (_, shard) => ({ batch: `batch_${'z'.repeat(25)}`, shard })),
		1,
	);
	leases = 0;
	await until('each was leased, and there were none', () => shards === 5 && leases > 8);
	assert.deepEqual(said, ['The store is away.']);
	await service.close();
});
