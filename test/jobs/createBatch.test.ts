/** A request for a batch that is sent again after the server ended while it wrote the first. */

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
