/** What is refused for want of room leaves nothing behind; what is sent again is the same batch. */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { type BatchRecord, documentEndpoint, keys } from '../../server/jobs/jobTypes.ts';
import { jsonContent, readJsonObject } from '../../server/jobs/objectStore.ts';
import { Batches } from '../../server/jobs/personBatches.ts';
import { StoredFiles } from '../../server/jobs/storedFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const owner = { caller: 'owner', person: 'p' } as const;
const asked = { endpoint: '/v1/embeddings', completionWindow: '1h' } as const;
const content = (text: string) => Readable.from([Buffer.from(text)]);

async function opened(env: NodeJS.ProcessEnv, personBytes = 1e9) {
	const now = Date.now;
	const store = await openFolderStore(temporaryFolder('room'), now);
	const files = new StoredFiles(store, now, { personBytes, personFiles: 100 });
	const limits = jobLimits(env);
	const batches = new Batches({ store, files, limits, now, onChange: () => {} });
	const add = async (text: string) =>
		(await files.add(owner.person, content(text), { filename: 'in', purpose: 'batch' })).id;
	const contents = async (): Promise<string[]> => {
		const found: string[] = [];
		for await (const key of store.list(keys.files)) found.push(key.slice(keys.files.length));
		return found.sort();
	};
	const end = async (id: string, end: object) => {
		await store.put(keys.end(id), jsonContent({ status: 'completed', at: 0, ...end }));
		await store.remove(keys.openBatch(id));
		batches.forget(id);
	};
	return { store, files, batches, add, contents, end };
}

test('requests that are written here are not kept when their batch is refused', async () => {
	const { batches, add, contents, end, files } = await opened({ NEARGLOT_BATCH_OPEN: '4' }, 400);
	const lines = '{"custom_id":"0"}\n{"custom_id":"1"}\n{"custom_id":"2"}\n';
	const done = await batches.create(owner, { ...asked, inputFileId: await add(lines) });
	const errorFileId = await add('{"line":1}\n{"line":3}\n');
	await end(done.record.id, { errorFileId });
	const open = await batches.create(owner, { ...asked, inputFileId: await add('{}\n') });
	const before = await contents();
	const make = (text = '{}') =>
		batches.createOf(owner, content(text), { filename: 'made', bytes: text.length }, asked);
	await assert.rejects(make(), { code: 'batch_queue_full' });
	await assert.rejects(batches.retry(owner, done.record.id), { code: 'batch_queue_full' });
	assert.deepEqual(await contents(), before);
	await end(open.record.id, {});
	await assert.rejects(
		make('x'.repeat(400)),
		{ code: 'payload_too_large' },
		'before it is written',
	);
	await assert.rejects(make('x'.repeat(200)), { code: 'payload_too_large' }, 'with its results');
	assert.deepEqual(await contents(), before);
	const { record } = await batches.retry(owner, done.record.id);
	const { bytes, expiresAt = 0, createdAt } = await files.get(owner.person, record.inputFileId);
	assert.equal(bytes, lines.length - '{"custom_id":"1"}\n'.length);
	assert.equal(expiresAt - createdAt, 3600 + 30 * 86_400, 'as long as what becomes of them');
	assert.deepEqual(record.metadata, { retry_of: done.record.id });
});

test('whoever keeps as much as one person may makes no more batches', async () => {
	const { batches, add } = await opened({}, 100);
	const inputFileId = await add('x'.repeat(60));
	await assert.rejects(batches.create(owner, { ...asked, inputFileId }), {
		code: 'payload_too_large',
		message: /results of batches included/,
	});
});

test('a request that is sent again is the same batch, in whatever order its metadata comes and though its file is gone', async () => {
	const { batches, add, files } = await opened({});
	const inputFileId = await add('{}\n');
	const create = (metadata: Record<string, string>) =>
		batches.create(owner, { ...asked, inputFileId, metadata }, 'key');
	const { record } = await create({ a: '1', b: '2' });
	await files.delete(owner.person, inputFileId);
	assert.equal((await create({ b: '2', a: '1' })).record.id, record.id);
	await assert.rejects(create({ a: '1', b: '3' }), { code: 'conflict' });
	await assert.rejects(create({ a: '1' }), { code: 'conflict' });
});

test('a batch of documents that is tried again has as many translations as had failed', async () => {
	const { batches, add, end, store } = await opened({});
	const inputFileId = await add('{"custom_id":"0"}\n{"custom_id":"1"}\n');
	const metadata = { documents: 'group', translations: '2' };
	const { record } = await batches.create(owner, {
		...{ inputFileId, endpoint: documentEndpoint, completionWindow: '7d', metadata },
	});
	await end(record.id, { errorFileId: await add('{"line":2}\n') });
	const again = await batches.retry(owner, record.id);
	const kept = await readJsonObject<BatchRecord>(store, keys.record(again.record.id));
	assert.deepEqual(kept?.metadata, { ...metadata, translations: '1', retry_of: record.id });
});

test('the same request sent twice at a moment keeps one file of requests, and both are told the same', async () => {
	const { batches, contents, store } = await opened({});
	const put = store.putIfAbsent.bind(store);
	const both = Promise.withResolvers<void>();
	let asking = 0;
	Object.assign(store, {
		putIfAbsent: async (...given: Parameters<typeof put>) => {
			// Neither has found a record of the other.
			if (given[0].endsWith('/batch.json')) {
				if (++asking === 2) both.resolve();
				await both.promise;
			}
			return put(...given);
		},
	});
	const make = () =>
		batches.createOf(owner, content('{}\n'), { filename: 'made', bytes: 3 }, asked, {
			...{ key: 'key', request: 'the same' },
		});
	const [first, second] = await Promise.all([make(), make()]);
	assert.deepEqual(first.record, second.record);
	assert.deepEqual(await contents(), [first.record.inputFileId]);
});
