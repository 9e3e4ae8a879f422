/** Workers that are killed at every point, frozen and started again: every line of a batch has one row, the same as undisturbed. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { needsFreezing, needsSignals } from '../support/systemNeeds.ts';
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
import { type JobWorkerOptions, openJobs } from './jobWorker.ts';

const optionsIn = (folder: string): JobWorkerOptions => ({
	store: join(folder, 'store'),
	queue: join(folder, 'queue.db'),
	...{ isAlone: false, width: 1, leaseMs: 900, itemMs: 1 },
});

for (const point of ['leased', 'item', 'written', 'committed', 'completed'])
	test(`a worker killed where a shard is ${point} loses and doubles nothing`, async () => {
		const options = optionsIn(temporaryFolder('jobs'));
		const { service, jobs, id } = await begun(items(200), options);
		const killed = work({ ...options, fault: { point, times: 2 } });
		await once(killed, 'exit');
		if (!needsSignals) assert.equal(killed.signalCode, 'SIGKILL');
		const second = work(options);
		const { end: done } = await finished(jobs, id);
		assert.equal(done?.status, 'completed');
		assert.deepEqual(await answers(jobs, done?.outputFileId), expected(200));
		await end(second);
		await service.close();
	});

test(
	'a worker frozen for longer than its lease comes back too late, and its result is refused',
	{
		skip: needsFreezing,
	},
	() => lateWorker(optionsIn(temporaryFolder('jobs'))),
);

test('an item that ends its worker is found and given up; all others are done', async () => {
	const options = { ...optionsIn(temporaryFolder('jobs')), leaseMs: 300, itemMs: 0 };
	const lines = items(120).map((line, id) => (id === 70 ? item(id, 'poison') : line));
	const { service, jobs, id } = await begun(lines, options);
	let child = work(options);
	let deaths = 0;
	child.once('exit', again);
	function again(): void {
		deaths++;
		child = work(options);
		child.once('exit', again);
	}
	const { end: done } = await finished(jobs, id);
	child.off('exit', again);
	assert.deepEqual(done?.counts, { total: 120, completed: 119, failed: 1 });
	assert.deepEqual(await answers(jobs, done?.errorFileId), ['70 503 runner_crashed']);
	assert.ok(deaths <= 6, `${deaths} deaths`);
	await end(child);
	await service.close();
});

test('a queue that was lost is made again from the store, and nothing finished is run again', async () => {
	const folder = temporaryFolder('jobs');
	const options = { ...optionsIn(folder), itemMs: 5 };
	const { service, jobs, id } = await begun(items(300), options);
	const first = work(options);
	await until('some of it is done', async () => (await openItems(service, id)) >= 2);
	await end(first);
	await service.close();
	const before = await openedAgain({ ...options, queue: join(folder, 'another.db') });
	const size = before.done;
	const second = work({ ...options, queue: join(folder, 'another.db') });
	const { end: done } = await finished(before.jobs, id);
	assert.ok(size >= 2);
	assert.deepEqual(await answers(before.jobs, done?.outputFileId), expected(300));
	await end(second);
	await before.service.close();

	async function openedAgain(again: JobWorkerOptions) {
		const next = openJobs({ ...again, width: 0 });
		const opened = await next.open();
		return { service: next, jobs: opened, done: await openItems(next, id) };
	}
	void jobs;
});

test('a server killed at twenty moments gives what an undisturbed one gives', async () => {
	const options = { ...optionsIn(temporaryFolder('jobs')), isAlone: true, itemMs: 2 };
	const { service, jobs, id } = await begun(items(1500), options);
	// From here on the server alone has the queue.
	await until(
		'it is cut',
		async () => (await jobs.batches.get(owner.person, id)).open?.manifest !== undefined,
	);
	await service.close();
	let seed = 7;
	const random = () => {
		seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
		return seed / 2 ** 31;
	};
	const reader = openJobs({ ...options, queue: `${options.queue}.unused`, width: 0 });
	const seen = await reader.open();
	for (let kills = 0; kills < 20; kills++) {
		const child = work(options);
		await sleep(150 + random() * 250);
		await end(child);
	}
	const last = work(options);
	const { end: done } = await finished(seen, id);
	assert.deepEqual(await answers(seen, done?.outputFileId), expected(1500));
	await end(last);
	await reader.close();
});
