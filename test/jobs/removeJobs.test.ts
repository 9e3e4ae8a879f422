/** What is removed of a person who is forgotten: all that was made until then, however slow the store is. */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { keys } from '../../server/jobs/jobTypes.ts';
import { jsonContent, type ObjectStore } from '../../server/jobs/objectStore.ts';
import { Batches } from '../../server/jobs/personBatches.ts';
import { cancelJobs, forgetJobs } from '../../server/jobs/removeJobs.ts';
import { StoredFiles } from '../../server/jobs/storedFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const never = new AbortController().signal;

async function jobs() {
	const at = { ms: Date.UTC(2027, 0, 4) };
	const now = () => at.ms;
	const store = await openFolderStore(temporaryFolder('forgotten'), now);
	const files = new StoredFiles(store, now);
	const batches = new Batches({
		...{ store, files, limits: jobLimits({}), now, onChange: () => {} },
	});
	const make = async (idempotencyKey?: string) => {
		const { id: inputFileId } = await files.add('anna', Readable.from([Buffer.from('{}\n')]), {
			...{ filename: 'in', purpose: 'batch' },
		});
		const asked = { inputFileId, endpoint: '/v1/embeddings', completionWindow: '24h' } as const;
		const { record } = await batches.create(
			{ caller: 'member', person: 'anna' },
			asked,
			idempotencyKey,
		);
		return { id: record.id, inputFileId };
	};
	const end = async (id: string, status: string) => {
		await store.put(keys.end(id), jsonContent({ status, at: Math.floor(at.ms / 1000) }));
		await store.remove(keys.openBatch(id));
	};
	return { at, now, store, files, batches, make, end };
}

test('an order to forget somebody that is carried out later leaves what they have made since', async () => {
	const { at, store, files, batches, make, end } = await jobs();
	await using _ = store;
	const before = await make('first');
	await end(before.id, 'completed');
	const until = at.ms;
	at.ms += 86_400_000;
	const since = await make('second');
	const done = await forgetJobs('anna', { store, batches }, never, until);
	assert.deepEqual(done, { batches: 1, files: 1 });
	await assert.rejects(batches.get('anna', before.id), { code: 'not_found' });
	await assert.rejects(files.get('anna', before.inputFileId), { code: 'not_found' });
	assert.equal((await batches.get('anna', since.id)).record.id, since.id);
	assert.equal(await store.size(keys.cancel(since.id)), undefined, 'what is under way goes on');
	assert.equal((await files.get('anna', since.inputFileId)).id, since.inputFileId);
	const asked = { inputFileId: since.inputFileId, endpoint: '/v1/embeddings' } as const;
	const again = await batches.create(
		{ caller: 'member', person: 'anna' },
		{ ...asked, completionWindow: '24h' },
		'second',
	);
	assert.equal(again.record.id, since.id, 'its key of idempotency holds');
	assert.deepEqual(
		await forgetJobs('anna', { store, batches, timeoutMs: 0 }, never).catch(({ code }) => code),
		'conflict',
		'without a time all goes, once it has ended',
	);
});

test('who has hundreds of ended batches in a slow store is forgotten within some calls', async () => {
	const { store: folder, batches, make, end } = await jobs();
	await using _ = folder;
	const made: string[] = [];
	for (let count = 0; count < 6; count++) made.push((await make()).id);
	for (const id of made) await end(id, 'completed');
	/** The time of a call is over after so many looks at the store. */
	let left = 0;
	let over = new AbortController();
	const slow = new Proxy(folder, {
		get: (target, name) => {
			const value = Reflect.get(target, name);
			if (typeof value !== 'function') return value;
			return (...given: unknown[]) => {
				if (left-- <= 0) over.abort();
				return value.apply(target, given);
			};
		},
	}) as ObjectStore;
	let [calls, isDone] = [0, false];
	for (; !isDone && calls < 20; calls++) {
		over = new AbortController();
		left = 12;
		isDone = await forgetJobs('anna', { store: slow, batches }, over.signal).then(
			() => true,
			() => false,
		);
	}
	assert.ok(isDone, 'each call gets further than the one before');
});

test('ending work looks at the batches that are under way, and not at those that have ended long ago', async () => {
	const { at, now, store, batches, make, end } = await jobs();
	await using _ = store;
	const old = await make();
	await end(old.id, 'completed');
	at.ms += 3 * 86_400_000;
	const open = await make();
	const unsaid = await make();
	await store.remove(keys.openBatch(unsaid.id));
	const looked: string[] = [];
	const watched = {
		cancel: (person: string, id: string) => {
			looked.push(id);
			return batches.cancel(person, id);
		},
		get: batches.get.bind(batches),
	} as Batches;
	assert.equal(await cancelJobs('anna', { store, now, batches: watched }, never), 2);
	assert.deepEqual(looked, [open.id, unsaid.id]);
});
