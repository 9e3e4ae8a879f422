/** The embedded queue: whose turn it is, a computer that sleeps, and a clock that is set back. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ShardRef } from '../../server/jobs/jobTypes.ts';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const hour = 3_600_000;

test('a clock that is set back by an hour holds up no shard for an hour', async () => {
	let at = Date.UTC(2026, 0, 1, 12);
	await using queue = openSqliteQueue(join(temporaryFolder('queue'), 'queue.db'), {
		now: () => at,
	});
	const shard = { batch: 'batch_a', shard: 0 };
	await queue.add([shard], 1);
	const lease = await queue.lease(30_000);
	assert.ok(lease !== undefined);
	await queue.giveBack(lease, 10_000);
	assert.equal(await queue.lease(30_000), undefined, 'it waits as long as was meant');
	at -= hour;
	const again = await queue.lease(30_000);
	assert.equal(again?.shard, 0, 'what was given back');
	at -= hour;
	assert.equal((await queue.lease(30_000))?.shard, 0, 'what somebody held who has ended');
	assert.equal(await queue.complete(again ?? lease), false);
});

const shards = (batch: string, count: number): ShardRef[] =>
	Array.from({ length: count }, (_, shard) => ({ batch, shard }));

test('batches of one part that keep coming hold up no large one', async () => {
	await using queue = openSqliteQueue(join(temporaryFolder('queue'), 'queue.db'), {
		now: () => 0,
	});
	await queue.add(shards('large', 100), 1);
	let small = 0;
	let open = 0;
	let done = 0;
	for (let turn = 0; turn < 200; turn++) {
		// Somebody has forty under way at any time.
		for (; open < 40; open++) await queue.add(shards(`small_${small++}`, 1), 40);
		const lease = await queue.lease(1000);
		assert.ok(lease !== undefined);
		if (lease.batch === 'large') done++;
		else open--;
		await queue.complete(lease);
	}
	// Two people share: about half of the turns each, once the first forty are in.
	assert.ok(done >= 90 && done <= 110, `${done} of 200 turns`);
});

test('a batch that was left out for a while goes on beside the others, not before them', async () => {
	await using queue = openSqliteQueue(join(temporaryFolder('queue'), 'queue.db'), {
		now: () => 0,
	});
	const order = async (count: number, except?: ReadonlySet<string>): Promise<string[]> => {
		const found: string[] = [];
		for (let at = 0; at < count; at++) {
			const lease = await queue.lease(1000, except);
			assert.ok(lease !== undefined);
			found.push(lease.batch);
			await queue.complete(lease);
		}
		return found;
	};
	await queue.add(shards('limited', 100), 1);
	await queue.add(shards('other', 300), 1);
	await order(100, new Set(['limited']));
	await queue.add(shards('late', 20), 1);
	const next = await order(60);
	const count = (batch: string): number => next.filter((one) => one === batch).length;
	assert.equal(count('late'), 20);
	assert.ok(count('other') >= 18, `${count('other')} of 60 turns are the other's`);
	assert.ok(count('limited') >= 18, `${count('limited')} of 60 turns are of the one left out`);
	assert.equal((await order(260)).length, 260, 'nothing is lost');
	assert.equal(await queue.lease(1000), undefined);
});

test('a computer that slept longer than its lease goes on, unless somebody else has begun', async () => {
	let at = 0;
	await using queue = openSqliteQueue(join(temporaryFolder('queue'), 'queue.db'), {
		now: () => at,
	});
	await queue.add(shards('batch_a', 1), 1);
	const lease = await queue.lease(30_000);
	assert.ok(lease !== undefined);
	at += hour;
	assert.equal(await queue.renew(lease, 30_000), true);
	assert.equal(await queue.lease(30_000), undefined, 'it is held again');
	at += hour;
	const other = await queue.lease(30_000);
	assert.ok(other !== undefined);
	assert.equal(await queue.renew(lease, 30_000), false);
	assert.equal(await queue.complete(lease), false);
	assert.equal(await queue.complete(other), true);
});
