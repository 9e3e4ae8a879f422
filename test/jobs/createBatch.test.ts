/** Batches that a server did not come to make whole: made so by the same request, ended, or not there. */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { keys } from '../../server/jobs/jobTypes.ts';
import { Batches } from '../../server/jobs/personBatches.ts';
import { personFolder, StoredFiles } from '../../server/jobs/storedFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a batch that was half made is made whole by the same Idempotency-Key', async () => {
	const now = Date.now;
	await using store = await openFolderStore(temporaryFolder('create'), now);
	const files = new StoredFiles(store, now);
	const { id: inputFileId } = await files.add('p', Readable.from([Buffer.from('{}\n')]), {
		...{ filename: 'in', purpose: 'batch' },
	});
	let changes = 0;
	const batches = new Batches({
		...{ store, files, limits: jobLimits({}), now, onChange: () => changes++ },
	});
	const create = () =>
		batches.create(
			{ caller: 'owner', person: 'p' },
			{ inputFileId, endpoint: '/v1/embeddings', completionWindow: '1h' },
			'key',
		);
	const { record } = await create();
	const places = [keys.batchOf(personFolder('p'), record.id), keys.openBatch(record.id)];
	// As it lies there when the server was killed after the first of the three was written.
	for (const key of places) await store.remove(key);
	changes = 0;
	assert.deepEqual((await create()).record, record);
	for (const key of places) assert.notEqual(await store.size(key), undefined, key);
	assert.equal(changes, 1, 'whoever keeps batches looks at once');
	await store.put(keys.end(record.id), Buffer.from('{"status":"completed"}'));
	await store.remove(keys.openBatch(record.id));
	await create();
	assert.equal(
		await store.size(keys.openBatch(record.id)),
		undefined,
		'one that has ended stays so',
	);
});

test('a batch that was half made without a key can be cancelled, and one that could not be made is not there', async () => {
	const now = Date.now;
	await using folder = await openFolderStore(temporaryFolder('create'), now);
	let failing = '';
	const store = new Proxy(folder, {
		get: (target, name) =>
			name === 'put'
				? async (key: string, content: Uint8Array) => {
						if (failing !== '' && key.startsWith(failing)) throw new Error('no space');
						await target.put(key, content);
					}
				: Reflect.get(target, name).bind(target),
	});
	const files = new StoredFiles(store, now);
	const { id: inputFileId } = await files.add('p', Readable.from([Buffer.from('{}\n')]), {
		...{ filename: 'in', purpose: 'batch' },
	});
	const batches = new Batches({ store, files, limits: jobLimits({}), now, onChange: () => {} });
	const create = () =>
		batches.create(
			{ caller: 'owner', person: 'p' },
			{ inputFileId, endpoint: '/v1/embeddings', completionWindow: '1h' },
		);
	const { record } = await create();
	// As it lies there when the power was cut before the last was written.
	await store.remove(keys.openBatch(record.id));
	await batches.cancel('p', record.id);
	assert.notEqual(await store.size(keys.openBatch(record.id)), undefined, 'somebody ends it');
	for (failing of ['batches-of/', 'open/']) {
		await assert.rejects(create(), /no space/);
		const { items } = await batches.list('p', { limit: 10, order: 'asc' });
		assert.deepEqual(
			items.map((view) => view.record.id),
			[record.id],
		);
		const left: string[] = [];
		for await (const key of store.list('batches/')) left.push(key.split('/')[1] ?? '');
		assert.deepEqual([...new Set(left)], [record.id], failing);
	}
});
