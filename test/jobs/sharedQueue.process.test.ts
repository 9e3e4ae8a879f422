/** Batches on BullMQ: workers killed at every point, Redis killed, emptied and handed over to a replica; every line has one row. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from 'redis';
import { openBullQueue } from '../../server/jobs/bullQueue.ts';
import type { JobQueue } from '../../server/jobs/jobQueue.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { needsFreezing } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import {
	answers,
	begun,
	end,
	expected,
	finished,
	item,
	items,
	lateWorker,
	openItems,
	owner,
	work,
} from './batchProcesses.ts';
import type { JobWorkerOptions } from './jobWorker.ts';

const skip = redisMissing;
let redis: RedisServer;
before(async () => {
	if (!skip) redis = await RedisServer.start();
});
after(() => redis?.[Symbol.asyncDispose]());

/** Each test has a number of the Redis to itself. */
let database = 0;
const optionsOf = (of = redis): JobWorkerOptions => ({
	store: join(temporaryFolder('jobs'), 'store'),
	queue: `${of.url}/${database++}`,
	...{ isAlone: false, width: 1, leaseMs: 900, itemMs: 1 },
});

for (const point of ['leased', 'item', 'written', 'committed', 'completed'])
	test(`with Redis, a worker killed where a shard is ${point} loses and doubles nothing`, {
		skip,
	}, async () => {
		const options = optionsOf();
		const { service, jobs, id } = await begun(items(150), options);
		const killed = work({ ...options, fault: { point, times: 2 } });
		await once(killed, 'exit');
		const second = work(options);
		const { end: done } = await finished(jobs, id);
		assert.equal(done?.status, 'completed');
		assert.deepEqual(await answers(jobs, done?.outputFileId), expected(150));
		await end(second);
		await service.close();
	});

test('with Redis, an item that ends its workers is given up, and those that shared its shard are not', {
	skip,
}, async () => {
	const options = { ...optionsOf(), leaseMs: 300, itemMs: 0 };
	const lines = items(60).map((line, id) => (id === 30 ? item(id, 'poison') : line));
	const { service, jobs, id } = await begun(lines, options);
	let child = work(options);
	const again = (): void => {
		child = work(options);
		child.once('exit', again);
	};
	child.once('exit', again);
	const { end: done } = await finished(jobs, id);
	child.off('exit', again);
	assert.deepEqual(done?.counts, { total: 60, completed: 59, failed: 1 });
	assert.deepEqual(await answers(jobs, done?.errorFileId), ['30 503 runner_crashed']);
	await end(child);
	await service.close();
});

test('a Redis that is killed, one that has lost its disk, and one that is emptied cost no finished shard', {
	skip,
}, async () => {
	await using own = await RedisServer.start();
	// Slow enough that each fault finds something to do.
	const options = { ...optionsOf(own), itemMs: 60 };
	const { service, jobs, id } = await begun(items(600), options);
	const workers = [work(options), work(options)];
	const goesOn = async (shards: number) =>
		until('it goes on', async () => (await openItems(service, id)) >= shards, 60_000);
	await goesOn(1);
	await own.stop();
	await until(
		'it is said',
		async () => (await jobs.batches.get(owner.person, id)).open?.problem !== undefined,
	);
	await own.run();
	await goesOn(4);
	await own.loseDisk();
	await own.run();
	await goesOn(7);
	await own.tell('FLUSHALL');
	const { end: done } = await finished(jobs, id);
	assert.deepEqual(await answers(jobs, done?.outputFileId), expected(600));
	await Promise.all(workers.map(end));
	await service.close();
});

test('a queue that is closed at once leaves no connection, whose end would end the server', {
	skip,
}, async () => {
	await using own = await RedisServer.start();
	await (await openBullQueue(own.url, 5000, Date.now))[Symbol.asyncDispose]();
	const client = createClient({ url: own.url });
	client.on('error', () => {});
	await client.connect();
	const list = async () => String(await client.sendCommand(['CLIENT', 'LIST']));
	await until(
		'its connections are closed',
		async () => (await list()).trim().split('\n').length === 1,
		5000,
	);
	client.destroy();
});

