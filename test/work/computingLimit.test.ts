/** What a thread may compute for one piece of work: time of others, and time it waits, is not its own. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ComputingTimer } from '../../server/work/computingLimit.ts';

const thread = (code: string) => new Worker(code, { eval: true });
const knowsThreads = typeof Worker.prototype.cpuUsage === 'function';

test('a thread that computes for too long is noticed', async () => {
	const worker = thread(
		`require('node:worker_threads').parentPort.postMessage('begun'); for (;;);`,
	);
	await once(worker, 'message');
	const timer = new ComputingTimer(worker);
	await new Promise<void>((resolve) => timer.start(100, resolve));
	timer.stop();
	await worker.terminate();
});

test('a thread that waits has all its time left, however long it waits', {
	skip: !knowsThreads && 'this Node does not know the time of a thread',
}, async () => {
	const worker = thread(
		`const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => { for (;;); }); parentPort.postMessage('begun');`,
	);
	await once(worker, 'message');
	const timer = new ComputingTimer(worker);
	let isOver = false;
	const over = new Promise<void>((resolve) =>
		timer.start(40, () => {
			isOver = true;
			resolve();
		}),
	);
	await new Promise<void>((resolve) => {
		const ask = worker.cpuUsage.bind(worker);
		let looks = 0;
		worker.cpuUsage = (...before) => {
			if (++looks === 5) resolve();
			return ask(...before);
		};
	});
	assert.equal(isOver, false);
	worker.postMessage('compute');
	await over;
	await worker.terminate();
});

test('a timer that was stopped or begun anew says nothing of what was before', async () => {
	const worker = thread(
		`require('node:worker_threads').parentPort.postMessage('begun'); for (;;);`,
	);
	await once(worker, 'message');
	const timer = new ComputingTimer(worker);
	const told: string[] = [];
	timer.start(20, () => told.push('first'));
	timer.stop();
	await new Promise<void>((resolve) =>
		timer.start(60, () => {
			told.push('second');
			resolve();
		}),
	);
	assert.deepEqual(told, ['second']);
	await worker.terminate();
});
