/** A server that is about to end begins no more parts of batches. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JobQueue, ShardLease } from '../../server/jobs/jobQueue.ts';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { Ending } from '../../server/net/ending.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { begun, finished, items, owner } from './batchProcesses.ts';
import { capitals, openJobs } from './jobWorker.ts';

/** A batch of three parts, and a server whose queue is watched. */
async function server(wait: { readonly lease?: Promise<void>; readonly item?: Promise<void> }) {
	const folder = temporaryFolder('draining');
	const queue = join(folder, 'queue.db');
	const options = {
		...{ store: join(folder, 'store'), queue, leaseMs: 60_000 },
		...{ isAlone: true, width: 1, itemMs: 0 },
	};
	const { service: asking, id } = await begun(items(150), options);
	await asking.close();
	const ending = new Ending();
	const leased: ShardLease[] = [];
	const given: ShardLease[] = [];
	let asked = 0;
	let running = 0;
	const service = openJobs(options, {}, Date.now, {
		ending: ending.announced,
		openQueue: async (): Promise<JobQueue> => {
			const own = openSqliteQueue(queue, { now: Date.now, isAlone: true });
			return {
				...own,
				lease: async (...how) => {
					if (ending.begun) asked++;
					const lease = await own.lease(...how);
					if (lease === undefined) return undefined;
					leased.push(lease);
					await wait.lease;
					return lease;
				},
				giveBack: async (lease, delayMs) => {
					given.push(lease);
					await own.giveBack(lease, delayMs);
				},
			};
		},
	});
	service.start(async (call, signal) => {
		running++;
		await wait.item;
		return capitals(0)(call, signal);
	});
	const { batches } = await service.open();
	const done = async () => (await batches.get(owner.person, id)).open?.done.size ?? 0;
	return {
		...{ service, ending, leased, given, options, id, done },
		asked: () => asked,
		running: () => running,
	};
}

test('a server that drains finishes the parts that run, leases no more, and the next one goes on', async () => {
	const { promise: item, resolve } = Promise.withResolvers<void>();
	const { service, ending, leased, done, asked, running, options, id } = await server({ item });
	await until('a part runs', () => running() > 0);
	ending.begin();
	resolve();
	await until('it is done', async () => (await done()) > 0);
	await service.close();
	assert.deepEqual([leased.length, asked()], [1, 0]);
	const next = openJobs(options);
	next.start(capitals(0));
	const { end } = await finished(await next.open(), id);
	assert.deepEqual(end?.counts, { total: 150, completed: 150, failed: 0 });
	await next.close();
});

test('a part that is leased at the moment in which a server begins to drain is given back at once', async () => {
	const { promise: lease, resolve } = Promise.withResolvers<void>();
	const { service, ending, leased, given, running, asked } = await server({ lease });
	await until('a part is being leased', () => leased.length === 1);
	ending.begin();
	resolve();
	await until('it is given back', () => given.length === 1);
	assert.deepEqual([given[0]?.shard, running(), asked()], [leased[0]?.shard, 0, 0]);
	await service.close();
});