test('a queue takes shards again after its Redis was started anew, and finds those that are gone', {
	skip,
}, async () => {
	await using own = await RedisServer.start();
	await using queue = await openBullQueue(own.url, 5000, Date.now);
	const shards = Array.from({ length: 700 }, (_, shard) => ({ batch: 'batch_a', shard }));
	await queue.add(shards, 1);
	const before = queue.losses;
	await own.loseDisk();
	await own.run();
	await until('it is connected', () => queue.losses > before, 10_000);
	await queue.add(shards, 1);
	assert.equal(await queue.count('batch_a'), 700);
	// What it says of itself is all there, what it holds is not.
	await own.tell(
		'DEL',
		'nearglot:jobs:shards:prioritized',
		...['batch_a.0', 'batch_a.699'].map((id) => `nearglot:jobs:shards:${id}`),
	);
	assert.equal(await queue.count('batch_a'), 700);
	await queue.add(shards, 1);
	const first = await queue.lease(5000);
	assert.equal(first?.shard, 0);
	assert.equal((await queue.lease(5000))?.shard, 699);
	assert.ok(first !== undefined && (await queue.complete(first)));
	assert.equal(await queue.complete(first), false);
	assert.equal(await queue.count('batch_a'), 699);
});

test('a replica that takes over has what it needs, whatever it had not heard', {
	skip,
}, async () => {
	await using first = await RedisServer.start();
	await using second = await RedisServer.start();
	await second.tell('REPLICAOF', '127.0.0.1', String(first.port));
	const options = { ...optionsOf(first), itemMs: 4 };
	const { service, jobs, id } = await begun(items(300), options);
	const before = work(options);
	await until('some of it is done', async () => (await openItems(service, id)) >= 1);
	await first.stop();
	await end(before);
	await service.close();
	await second.tell('REPLICAOF', 'NO', 'ONE');
	// An address that leads to whichever is the first, as a service of a cluster does.
	const moved = { ...options, queue: options.queue.replace(first.url, second.url) };
	const worker = work({ ...moved, width: 2 });
	const { end: done } = await finished(jobs, id);
	assert.deepEqual(await answers(jobs, done?.outputFileId), expected(300));
	await end(worker);
});

test(
	'with Redis, a worker frozen for longer than its lease comes back too late, and its result is refused',
	{
		skip: skip || needsFreezing,
	},
	() => lateWorker(optionsOf()),
);

