/** The end of a batch beside what goes on meanwhile, and one batch beside others. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createActivity } from '../../server/daemon/activity.ts';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { DoneShards, doneOf } from '../../server/jobs/doneShards.ts';
import { expired, finishBatch } from '../../server/jobs/finishBatch.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { JobService, type OpenJobs } from '../../server/jobs/jobService.ts';
import {
	type BatchEnd,
	type BatchRecord,
	batchVersion,
	keys,
	type ShardHead,
} from '../../server/jobs/jobTypes.ts';
import {
	jsonContent,
	type ObjectStore,
	readJsonObject,
	readObject,
} from '../../server/jobs/objectStore.ts';
import { removeBatch } from '../../server/jobs/removeBatch.ts';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { personFolder, StoredFiles } from '../../server/jobs/storedFiles.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { item, items, owner } from './batchProcesses.ts';
import { capitals } from './jobWorker.ts';

const lines = [item(0), item(1)];
const head: ShardHead = {
	...{ version: batchVersion, completed: 1, failed: 0 },
	...{ okBytes: 8, input: 1, output: 1 },
};

/** A batch of two parts with a line each, the first of them done. */
async function halfDone(store: ObjectStore) {
	const files = new StoredFiles(store, Date.now);
	const { id: inputFileId } = await files.add(
		owner.person,
		Readable.from(lines.map((line) => Buffer.from(line))),
		{ filename: 'in.jsonl', purpose: 'batch' },
	);
	const id = `batch_${'a'.repeat(25)}`;
	const record: BatchRecord = {
		...{ version: batchVersion, id, owner, endpoint: '/v1/chat/completions', inputFileId },
		...{ completionWindow: '1h', createdAt: 0, expiresAt: 1 },
	};
	const sizes = lines.map((line) => Buffer.byteLength(line));
	const manifest = {
		...{ at: 0, total: 2 },
		shards: [
			{ number: 0, start: 0, end: sizes[0] ?? 0, firstLine: 0, items: 1 },
			{ number: 1, start: sizes[0] ?? 0, end: (sizes[0] ?? 0) * 2, firstLine: 1, items: 1 },
		],
	};
	const write = (shard: number, content = `{"at":${shard}}\n`) =>
		store.put(
			keys.shard({ batch: id, shard }),
			Buffer.from(`${JSON.stringify({ ...head, okBytes: content.length })}\n${content}`),
		);
	await write(0);
	await store.put(keys.record(id), jsonContent(record));
	const done = new DoneShards(store, id);
	return { record, manifest, done, files, write };
}

test('a part that is done while the batch is brought to its end has its rows once', async () => {
	await using store = await openFolderStore(temporaryFolder('finish'), Date.now);
	const { record, manifest, done, files, write } = await halfDone(store);
	// It comes when what is done was counted, and before any row was written.
	const put = store.put.bind(store);
	store.put = async (key, content) => {
		await put(key, content);
		if (!key.startsWith(keys.begunFiles(record.id))) return;
		await write(1);
		done.add(1, doneOf({ ...head, okBytes: 9 }));
	};
	const deps = { store, files, now: () => 10, keepS: 60 };
	await finishBatch(record, manifest, { done, cancelledAt: undefined }, 'expired', deps, expired);
	const end = await readJsonObject<BatchEnd>(store, keys.end(record.id));
	assert.deepEqual(end?.counts, { total: 2, completed: 1, failed: 1 });
	const rows = async (file: string | undefined) =>
		String(await readObject(store, keys.fileContent(file ?? '')))
			.trim()
			.split('\n');
	assert.deepEqual(await rows(end?.outputFileId), ['{"at":0}']);
	assert.deepEqual(
		(await rows(end?.errorFileId)).map((row) => JSON.parse(row).custom_id),
		['1'],
	);
});

