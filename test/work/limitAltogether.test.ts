/** Threads are ended for what they compute, not for how long they wait for a processor or an answer. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { limitAltogether } from '../../server/work/computingLimit.ts';

const threadOf = (code: string) => new Worker(code, { eval: true });

test('a thread that computes without end is told', async () => {
	const worker = threadOf('for (;;);');
	await new Promise<void>((resolve) => {
		limitAltogether(worker, 50, resolve);
	});
	await worker.terminate();
});

test('a thread that does nothing for longer than it may compute is not', async () => {
	const worker = threadOf(
		"Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500); require('node:worker_threads').parentPort.postMessage('done');",
	);
	let isOver = false;
	const watch = limitAltogether(worker, 1000, () => {
		isOver = true;
	});
	assert.deepEqual(await once(worker, 'message'), ['done']);
	watch.end();
	assert.equal(isOver, false);
	await worker.terminate();
});

test('a thread that has ended is not watched any more', async () => {
	const worker = threadOf('');
	let isOver = false;
	limitAltogether(worker, -1, () => {
		isOver = true;
	}).end();
	await once(worker, 'exit');
	assert.equal(isOver, false);
});
