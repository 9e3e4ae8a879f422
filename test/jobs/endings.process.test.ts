/** How batches end on either queue: in time, too late, cancelled, without their file; and what is refused before they begin. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunItem } from '../../server/jobs/itemRow.ts';
import type { OpenJobs } from '../../server/jobs/jobService.ts';
import { batchVersion, keys } from '../../server/jobs/jobTypes.ts';
import type { NewBatch } from '../../server/jobs/personBatches.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { answers, expected, finished, item, items, openItems, owner } from './batchProcesses.ts';
import { capitals, type JobWorkerOptions, openJobs } from './jobWorker.ts';

let redis: RedisServer | undefined;
before(async () => {
	if (!redisMissing) redis = await RedisServer.start();
});
after(() => redis?.[Symbol.asyncDispose]());

/** Items that begin with `stay` are never done. */
const run: RunItem = async (call, signal) => {
	const { text } = call.body as { readonly text: string };
	if (text.startsWith('stay')) await sleep(1_000_000, undefined, { signal });
	return capitals(1)(call, signal);
};
/** A shard that is soon done, and one that never is. */
const halfDone = [
	...items(50),
	...Array.from({ length: 30 }, (_, at) => item(50 + at, `stay ${at}`)),
];

let database = 0;
for (const queue of ['the embedded queue', 'Redis'] as const) {
	const skip = queue === 'Redis' && redisMissing;
	const newOptions = (): JobWorkerOptions => {
		const folder = temporaryFolder('endings');
		return {
			store: join(folder, 'store'),
			queue: queue === 'Redis' ? `${redis?.url}/${database++}` : join(folder, 'queue.db'),
			isAlone: queue !== 'Redis',
			...{ width: 1, leaseMs: 900, itemMs: 1 },
		};
	};
	const asked = async (jobs: OpenJobs, lines: readonly string[]): Promise<NewBatch> => {
		const file = await jobs.files.add(
			owner.person,
			Readable.from(lines.map((line) => Buffer.from(line))),
			{ filename: 'in.jsonl', purpose: 'batch' },
		);
		return { inputFileId: file.id, endpoint: '/v1/chat/completions', completionWindow: '1h' };
	};
	const textOf = async (jobs: OpenJobs, file: string | undefined): Promise<string> => {
		const parts: Uint8Array[] = [];
		if (file !== undefined)
			for await (const part of await jobs.files.content(owner.person, file)) parts.push(part);
		return Buffer.concat(parts).toString();
	};

	test(`with ${queue}, shards that two workers are given at the same time have one result each`, {
		skip,
	}, async () => {
		const options = { ...newOptions(), isAlone: false };
		// Each has a queue of its own, which has every shard of the same store.
		const services = [options, { ...newOptions(), isAlone: false, store: options.store }].map(
			(each) => openJobs(each, {}, Date.now),
		);
		let runs = 0;
		for (const service of services)
			service.start((call, signal) => {
				runs++;
				// Long enough for the other one to look.
				return capitals(20)(call, signal);
			});
		const [jobs] = await Promise.all(services.map((service) => service.open()));
		assert.ok(jobs);
		const { record } = await jobs.batches.create(owner, await asked(jobs, items(300)));
		const { end } = await finished(jobs, record.id);
		assert.deepEqual(await answers(jobs, end?.outputFileId), expected(300));
		assert.deepEqual(end?.counts, { total: 300, completed: 300, failed: 0 });
		assert.ok(runs > 300, `${runs} items were run: some of them by both`);
		await Promise.all(services.map((service) => service.close()));
	});

	for (const ending of ['expired', 'cancelled', 'failed'] as const)
		test(`with ${queue}, a batch that is ${ending} half done keeps what was done`, {
			skip,
		}, async () => {
			let laterMs = 0;
			const service = openJobs(newOptions(), {}, () => Date.now() + laterMs);
			service.start(run);
			const jobs = await service.open();
			const { record } = await jobs.batches.create(owner, await asked(jobs, halfDone));
			await until('half of it is done', async () => (await openItems(service, record.id)) === 1);
			if (ending === 'expired') laterMs = 2 * 3_600_000;
			else if (ending === 'cancelled') await jobs.batches.cancel(owner.person, record.id);
			else await jobs.files.delete(owner.person, record.inputFileId);
			const { end } = await finished(jobs, record.id);
			assert.equal(end?.status, ending);
			assert.deepEqual(await answers(jobs, end?.outputFileId), expected(50));
			const errors = (await textOf(jobs, end?.errorFileId)).split('\n').filter((row) => row !== '');
			const codes = errors.map((row) => {
				const { custom_id: id, error } = JSON.parse(row);
				return `${id} ${error.code}`;
			});
			assert.deepEqual(
				codes,
				ending === 'expired'
					? Array.from({ length: 30 }, (_, at) => `${50 + at} batch_expired`)
					: [],
			);
			const failed = ending === 'cancelled' ? 0 : 30;
			assert.deepEqual(end?.counts, { total: 80, completed: 50, failed });
			assert.equal(end?.problems?.[0]?.code, ending === 'failed' ? 'file_not_found' : undefined);
			await service.close();
		});

	test(`with ${queue}, what is too much at a time is refused until there is room`, {
		skip,
	}, async () => {
		const service = openJobs(newOptions(), { NEARGLOT_BATCH_OPEN: '1' });
		service.start(run);
		const jobs = await service.open();
		const create = async (lines: readonly string[]) =>
			jobs.batches.create(owner, await asked(jobs, lines));
		const { record } = await create(halfDone);
		await assert.rejects(create(items(3)), { code: 'batch_queue_full' });
		await jobs.batches.cancel(owner.person, record.id);
		await finished(jobs, record.id);
		const next = await create(items(3));
		const { end } = await finished(jobs, next.record.id);
		assert.deepEqual(await answers(jobs, end?.outputFileId), expected(3));
		await service.close();
	});

	test(`with ${queue}, a request that is sent several times at once makes one batch, and bad lines fail alone`, {
		skip,
	}, async () => {
		const service = openJobs(newOptions());
		service.start(run);
		const jobs = await service.open();
		const request = await asked(jobs, [item(0), 'no JSON\n', item(0), item(1)]);
		const made = await Promise.all(
			Array.from({ length: 5 }, () => jobs.batches.create(owner, request, 'a key')),
		);
		assert.equal(new Set(made.map(({ record }) => record.id)).size, 1);
		const { end } = await finished(jobs, made[0]?.record.id ?? '');
		assert.deepEqual(await answers(jobs, end?.outputFileId), expected(2));
		assert.deepEqual(await answers(jobs, end?.errorFileId), [
			'null 400 invalid_json',
			'0 400 invalid_request',
		]);
		await service.close();
	});

	test(`with ${queue}, a batch of a later version is left alone by workers of this one, which do the others`, {
		skip,
	}, async () => {
		const service = openJobs(newOptions());
		service.start(run);
		const jobs = await service.open();
		const { store } = jobs;
		const { record } = await jobs.batches.create(owner, await asked(jobs, items(60)));
		const { id } = record;
		const later = { ...record, version: batchVersion + 1, id: `batch_${'z'.repeat(25)}` };
		await store.put(keys.record(later.id), Buffer.from(JSON.stringify(later)));
		await store.put(keys.openBatch(later.id), Buffer.from(' '));
		const { end: done } = await finished(jobs, id);
		assert.equal(done?.counts.completed, 60);
		const { open } = await jobs.batches.get(owner.person, later.id);
		await until('it is said', async () => open?.problem !== undefined);
		assert.match(open?.problem?.message ?? '', /made by a later version/);
		assert.equal(await store.size(keys.manifest(later.id)), undefined);
		await service.close();
	});
}
