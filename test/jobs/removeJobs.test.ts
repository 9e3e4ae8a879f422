/** Batches whose time is over are removed with the answers in them; others stay. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { keys } from '../../server/jobs/jobTypes.ts';
import { jsonContent } from '../../server/jobs/objectStore.ts';
import { sweepBatches } from '../../server/jobs/removeJobs.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('ended batches are removed after their days, unfinished ones never', async () => {
	const root = temporaryFolder('sweep');
	const store = await openFolderStore(root, () => 0);
	const put = async (id: string, endedAt?: number) => {
		await store.put(keys.record(id), jsonContent({ id }));
		await store.put(keys.batchOf('person', id), Buffer.from(' '));
		await store.put(keys.shard({ batch: id, shard: 0 }), Buffer.from('an answer'));
		if (endedAt !== undefined) await store.put(keys.end(id), jsonContent({ at: endedAt }));
	};
	await put('old', 99);
	await put('new', 101);
	await put('open');
	await sweepBatches(store, 100);
	const left: string[] = [];
	for (const prefix of ['batches/', 'batches-of/'])
		for await (const key of store.list(prefix)) left.push(key.split('/').slice(0, 3).join('/'));
	assert.deepEqual([...new Set(left)].sort(), [
		'batches-of/person/new',
		'batches-of/person/open',
		'batches/new/batch.json',
		'batches/new/end.json',
		'batches/new/shards',
		'batches/open/batch.json',
		'batches/open/shards',
	]);
	await store[Symbol.asyncDispose]();
	rmSync(root, { recursive: true, force: true });
});