test('a Redis that throws entries away, and one that does not answer, is refused in words', {
	skip,
}, async () => {
	await using own = await RedisServer.start();
	await own.tell('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
	await assert.rejects(
		openBullQueue(own.url, 1000, Date.now),
		/maxmemory-policy allkeys-lru.*noeviction/,
	);
	await own.stop();
	await assert.rejects(openBullQueue(own.url, 1000, Date.now), { code: 'store_unavailable' });
});

test('with Redis, batches of one part that keep coming hold up no large one', {
	skip,
}, async () => {
	await using own = await RedisServer.start();
	await using queue = await openBullQueue(own.url, 5000, Date.now);
	const shards = (batch: string, count: number) =>
		Array.from({ length: count }, (_, shard) => ({ batch, shard }));
	await queue.add(shards('large', 100), 1);
	let small = 0;
	let open = 0;
	let done = 0;
	for (let turn = 0; turn < 100; turn++) {
		// Somebody has ten under way at any time.
		for (; open < 10; open++) await queue.add(shards(`small_${small++}`, 1), 10);
		const lease = await queue.lease(5000);
		assert.ok(lease !== undefined);
		if (lease.batch === 'large') done++;
		else open--;
		await queue.complete(lease);
	}
	assert.ok(done >= 40 && done <= 60, `${done} of 100 turns`);
});

test('with Redis, turns go on where any of its servers is, and begin anew when nothing waits', {
	skip,
}, async () => {
	await using own = await RedisServer.start();
	await using serves = await openBullQueue(own.url, 5000, Date.now);
	await using works = await openBullQueue(own.url, 5000, Date.now);
	const shards = (batch: string, count: number) =>
		Array.from({ length: count }, (_, shard) => ({ batch, shard }));
	const done = async (count: number): Promise<string[]> => {
		const batches: string[] = [];
		for (let turn = 0; turn < count; turn++) {
			const lease = await works.lease(5000);
			assert.ok(lease !== undefined);
			batches.push(lease.batch);
			await works.complete(lease);
		}
		return batches;
	};
	for (const round of [1, 2]) {
		await serves.add(shards(`first_${round}`, 60), 1);
		await done(50);
		await serves.add(shards(`second_${round}`, 60), 1);
		const next = await done(20);
		const own10 = next.filter((batch) => batch === `first_${round}`).length;
		assert.ok(own10 >= 9, `${own10} of 20 turns in round ${round}`);
		await done(50);
		assert.equal(await works.lease(5000), undefined);
	}
});

/** Leases and completes so many; of which batches they were. */
async function served(queue: JobQueue, count: number, except?: ReadonlySet<string>) {
	const batches: string[] = [];
	for (let turn = 0; turn < count; turn++) {
		const lease = await queue.lease(5000, except);
		assert.ok(lease !== undefined, `turn ${turn}`);
		batches.push(lease.batch);
		await queue.complete(lease);
	}
	return batches;
}

const shardsOf = (batch: string, count: number) =>
	Array.from({ length: count }, (_, shard) => ({ batch, shard }));

test('with Redis, batches share beyond the last of its priorities as before it', {
	skip,
}, async () => {
	await using own = await RedisServer.start();
	await using queue = await openBullQueue(own.url, 5000, Date.now);
	// The farm has been busy for so long.
	await queue.add(shardsOf('old', 1), 1);
	await own.tell('ZADD', 'nearglot:jobs:served', '2097140', 'turn');
	await queue.add(shardsOf('large', 60), 1);
	await queue.add(shardsOf('small', 20), 1);
	await served(queue, 1);
	for (const [round, batch] of ['late', 'later'].entries()) {
		const next = await served(queue, 20);
		const small = next.filter((one) => one !== 'large').length;
		assert.ok(small >= 9, `${small} of 20 turns in round ${round}`);
		await queue.add(shardsOf(batch, 10), 1);
	}
	// One that is given back comes again, and one that is called forward keeps its turn.
	const lease = await queue.lease(5000);
	assert.ok(lease !== undefined);
	await queue.giveBack(lease);
	assert.equal((await served(queue, 1, new Set(['nobody']))).length, 1);
	assert.equal((await served(queue, 59)).length, 59);
	assert.equal(await queue.lease(5000), undefined);
});

test('with Redis, a batch that was left out for a while goes on beside the others, not before them', {
	skip,
}, async () => {
	await using own = await RedisServer.start();
	await using leavesOut = await openBullQueue(own.url, 5000, Date.now);
	await using queue = await openBullQueue(own.url, 5000, Date.now);
	await queue.add(shardsOf('limited', 60), 1);
	await queue.add(shardsOf('other', 200), 1);
	await served(leavesOut, 60, new Set(['limited']));
	await queue.add(shardsOf('late', 15), 1);
	const next = await served(queue, 45);
	const count = (batch: string): number => next.filter((one) => one === batch).length;
	assert.ok(count('late') >= 13, `${count('late')} of 45 turns are the late one's`);
	assert.ok(count('other') >= 13, `${count('other')} of 45 turns are the other's`);
	assert.ok(count('limited') >= 13, `${count('limited')} of 45 turns are of the one left out`);
	assert.equal((await served(queue, 170)).length, 170);
	assert.equal(await queue.lease(5000), undefined);
});