test('an end of which the second file cannot be written leaves no first one behind', async () => {
	await using store = await openFolderStore(temporaryFolder('finish'), Date.now);
	const { record, manifest, done, files } = await halfDone(store);
	let written = 0;
	const deps = {
		...{ store, files, now: () => 10, keepS: 60 },
		reached: () => {
			if (++written === 2) throw new Error('The disk is full.');
		},
	};
	const state = { done, cancelledAt: undefined };
	await assert.rejects(finishBatch(record, manifest, state, 'expired', deps, expired), /full/);
	const contents: string[] = [];
	for await (const key of store.list(keys.files)) contents.push(key);
	assert.deepEqual(contents, [keys.fileContent(record.inputFileId)]);
	await finishBatch(record, manifest, state, 'expired', deps, expired);
	assert.equal((await readJsonObject<BatchEnd>(store, keys.end(record.id)))?.status, 'expired');
});

/** A service whose store waits wherever it is told to. */
function serviceIn(folder: string, waits: (key: string) => Promise<void> | undefined): JobService {
	return new JobService({
		openStore: async () => {
			const store = await openFolderStore(join(folder, 'store'), Date.now);
			const read = store.read.bind(store);
			store.read = async function* (key, start, end) {
				await waits(key);
				yield* read(key, start, end);
			};
			return store;
		},
		openQueue: async () => openSqliteQueue(join(folder, 'queue.db'), { now: Date.now }),
		...{ mayHaveWork: () => true, isShared: false, limits: jobLimits({}) },
		...{ log: silentLogger, now: Date.now, width: 1, leaseMs: 60_000, tickMs: 20 },
		scratch: join(folder, 'tmp'),
		activity: createActivity(),
	});
}

test('a batch that is long to cut, or to join, holds up nobody’s', async () => {
	let slow = '';
	const release = Promise.withResolvers<void>();
	const service = serviceIn(temporaryFolder('manager'), (key) =>
		slow !== '' && key === keys.fileContent(slow) ? release.promise : undefined,
	);
	service.start(capitals(0));
	const { files, batches } = await service.open();
	const begin = async () => {
		const content = Readable.from(items(3).map((line) => Buffer.from(line)));
		const { id } = await files.add('p', content, { filename: 'in', purpose: 'batch' });
		slow ||= id;
		return (
			await batches.create(
				{ caller: 'owner', person: 'p' },
				{ inputFileId: id, endpoint: '/v1/chat/completions', completionWindow: '1h' },
			)
		).record.id;
	};
	const first = await begin();
	const second = await begin();
	const endOf = async (id: string) => (await batches.get('p', id)).end;
	await until('the second has ended', async () => (await endOf(second)) !== undefined);
	assert.equal(await endOf(first), undefined);
	release.resolve();
	await until('the first has ended', async () => (await endOf(first)) !== undefined);
	await service.close();
});

test('a batch that was told to go on though it did not rest hears that it is cancelled', async () => {
	const service = serviceIn(temporaryFolder('manager'), () => undefined);
	let ended = 0;
	let begun = 0;
	service.start(async (_, signal) => {
		begun++;
		await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
		ended++;
		throw signal.reason;
	});
	const jobs = await service.open();
	const content = Readable.from(items(1).map((line) => Buffer.from(line)));
	const { id } = await jobs.files.add('local', content, { filename: 'in', purpose: 'batch' });
	const { record } = await jobs.batches.create(owner, {
		...{ inputFileId: id, endpoint: '/v1/chat/completions', completionWindow: '1h' },
	});
	await until('it runs', () => begun === 1);
	await jobs.batches.pause('local', record.id, false);
	await jobs.batches.cancel('local', record.id);
	// Its lease, which is taken away as well, lasts for much longer.
	await until('its item has ended', () => ended === 1, 5000);
	await service.close();
});

const addBatch = async ({ files, batches }: OpenJobs, count: number): Promise<string> => {
	const content = Readable.from(items(count).map((line) => Buffer.from(line)));
	const { id } = await files.add('local', content, { filename: 'in', purpose: 'batch' });
	const { record } = await batches.create(owner, {
		...{ inputFileId: id, endpoint: '/v1/chat/completions', completionWindow: '1h' },
	});
	return record.id;
};

