/** A shard is said to wait when nothing of it runs, once until some of it is done. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShardWaits } from '../../server/jobs/shardWaits.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a shard waits while all lines of its work do, and once for however many tries', async () => {
	const told: string[] = [];
	let times = 0;
	const waits = new ShardWaits((moved) => {
		const time = ++times;
		told.push(`waits ${time}`);
		void moved.then(() => told.push(`moved ${time}`));
	});
	let goOn = () => {};
	const rest = () => waits.pause(() => new Promise<void>((resolve) => (goOn = resolve)));
	let end = () => {};
	const other = waits.during(() => new Promise<void>((resolve) => (end = resolve)));
	const first = waits.during(async () => {
		await rest();
		await rest();
		waits.done();
		await rest();
	});
	await turn();
	assert.deepEqual(told, [], 'another line of its work goes on');
	end();
	await other;
	assert.deepEqual(told, ['waits 1']);
	goOn();
	await turn();
	assert.deepEqual(told, ['waits 1'], 'it was refused again');
	goOn();
	await turn();
	assert.deepEqual(told, ['waits 1', 'waits 2', 'moved 1']);
	goOn();
	await first;
	assert.deepEqual(told, ['waits 1', 'waits 2', 'moved 1'], 'its end is no wait');
});
