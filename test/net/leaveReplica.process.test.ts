/** A fail-over in which the first Redis lives on as a replica: whoever holds a connection to it follows the address. */

import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { openRedisStore } from '../../server/gateway/store/redisStore.ts';
import { openBullQueue } from '../../server/jobs/bullQueue.ts';
import { openRedisUsage } from '../../server/services/limits/redisUsage.ts';
import { noUsage } from '../../server/services/limits/usageRows.ts';
import { RedisLink } from '../../server/services/shared/redisLink.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { until } from '../support/until.ts';

/** An address that leads to whichever is the first; connections that are there stay where they are. */
async function addressOf(first: RedisServer) {
	let leader = first;
	const proxy = createServer((near) => {
		const far = connect(leader.port, '127.0.0.1');
		near.pipe(far).pipe(near);
		near.on('error', () => far.destroy());
		far.on('error', () => near.destroy());
	});
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	const { port } = proxy.address() as { port: number };
	return {
		url: `redis://127.0.0.1:${port}`,
		lead(to: RedisServer) {
			leader = to;
		},
		[Symbol.dispose]: () => void proxy.close(),
	};
}

const succeeds = (work: () => Promise<unknown>) => () =>
	work().then(
		() => true,
		() => false,
	);

test('queue, sessions and usage leave a Redis that has become a replica', {
	skip: redisMissing,
}, async () => {
	await using first = await RedisServer.start();
	await using second = await RedisServer.start();
	using address = await addressOf(first);
	await using queue = await openBullQueue(address.url, 5000, Date.now);
	await using store = await openRedisStore(address.url);
	const link = new RedisLink(address.url);
	const usage = openRedisUsage(link, 400);
	let added = 0;
	const row = { ...noUsage, day: '2026-01-01', person: 'p', model: 'm', kind: 'chat' } as const;
	const writes = {
		queue: (shard: number) => queue.add([{ batch: 'batch_a', shard }], 1),
		store: () => store.set('a', 'b', 60_000),
		usage: () => usage.add([{ ...row, requests: 1 }], `batch ${added++}`),
	};
	await until('usage is kept', succeeds(writes.usage));
	await writes.queue(0);
	await writes.store();
	const lost = queue.losses;
	await second.tell('REPLICAOF', '127.0.0.1', String(first.port));
	await second.tell('REPLICAOF', 'NO', 'ONE');
	await first.tell('REPLICAOF', '127.0.0.1', String(second.port));
	address.lead(second);
	await assert.rejects(writes.queue(1), /READONLY/);
	await until(
		'the queue takes shards',
		succeeds(() => writes.queue(2)),
	);
	await until('sessions are written', succeeds(writes.store));
	await until('usage is counted', succeeds(writes.usage));
	assert.ok(queue.losses > lost, 'what the new one had not heard is put in again');
	await usage.close();
	await link.close();
});