test('many batches that are long to join hold up nobody’s beginning', async () => {
	const release = Promise.withResolvers<void>();
	const slow = new Set<string>();
	const service = serviceIn(temporaryFolder('manager'), (key) =>
		slow.has(key.split('/')[1] ?? '') && key.includes('/shards/') ? release.promise : undefined,
	);
	const goOn = Promise.withResolvers<void>();
	let isHeld = false;
	let begun = 0;
	service.start(async (call, signal) => {
		await goOn.promise;
		if (!isHeld) return capitals(0)(call, signal);
		begun++;
		await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
		throw signal.reason;
	});
	const jobs = await service.open();
	// More than there are steps at a time.
	for (let at = 0; at < 20; at++) slow.add(await addBatch(jobs, 1));
	goOn.resolve();
	const view = (id: string) => jobs.batches.get('local', id);
	await until('all are done', async () => {
		const views = await Promise.all([...slow].map(view));
		return views.every(({ open }) => open?.isDone);
	});
	// Nor does one of many parts that is cancelled, and waits for its turn to be joined.
	isHeld = true;
	const cancelled = await addBatch(jobs, 2000);
	await until('it runs', () => begun > 0);
	await jobs.batches.cancel('local', cancelled);
	isHeld = false;
	const other = await addBatch(jobs, 3);
	await until('the other one is done', async () => (await view(other)).open?.isDone === true);
	release.resolve();
	await until('all have ended', async () => {
		const views = await Promise.all([...slow, cancelled, other].map(view));
		return views.every(({ end }) => end !== undefined);
	});
	await service.close();
});

test('a server that ends does not wait until a batch is joined, and the next one joins it', async () => {
	const folder = temporaryFolder('manager');
	let reads = 0;
	const begin = async (): Promise<JobService> => {
		const service = serviceIn(folder, (key) => {
			if (!key.includes('/shards/')) return undefined;
			reads++;
			return sleep(20);
		});
		service.start(capitals(0));
		return service;
	};
	const first = await begin();
	// Forty parts.
	const id = await addBatch(await first.open(), 2000);
	await until('it is being joined', () => reads > 2);
	await first.close();
	assert.ok(reads < 20, `${reads} of 40 were read`);
	const second = await begin();
	const jobs = await second.open();
	await until(
		'it has ended',
		async () => (await jobs.batches.get('local', id)).end !== undefined,
		30_000,
	);
	const contents: string[] = [];
	for await (const key of jobs.store.list(keys.files)) contents.push(key);
	assert.equal(contents.length, 2, 'its requests and its output');
	await second.close();
});

for (const moment of ['its files are written', 'its end is written'] as const)
	test(`nothing stays of a batch whose person is forgotten when ${moment}`, async () => {
		await using store = await openFolderStore(temporaryFolder('finish'), Date.now);
		const { record, manifest, done, files } = await halfDone(store);
		const put = store.putIfAbsent.bind(store);
		const size = store.size.bind(store);
		let isWritten = false;
		store.size = async (key) => {
			if (isWritten && key === keys.record(record.id)) {
				isWritten = false;
				await removeBatch(store, personFolder(owner.person), record.id);
			}
			return await size(key);
		};
		store.putIfAbsent = async (key, content) => {
			const isFirst = await put(key, content);
			if (key === keys.end(record.id) && moment === 'its end is written') isWritten = true;
			return isFirst;
		};
		await finishBatch(record, manifest, { done, cancelledAt: 1 }, 'cancelled', {
			...{ store, files, keepS: 1000, now: () => Math.floor(Date.now() / 1000) },
			reached: () => {
				isWritten = moment === 'its files are written';
			},
		});
		const left: string[] = [];
		for await (const key of store.list('')) left.push(key);
		assert.deepEqual(
			left.filter((key) => !key.includes(record.inputFileId)),
			[],
		);
	});
