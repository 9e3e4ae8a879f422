/** The embedded queue and a clock that is set back. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const hour = 3_600_000;

test('a clock that is set back by an hour holds up no shard for an hour', async () => {
	let at = Date.UTC(2026, 0, 1, 12);
	await using queue = openSqliteQueue(join(temporaryFolder('queue'), 'queue.db'), {
		now: () => at,
	});
	const shard = { batch: 'batch_a', shard: 0 };
	await queue.add([shard]);
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
