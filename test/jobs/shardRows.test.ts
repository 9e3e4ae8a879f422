/** Rows of a shard: in the order of its lines, however they come and however many they are, and nothing left behind. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { errorAnswer, type ItemAnswer } from '../../server/jobs/itemRow.ts';
import { ShardRows } from '../../server/jobs/shardRows.ts';
import { AppError } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const mega = 1_048_576;

async function bytesOf(rows: ShardRows): Promise<Buffer> {
	const content = rows.content();
	if (content instanceof Uint8Array) return Buffer.from(content);
	const parts: Uint8Array[] = [];
	for await (const part of content) parts.push(part);
	return Buffer.concat(parts);
}

for (const size of [10, 3 * mega])
	test(`rows of ${size} characters that come in any order are written in that of their lines`, async () => {
		const scratch = temporaryFolder('scratch');
		const rows = new ShardRows('batch_a', scratch);
		const answer = (line: number): ItemAnswer =>
			line % 3 === 1
				? errorAnswer(new AppError('overloaded'))
				: { status: 200, requestId: '', body: { text: `${line}`.padEnd(size, 'ä') } };
		await Promise.all([5, 2, 0, 4, 1, 3].map((line) => rows.add(line, `${line}`, answer(line))));
		await rows.add(2, '2', answer(0));
		assert.equal(readdirSync(scratch).length, size === 10 ? 0 : 1, 'a file for many');
		const content = await bytesOf(rows);
		const head = rows.head();
		const from = content.indexOf('\n') + 1;
		assert.deepEqual(JSON.parse(String(content.subarray(0, from))), head);
		const ids = (part: Buffer) =>
			String(part)
				.split('\n')
				.filter((line) => line !== '')
				.map((line) => JSON.parse(line).custom_id);
		assert.deepEqual(ids(content.subarray(from, from + head.okBytes)), ['0', '2', '3', '5']);
		assert.deepEqual(ids(content.subarray(from + head.okBytes)), ['1', '4']);
		assert.deepEqual([head.completed, head.failed], [4, 2]);
		await rows[Symbol.asyncDispose]();
		assert.deepEqual(readdirSync(scratch), []);
	});

test('an answer that cannot be written becomes a row that says so', async () => {
	await using rows = new ShardRows('batch_a', temporaryFolder('scratch'));
	const body: { self?: unknown } = {};
	body.self = body;
	await rows.add(0, 'a', { status: 200, requestId: '', body });
	assert.match(String(await bytesOf(rows)), /"custom_id":"a".*longer than a row can be/);
	assert.equal(rows.head().failed, 1);
});
