/** Machines of one queue whose clocks are an hour apart. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBullQueue } from '../../server/jobs/bullQueue.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { until } from '../support/until.ts';

const hourMs = 3_600_000;

for (const [what, aheadMs] of [
	['ahead', hourMs],
	['behind', -hourMs],
] as const)
	test(`what a machine whose clock is an hour ${what} gives back and reports is there for others`, {
		skip: redisMissing,
	}, async () => {
		await using redis = await RedisServer.start();
		await using own = await openBullQueue(redis.url, 5000, () => Date.now() + aheadMs);
		await using other = await openBullQueue(redis.url, 5000, Date.now);
		await own.add([{ batch: 'a', shard: 0 }], 1);
		const lease = await own.lease(5000);
		assert.ok(lease);
		await own.giveBack(lease, 50);
		await until('it is leased again', async () => {
			const again = await other.lease(5000);
			if (again !== undefined) await other.complete(again);
			return again !== undefined;
		});
		const wait = { code: 'overloaded', message: 'Others come first.' };
		await own.workers?.report('a', wait, 30_000);
		assert.deepEqual(await other.workers?.waitOf('a'), wait);
	});
