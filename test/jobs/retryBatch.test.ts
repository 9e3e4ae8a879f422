/** What of an ended batch is tried again. */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { maxLineBytes } from '../../server/jobs/batchManifest.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { lineOfRow, rowOf, rowWithLine, unrunRow } from '../../server/jobs/itemRow.ts';
import { type BatchEnd, keys } from '../../server/jobs/jobTypes.ts';
import { jsonContent } from '../../server/jobs/objectStore.ts';
import { Batches } from '../../server/jobs/personBatches.ts';
import { StoredFiles } from '../../server/jobs/storedFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const owner = { caller: 'owner', person: 'p' } as const;
const row = (line: number, status: number) =>
	rowOf('b', line, `${line}`, { status, requestId: '', body: { line: 99 } });

/** A batch of such lines that has ended in such a way. */
async function ended(
	lines: readonly string[],
	end: Pick<BatchEnd, 'status' | 'problems'>,
	rows: { readonly done: readonly number[]; readonly failed: readonly number[] },
) {
	const now = Date.now;
	const store = await openFolderStore(temporaryFolder('retry'), now);
	const files = new StoredFiles(store, now);
	const batches = new Batches({ store, files, limits: jobLimits({}), now, onChange: () => {} });
	const add = async (texts: readonly string[], purpose = 'batch_output') => {
		const content = Readable.from(texts.map((text) => Buffer.from(text)));
		return (await files.add(owner.person, content, { filename: 'f', purpose })).id;
	};
	const { record } = await batches.create(owner, {
		inputFileId: await add(lines, 'batch'),
		...{ endpoint: '/v1/embeddings', completionWindow: '1h' },
	});
	const { done, failed } = rows;
	await store.put(
		keys.end(record.id),
		jsonContent({
			...{ ...end, at: 1, usage: { input: 0, output: 0 } },
			counts: { total: lines.length, completed: done.length, failed: failed.length },
			...(done.length > 0 && { outputFileId: await add(done.map((line) => row(line, 200))) }),
			...(failed.length > 0 && { errorFileId: await add(failed.map((line) => row(line, 500))) }),
		}),
	);
	await store.remove(keys.openBatch(record.id));
	return async (): Promise<string> => {
		const again = await batches.retry(owner, record.id);
		assert.equal(again.record.metadata?.['retry_of'], record.id);
		const parts: Uint8Array[] = [];
		for await (const part of await files.content(owner.person, again.record.inputFileId))
			parts.push(part);
		return Buffer.concat(parts).toString();
	};
}

const lines = ['a\n', 'b\n', '\n', 'c\n', 'd\n', 'e\n'];

test('what a cancelled batch did not come to is tried again with what has failed', async () => {
	const retry = await ended(lines, { status: 'cancelled' }, { done: [1, 4], failed: [3] });
	assert.equal(await retry(), 'a\nc\ne\n');
	const none = await ended(lines, { status: 'cancelled' }, { done: [], failed: [] });
	assert.equal(await none(), 'a\nb\nc\nd\ne\n', 'one that was cancelled at once');
});

test('of a batch that came to its end only what has failed is tried again', async () => {
	const retry = await ended(lines, { status: 'completed' }, { done: [0, 1, 4], failed: [3, 5] });
	assert.equal(await retry(), 'c\ne\n');
	const expired = await ended(lines, { status: 'expired' }, { done: [0], failed: [1, 3, 4, 5] });
	assert.equal(await expired(), 'b\nc\nd\ne\n');
});

test('a batch of which nothing is left is not tried again, and says why', async () => {
	for (const status of ['completed', 'cancelled'] as const) {
		const whole = await ended(['a\n', 'b\n'], { status }, { done: [0, 1], failed: [] });
		await assert.rejects(whole(), { code: 'conflict', message: /Nothing of this batch/ });
	}
	const problems = [{ code: 'empty_file', message: 'The file holds no request.' }];
	const failed = await ended(['a\n'], { status: 'failed', problems }, { done: [], failed: [] });
	await assert.rejects(failed(), { code: 'conflict', message: /as a whole/ });
	const long = `${'x'.repeat(maxLineBytes + 1)}\n`;
	const tooLong = await ended(['a\n', long], { status: 'completed' }, { done: [0], failed: [1] });
	await assert.rejects(tooLong(), { code: 'conflict', message: /too long/ });
});

test('a row says at its end which line it is of, and all else of it stays when it is another one', () => {
	const texts = [row(6, 200), unrunRow('b', 6, 'x"line":3}', { code: 'c', message: '"line":4}' })];
	for (const text of texts) {
		const bytes = Buffer.from(text.trimEnd());
		assert.equal(lineOfRow(bytes), 6);
		const moved = rowWithLine(bytes, 123_455).toString();
		assert.equal(moved, text.trimEnd().replace(/"line":7\}$/, '"line":123456}'));
		assert.equal(lineOfRow(Buffer.from(moved)), 123_455);
	}
});
