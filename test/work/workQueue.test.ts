/** The bounded queue of heavy work: turns, refusals and what is told of the time until there is room. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import { WorkQueue } from '../../server/work/workQueue.ts';

let nowMs = 1000;
const queueOf = (maxRunning: number, maxWaiting: number) =>
	new WorkQueue({
		describe: (waiting) => `Work of ${waiting} units waits`,
		...{ maxRunning, maxWaiting, now: () => nowMs },
	});
/** Lets everything happen that waits for nothing. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('so much work is done at once, the rest waits in its order', async () => {
	const queue = queueOf(10, 100);
	const begun: string[] = [];
	const places = new Map<string, Disposable>();
	for (const name of ['a', 'b', 'c', 'd'])
		void queue.enter({ work: 6 }).then((place) => {
			begun.push(name);
			places.set(name, place);
		});
	await settled();
	assert.deepEqual(begun, ['a', 'b'], 'the last one goes beyond the bound');
	assert.deepEqual(queue.load, { running: 12, waiting: 12 });
	places.get('a')?.[Symbol.dispose]();
	places.get('a')?.[Symbol.dispose]();
	await settled();
	assert.deepEqual(begun, ['a', 'b', 'c'], 'one turn, however often somebody leaves');
	for (const name of ['b', 'c']) places.get(name)?.[Symbol.dispose]();
	await settled();
	places.get('d')?.[Symbol.dispose]();
	assert.deepEqual(queue.load, { running: 0, waiting: 0 });
});

test('beyond the bound work is refused at once, and the queue recovers', async () => {
	const queue = queueOf(10, 20);
	const first = await queue.enter({ work: 10 });
	const waiting = [queue.enter({ work: 10 }), queue.enter({ work: 10 })];
	const isRefusal = (error: unknown) =>
		error instanceof AppError && error.code === 'overloaded' && error.retryAfterS !== undefined;
	await assert.rejects(queue.enter({ work: 1 }), isRefusal);
	assert.throws(() => queue.checkRoom(), isRefusal);
	const part = queue.enter({ work: 5, isPart: true });
	first[Symbol.dispose]();
	for (const one of waiting) (await one)[Symbol.dispose]();
	(await part)[Symbol.dispose]();
	assert.deepEqual(queue.load, { running: 0, waiting: 0 });
	(await queue.enter({ work: 10 }))[Symbol.dispose]();
});

test('what is larger than the whole queue waits when nobody else does', async () => {
	const queue = queueOf(10, 20);
	const first = await queue.enter({ work: 500 });
	const second = queue.enter({ work: 500 });
	await assert.rejects(queue.enter({ work: 1 }), { code: 'overloaded' });
	first[Symbol.dispose]();
	(await second)[Symbol.dispose]();
});

test('who is cancelled while waiting takes no turn and no room', async () => {
	const queue = queueOf(1, 10);
	const first = await queue.enter({ work: 1 });
	const stop = new AbortController();
	const gone = queue.enter({ work: 10 }, stop.signal);
	await settled();
	stop.abort();
	await assert.rejects(gone, { code: 'cancelled' });
	await assert.rejects(queue.enter({ work: 1 }, AbortSignal.abort()), { code: 'cancelled' });
	const second = queue.enter({ work: 10 });
	first[Symbol.dispose]();
	(await second)[Symbol.dispose]();
});

test('who goes at the moment of getting the turn passes it on', async () => {
	const queue = queueOf(1, 10);
	const first = await queue.enter({ work: 1 });
	const stop = new AbortController();
	const gone = queue.enter({ work: 1 }, stop.signal);
	const second = queue.enter({ work: 1 });
	first[Symbol.dispose]();
	stop.abort();
	await assert.rejects(gone, { code: 'cancelled' });
	(await second)[Symbol.dispose]();
	assert.deepEqual(queue.load, { running: 0, waiting: 0 });
});

test('somebody who waits at a screen overtakes files, which are not held up for ever', async () => {
	const queue = queueOf(1, 1000);
	const order: string[] = [];
	const all: Promise<void>[] = [];
	const held = await queue.enter({ work: 5, priority: 'batch' });
	const add = (name: string, priority: 'interactive' | 'batch') =>
		all.push(
			queue.enter({ work: 1, priority }).then((place) => {
				order.push(name);
				place[Symbol.dispose]();
			}),
		);
	for (let i = 0; i < 2; i++) add(`file ${i}`, 'batch');
	for (let i = 0; i < 10; i++) add(`person ${i}`, 'interactive');
	held[Symbol.dispose]();
	await Promise.all(all);
	assert.equal(order[0], 'person 0');
	assert.equal(order[8], 'file 0');
	assert.equal(order.length, 12);
});

test('those refused are told to come back one after the other, at the pace of the work', async () => {
	const queue = queueOf(10, 40);
	const places = [await queue.enter({ work: 10 })];
	nowMs += 1000;
	places.shift()?.[Symbol.dispose]();
	// Ten units a second; forty wait.
	places.push(await queue.enter({ work: 10 }));
	const stop = new AbortController();
	const waiting = [20, 20].map((work) => queue.enter({ work }, stop.signal));
	const told: (number | undefined)[] = [];
	for (let i = 0; i < 3; i++)
		await queue.enter({ work: 10 }).catch((error: unknown) => {
			told.push(error instanceof AppError ? error.retryAfterS : undefined);
		});
	assert.deepEqual(told, [3, 4, 5]);
	stop.abort();
	await Promise.allSettled(waiting);
});

test('on a slow machine less waits: nobody for longer than it may take', async () => {
	const queue = new WorkQueue({
		describe: (waiting) => `Work of ${waiting} units waits`,
		...{ maxRunning: 10, maxWaiting: 1000, maxWaitS: 5, now: () => nowMs },
	});
	const first = await queue.enter({ work: 10 });
	nowMs += 1000;
	first[Symbol.dispose]();
	// Ten units a second: fifty may wait.
	const running = await queue.enter({ work: 10 });
	const waiting = [queue.enter({ work: 25 }), queue.enter({ work: 25 })];
	await assert.rejects(queue.enter({ work: 1 }), { code: 'overloaded' });
	running[Symbol.dispose]();
	for (const one of waiting) (await one)[Symbol.dispose]();
	assert.deepEqual(queue.load, { running: 0, waiting: 0 });
});

test('requests that end in bursts do not make the pace look higher than it is', async () => {
	const queue = new WorkQueue({
		describe: (waiting) => `Work of ${waiting} units waits`,
		...{ maxRunning: 400, maxWaiting: 1e6, maxWaitS: 10, now: () => nowMs },
	});
	for (let burst = 0; burst < 3; burst++) {
		const places = await Promise.all(Array.from({ length: 40 }, () => queue.enter({ work: 10 })));
		nowMs += 10_000;
		for (const place of places) place[Symbol.dispose]();
	}
	// Forty a second; what runs at once may wait in any case.
	const running = await queue.enter({ work: 400 });
	const stop = new AbortController();
	const waiting = queue.enter({ work: 390 }, stop.signal);
	await assert.rejects(queue.enter({ work: 20 }), { code: 'overloaded' });
	stop.abort();
	await assert.rejects(waiting, { code: 'cancelled' });
	running[Symbol.dispose]();
});
