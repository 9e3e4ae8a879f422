/** A Redis whose machine is gone without a word, while another has its address: whoever holds a connection leaves it. */

import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { openRedisStore } from '../../server/gateway/store/redisStore.ts';
import { RedisLink } from '../../server/services/shared/redisLink.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { until } from '../support/until.ts';

/** An address behind which connections can be made to swallow all that is sent. */
async function swallowing(redis: RedisServer) {
	const open = new Set<Socket>();
	const lost = new Set<Socket>();
	const proxy = createServer((near) => {
		const far = connect(redis.port, '127.0.0.1');
		open.add(near);
		near.on('data', (bytes) => lost.has(near) || far.write(bytes));
		far.on('data', (bytes) => lost.has(near) || near.write(bytes));
		near.on('error', () => far.destroy()).on('close', () => far.destroy());
		far.on('error', () => near.destroy());
	});
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	const { port } = proxy.address() as { port: number };
	return {
		url: `redis://127.0.0.1:${port}`,
		lose: () => {
			for (const each of open) lost.add(each);
		},
		[Symbol.dispose]: () => {
			proxy.close();
			for (const each of open) each.destroy();
		},
	};
}

const succeeds = (work: () => Promise<unknown>) => () =>
	work().then(
		() => true,
		() => false,
	);

test('sessions and what replicas share leave a connection on which nothing is answered', {
	skip: redisMissing,
}, async (t) => {
	await using redis = await RedisServer.start();
	using address = await swallowing(redis);
	await using store = await openRedisStore(address.url);
	const link = new RedisLink(address.url);
	t.after(() => link.close());
	const write = () => store.set('a', 'b', 60_000);
	const ping = () => link.run((client) => client.ping());
	await write();
	await until('it is there', succeeds(ping));
	address.lose();
	await assert.rejects(write());
	await assert.rejects(ping());
	await until('sessions are written over another one', succeeds(write), 60_000);
	await until('replicas share again', () => link.isThere, 60_000);
});
