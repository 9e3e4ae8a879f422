/** Shards of a batch follow each other without a pause, and never more items run at a time than there is room for. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorAnswer, type ItemAnswer, type RunItem } from '../../server/jobs/itemRow.ts';
import { AppError } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { answers, begun, expected, finished, items } from './batchProcesses.ts';
import { openJobs } from './jobWorker.ts';

const numberOf = (body: unknown): number => Number((body as { text: string }).text.slice(5));
const answer = (number: number): ItemAnswer => ({
	...{ status: 200, requestId: '' },
	body: { text: `TEXT ${number}`, usage: { prompt_tokens: 1 } },
});

/** Rows of a batch of so many items, which are done by a worker of one shard at a time. */
async function rowsOf(count: number, run: RunItem, during = async () => {}): Promise<string[]> {
	const folder = temporaryFolder('lanes');
	const options = {
		...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), isAlone: false },
		...{ width: 1, leaseMs: 30_000, itemMs: 0 },
	};
	const { service, jobs, id } = await begun(items(count), options);
	const worker = openJobs(options);
	try {
		worker.start(run);
		await during();
		const { end } = await finished(jobs, id);
		return await answers(jobs, end?.outputFileId);
	} finally {
		await worker.close();
		await service.close();
	}
}

test('items of the next shard take the places of those that are done, beside the last one of a shard', async () => {
	const begunItems = new Set<number>();
	let [running, most] = [0, 0];
	let release = () => {};
	const held = new Promise<void>((resolve) => (release = resolve));
	const run: RunItem = async ({ body }) => {
		const number = numberOf(body);
		begunItems.add(number);
		most = Math.max(most, ++running);
		// The last of the first shard, of fifty.
		if (number === 49) await held;
		else await new Promise((resolve) => setImmediate(resolve));
		running--;
		return answer(number);
	};
	const rows = await rowsOf(150, run, async () => {
		// The second shard is all done while the first is not; the third is left to others.
		await until('the next have begun', () => begunItems.size >= 100);
		release();
	});
	assert.deepEqual(rows, expected(150));
	assert.ok(most > 1 && most <= 12, `${most} at a time`);
});

test('an item whose process ended is asked again with nothing beside it, of whatever shard', async () => {
	const asked = new Map<number, number>();
	const beside: number[] = [];
	let running = 0;
	const run: RunItem = async ({ body }) => {
		const number = numberOf(body);
		const times = (asked.get(number) ?? 0) + 1;
		asked.set(number, times);
		running++;
		if (times > 1) beside.push(running - 1);
		for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
		running--;
		// Of three shards, one that ends its process each time, and others that are with it.
		const isLost = number === 45 || (times === 1 && number > 40 && number < 120);
		return isLost ? errorAnswer(new AppError('runner_crashed')) : answer(number);
	};
	const rows = await rowsOf(150, run);
	assert.deepEqual(
		rows,
		expected(150).filter((_, at) => at !== 45),
	);
	assert.deepEqual(
		beside.filter((others) => others > 0),
		[],
	);
	assert.ok(beside.length >= 80);
});
