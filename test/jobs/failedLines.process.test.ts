/** A batch whose file is older than it was to become, and one in which nothing can be tried again. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { Batches } from '../../server/jobs/personBatches.ts';
import { StoredFiles } from '../../server/jobs/storedFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { answers, asked, expected, finished, item, items, owner } from './batchProcesses.ts';
import { capitals, openJobs } from './jobWorker.ts';

test('a file whose time is over before its batch is begun is read all the same', async () => {
	const folder = temporaryFolder('expired');
	const place = join(folder, 'store');
	const store = await openFolderStore(place, Date.now);
	const files = new StoredFiles(store, Date.now);
	const content = Readable.from(items(3).map((line) => Buffer.from(line)));
	const file = await files.add(owner.person, content, {
		...{ filename: 'in', purpose: 'batch', expiresInS: 3600 },
	});
	// The server ends before it looks at what it was asked for.
	const made = new Batches({
		...{ store, files, limits: jobLimits({}), now: Date.now, onChange: () => {} },
	});
	const { record } = await made.create(owner, {
		...{ inputFileId: file.id, endpoint: '/v1/chat/completions', completionWindow: '24h' },
	});
	await store[Symbol.asyncDispose]();
	const later = () => Date.now() + 7_200_000;
	const options = {
		...{ store: place, queue: join(folder, 'queue.db'), leaseMs: 10_000 },
		...{ isAlone: true, width: 1, itemMs: 0 },
	};
	const service = openJobs(options, {}, later);
	service.start(capitals(0));
	const jobs = await service.open();
	const { end } = await finished(jobs, record.id);
	assert.equal(end?.status, 'completed');
	assert.deepEqual(await answers(jobs, end?.outputFileId), expected(3));
	await service.close();
});

test('a batch of which only lines that are too long have failed is not tried again', async () => {
	const folder = temporaryFolder('long');
	const service = openJobs({
		...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), leaseMs: 10_000 },
		...{ isAlone: true, width: 1, itemMs: 0 },
	});
	service.start(capitals(0));
	const jobs = await service.open();
	const id = await asked(jobs, [item(0), item(1, 'x'.repeat(4_200_000))]);
	const { end } = await finished(jobs, id);
	assert.deepEqual(end?.counts, { total: 2, completed: 1, failed: 1 });
	await assert.rejects(jobs.batches.retry(owner, id), { code: 'conflict', message: /too long/ });
	await service.close();
});
