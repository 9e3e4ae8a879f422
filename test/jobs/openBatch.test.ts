/** What stands in the way of a batch on one machine is said no longer when another gets on with it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { batchVersion } from '../../server/jobs/jobTypes.ts';
import { OpenBatch } from '../../server/jobs/openBatch.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a problem is over when a shard was done since, wherever', async () => {
	await using store = await openFolderStore(temporaryFolder('open'), Date.now);
	const owner = { caller: 'owner', person: 'p' } as const;
	const batch = new OpenBatch(
		{
			...{ version: batchVersion, id: 'b', owner, endpoint: '/v1/embeddings', inputFileId: 'in' },
			...{ completionWindow: '1h', createdAt: 0, expiresAt: 3600 },
		},
		store,
	);
	const problem = { code: 'store_unavailable', message: 'The key is not known here.' };
	batch.problem = problem;
	assert.deepEqual(batch.obstacle, problem);
	batch.done.add(0, { completed: 1, failed: 0 } as Parameters<typeof batch.done.add>[1]);
	assert.equal(batch.obstacle, undefined);
	batch.problem = problem;
	assert.deepEqual(batch.problem, problem);
	batch.problem = undefined;
	assert.equal(batch.problem, undefined);
});
