/** Files cut into shards: every line in exactly one, whatever the chunks in which it is read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeManifest, Unreadable } from '../../server/jobs/batchManifest.ts';
import { fileLines } from '../../server/jobs/lines.ts';

const limits = { lines: 1000, bytes: 1_000_000 };
const endpoint = '/v1/chat/completions';

async function* chunksOf(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const item = (id: string, model = 'a') =>
	JSON.stringify({ custom_id: id, body: { model, text: 'ä'.repeat(id.length) } });

test('shards lie one after the other and hold every line once, in chunks of any size', async () => {
	const lines = Array.from(
		{ length: 333 },
		(_, id) => `${item(`${id}`)}${id % 7 === 0 ? '\r' : ''}`,
	);
	const file = Buffer.from(`\uFEFF${lines.join('\n')}\n\n  \n`);
	const whole = await makeManifest(chunksOf(file, file.length), endpoint, limits, 1);
	assert.equal(whole.total, 333);
	assert.ok(whole.shards.length >= 6);
	for (const size of [1, 7, 64, 1000]) {
		const cut = await makeManifest(chunksOf(file, size), endpoint, limits, 1);
		assert.deepEqual(cut, whole, `chunks of ${size} bytes`);
	}
	const found: string[] = [];
	for (const { start, end, firstLine, items } of whole.shards) {
		let own = 0;
		const content = chunksOf(file.subarray(start, end), 11);
		for await (const { bytes, number } of fileLines(content, 10_000, {
			byte: start,
			line: firstLine,
		})) {
			assert.equal(number, found.length);
			found.push(
				JSON.parse((bytes ?? Buffer.alloc(0)).toString('utf8').replace('\uFEFF', '')).custom_id,
			);
			own++;
		}
		assert.equal(own, items);
	}
	assert.deepEqual(
		found,
		lines.map((_, id) => `${id}`),
	);
});

test('a custom_id that an earlier shard has is marked where it comes again', async () => {
	const lines = [...Array.from({ length: 120 }, (_, id) => item(`${id}`)), item('3'), item('new')];
	const { shards } = await makeManifest(
		chunksOf(Buffer.from(lines.join('\n')), 99),
		endpoint,
		limits,
		1,
	);
	assert.deepEqual(
		shards.map(({ doubled = [] }) => doubled.length),
		[0, 0, 1],
	);
	assert.deepEqual(shards[2]?.doubled, [20]);
});

test('another model begins another shard, once there is enough of the one before', async () => {
	const lines = [...Array(10).keys()].map((id) => item(`${id}`, id < 9 ? 'a' : 'b'));
	const { shards } = await makeManifest(
		chunksOf(Buffer.from(lines.join('\n')), 99),
		endpoint,
		limits,
		1,
	);
	assert.deepEqual(
		shards.map(({ items }) => items),
		[9, 1],
	);
});

test('a line that is too long is one row; a file that is empty, too large or no list is refused', async () => {
	const long = Buffer.from(`${item('a')}\n${'x'.repeat(100)}\n${item('b')}`);
	const sizes: (number | undefined)[] = [];
	for await (const { bytes } of fileLines(chunksOf(long, 13), 60)) sizes.push(bytes?.length);
	assert.deepEqual(
		sizes.map((size) => size === undefined),
		[false, true, false],
	);
	const refused = (text: string, most = limits) =>
		assert.rejects(makeManifest(chunksOf(Buffer.from(text), 50), endpoint, most, 1), Unreadable);
	await refused('');
	await refused('\n \n');
	await refused('not\njson');
	await refused(`${item('a')}\n${item('b')}`, { lines: 1, bytes: 1000 });
	await refused(`${item('a')}\n${item('b')}`, { lines: 10, bytes: 50 });
});

test('few bytes that ask for many vectors are cut by those', async () => {
	const many = JSON.stringify({ custom_id: 'a', body: { input: Array(1000).fill('a') } });
	const lines = Array.from({ length: 10 }, () => many);
	const content = chunksOf(Buffer.from(lines.join('\n')), 999);
	const { shards } = await makeManifest(content, '/v1/embeddings', limits, 1);
	assert.deepEqual(
		shards.map(({ items }) => items),
		[4, 4, 2],
	);
});
