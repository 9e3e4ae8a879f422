/** What is kept no longer goes: parts of ended batches first, then the batches with their keys; what runs stays. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { keys } from '../../server/jobs/jobTypes.ts';
import { jsonContent } from '../../server/jobs/objectStore.ts';
import { sweepOld } from '../../server/jobs/oldBatches.ts';
import { personFolder, StoredFiles, timedId, timeOfId } from '../../server/jobs/storedFiles.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const day = 86_400_000;

test('ended batches lose their parts after a day, and are gone after the days they are kept', async () => {
	const began = Date.UTC(2026, 0, 1);
	let at = began;
	const now = () => at;
	await using store = await openFolderStore(temporaryFolder('old'), now);
	const files = new StoredFiles(store, now);
	const id = timedId('batch_', began);
	const running = timedId('batch_', began);
	assert.equal(timeOfId(id), began);
	const input = await files.add('p', Readable.from([Buffer.from('lines')]), {
		...{ filename: 'in', purpose: 'batch', expiresInS: 30 * 86_400 },
	});
	await store.put(keys.openBatch(running), Buffer.from(' '));
	for (const batch of [id, running]) {
		await store.put(
			keys.record(batch),
			jsonContent({ id: batch, inputFileId: batch === running ? input.id : 'file-gone' }),
		);
		await store.put(keys.batchOf('p', batch), Buffer.from(' '));
		await store.put(keys.shard({ batch, shard: 0 }), Buffer.from('rows'));
	}
	await store.put(keys.again('p', 'hash'), jsonContent({ id, request: 'r' }));
	await store.put(keys.end(id), jsonContent({ status: 'completed', at: began / 1000 }));
	const file = await files.add('p', Readable.from([Buffer.from('rows')]), {
		...{ filename: 'out', purpose: 'batch_output', expiresInS: 30 * 86_400 },
	});
	const sweep = (days: number): Promise<void> => {
		at = began + days * day;
		return sweepOld({ store, files, keepDays: 30, now, log: silentLogger });
	};
	const has = async (key: string) => (await store.size(key)) !== undefined;
	await sweep(0.5);
	assert.ok(await has(keys.shard({ batch: id, shard: 0 })), 'those who are late still find it');
	await sweep(2);
	assert.ok(!(await has(keys.shard({ batch: id, shard: 0 }))));
	assert.ok((await has(keys.record(id))) && (await has(keys.fileContent(file.id))));
	await sweep(31);
	for (const key of [
		...[keys.record(id), keys.end(id), keys.batchOf('p', id), keys.again('p', 'hash')],
		...[keys.fileContent(file.id), keys.file('p', file.id)],
	])
		assert.ok(!(await has(key)), key);
	assert.ok(await has(keys.shard({ batch: running, shard: 0 })), 'what has not ended stays whole');
	assert.ok(await has(keys.fileContent(input.id)), 'and so does what it reads');
});

test('content whose writer ended before it said whose it is goes after a day; what is being uploaded stays', async () => {
	const began = Date.UTC(2026, 0, 1);
	let at = began;
	const now = () => at;
	await using store = await openFolderStore(temporaryFolder('old'), now);
	const files = new StoredFiles(store, now);
	const kept = await files.add('p', Readable.from([Buffer.from('lines')]), {
		...{ filename: 'in', purpose: 'user_data' },
	});
	const lost = timedId('file-', began);
	const young = timedId('file-', began + 1.5 * day);
	// A translation has had its id since its batch began, and is being written.
	const late = timedId('file-', began);
	for (const id of [lost, young, late]) await store.put(keys.fileContent(id), Buffer.from('lines'));
	at = began + 2 * day;
	// Between the two looks.
	const settle = () =>
		store.put(keys.file(personFolder('p'), late), jsonContent({ id: late, bytes: 5 }));
	await sweepOld({ store, files, keepDays: 30, now, log: silentLogger, settle });
	const left: string[] = [];
	for await (const key of store.list(keys.files)) left.push(key.slice(keys.files.length));
	assert.deepEqual(left.sort(), [kept.id, young, late].sort());
});

test('a batch that is whole but for the word that there is work goes on; what is left of one that was removed goes', async () => {
	const began = Date.UTC(2026, 0, 1);
	let at = began;
	const now = () => at;
	await using store = await openFolderStore(temporaryFolder('old'), now);
	const files = new StoredFiles(store, now);
	const [half, left, ended] = [0, 1, 2].map(() => timedId('batch_', began)) as [
		string,
		string,
		string,
	];
	for (const id of [half, left, ended]) await store.put(keys.batchOf('p', id), Buffer.from(' '));
	for (const id of [half, ended]) await store.put(keys.record(id), jsonContent({ id }));
	await store.put(keys.manifest(left), Buffer.from('lines'));
	await store.put(keys.end(ended), jsonContent({ status: 'completed', at: began / 1000 }));
	let opened = 0;
	const deps = { store, files, keepDays: 30, now, log: silentLogger, onOpen: () => opened++ };
	const has = async (key: string) => (await store.size(key)) !== undefined;
	at = began + 1000;
	await sweepOld(deps);
	assert.ok(await has(keys.openBatch(half)));
	assert.ok(!(await has(keys.openBatch(ended))));
	assert.ok(await has(keys.manifest(left)), 'somebody may be making it');
	at = began + 2 * day;
	await sweepOld(deps);
	assert.equal(opened, 1);
	for (const key of [keys.manifest(left), keys.batchOf('p', left)])
		assert.ok(!(await has(key)), key);
});

test('what lies in the folder of a batch that nobody has goes after a day; what is being made stays', async () => {
	const began = Date.UTC(2026, 0, 1);
	let at = began;
	const now = () => at;
	await using store = await openFolderStore(temporaryFolder('old'), now);
	const files = new StoredFiles(store, now);
	const [lost, again, running] = [0, 1, 2].map(() => timedId('batch_', began)) as [
		string,
		string,
		string,
	];
	const young = timedId('batch_', began + 1.5 * day);
	// A part that came when its batch had been removed, and whoever brought it was killed.
	for (const id of [lost, again, running, young])
		await store.put(keys.shard({ batch: id, shard: 0 }), Buffer.from('rows'));
	await store.put(keys.begunFile(lost, 'file-x'), Buffer.from(' '));
	await store.put(keys.openBatch(running), Buffer.from(' '));
	at = began + 2 * day;
	// Between the two looks.
	const settle = () => store.put(keys.batchOf('p', again), Buffer.from(' '));
	await sweepOld({ store, files, keepDays: 30, now, log: silentLogger, settle });
	const left = new Set<string>();
	for await (const key of store.list(keys.folders)) left.add(key.split('/')[1] ?? '');
	assert.deepEqual([...left].sort(), [again, running, young].sort());
});

test('folders in which nothing has been for a day go, and a part that comes late finds its place', async () => {
	const root = temporaryFolder('old');
	let at = Date.now();
	const now = () => at;
	const [sweeping, late] = [await openFolderStore(root, now), await openFolderStore(root, now)];
	const key = keys.shard({ batch: 'batch_a', shard: 0 });
	await late.put(key, Buffer.from('rows'));
	await late.remove(key);
	await sweeping.put(keys.record('batch_b'), Buffer.from('{}'));
	const tidied = async () => {
		await sweeping.tidy?.(keys.folders);
		return (await readdir(join(root, 'batches'), { recursive: true })).sort();
	};
	assert.deepEqual(await tidied(), [
		...['batch_a', 'batch_a/shards', 'batch_b', 'batch_b/batch.json'].map((path) => join(path)),
	]);
	at += 1.5 * day;
	// The outer folder has changed with the inner one.
	assert.deepEqual(await tidied(), ['batch_b', join('batch_b', 'batch.json')]);
	assert.equal(await late.putIfAbsent(key, Buffer.from('rows')), true);
	assert.equal(await sweeping.size(key), 4);
	await late.put(keys.suspects({ batch: 'batch_a', shard: 1 }) + '1.0', Buffer.from(' '));
});

test('a sweep reads each record once, and ends when it is told to', async () => {
	const began = Date.UTC(2026, 0, 1);
	const now = () => began;
	await using store = await openFolderStore(temporaryFolder('old'), now);
	for (let at = 0; at < 5; at++)
		await new StoredFiles(store, now).add('p', Readable.from([Buffer.from('lines')]), {
			...{ filename: 'in', purpose: 'user_data' },
		});
	let reads = 0;
	const stop = new AbortController();
	const counted = new Proxy(store, {
		get: (target, name) =>
			name === 'read'
				? (key: string) => {
						reads++;
						if (reads === 7) stop.abort();
						return target.read(key);
					}
				: Reflect.get(target, name).bind(target),
	});
	const files = new StoredFiles(counted, now);
	const deps = { store: counted, files, keepDays: 30, now, log: silentLogger };
	await sweepOld(deps);
	await sweepOld(deps);
	assert.equal(reads, 5);
	const other = { ...deps, files: new StoredFiles(counted, now) };
	await assert.rejects(sweepOld(other, stop.signal), { name: 'AbortError' });
	assert.equal(reads, 7);
});

test('what is left of a batch stays when the request that did not make it comes again', async () => {
	const began = Date.UTC(2026, 0, 1);
	await using store = await openFolderStore(temporaryFolder('old'), () => began);
	const id = timedId('batch_', began);
	await store.put(keys.batchOf('p', id), Buffer.from(' '));
	let looks = 0;
	const meanwhile = new Proxy(store, {
		get: (target, name) =>
			name === 'size'
				? async (key: string) => {
						const size = await target.size(key);
						if (key === keys.record(id) && looks++ === 0) {
							await target.put(keys.record(id), jsonContent({ id }));
							await target.put(keys.openBatch(id), Buffer.from(' '));
						}
						return size;
					}
				: Reflect.get(target, name).bind(target),
	});
	const now = () => began + 2 * day;
	const files = new StoredFiles(meanwhile, now);
	await sweepOld({ store: meanwhile, files, keepDays: 30, now, log: silentLogger });
	for (const key of [keys.record(id), keys.openBatch(id), keys.batchOf('p', id)])
		assert.notEqual(await store.size(key), undefined, key);
});
