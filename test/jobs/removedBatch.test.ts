/** A batch that is removed while somebody reads how it stands. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { keys } from '../../server/jobs/jobTypes.ts';
import { jsonContent } from '../../server/jobs/objectStore.ts';
import { Batches } from '../../server/jobs/personBatches.ts';
import { personFolder, StoredFiles, timedId } from '../../server/jobs/storedFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a batch that is removed between two reads is not there, and nobody asks for it without an end', async () => {
	const store = await openFolderStore(temporaryFolder('removed'), Date.now);
	const id = timedId('batch_', Date.now());
	const make = async () => {
		await store.put(keys.record(id), jsonContent({ id, owner: { person: 'p' } }));
		await store.put(keys.batchOf(personFolder('p'), id), Buffer.from(' '));
	};
	const read = store.read.bind(store);
	let reads = 0;
	store.read = async function* (...given) {
		if (given[0] === keys.end(id)) {
			assert.ok(++reads < 100, 'it is read without an end');
			await store.remove(keys.record(id));
		}
		yield* read(...given);
	};
	const batches = new Batches({
		...{ store, files: new StoredFiles(store, Date.now), limits: jobLimits({}), now: Date.now },
		onChange: () => {},
	});
	await make();
	await assert.rejects(batches.get('p', id), { code: 'not_found' });
	await make();
	const { items } = await batches.list('p', { limit: 10, order: 'desc' });
	assert.deepEqual(items, []);
});
