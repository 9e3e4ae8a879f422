/** The first failed requests, out of a file that may be long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstFailed } from '../../server/protocol/index.ts';

const row = (line: number, message: string) =>
	`${JSON.stringify({ line, custom_id: `${line}`, response: { body: { error: { message } } } })}\n`;

test('all of a short file, and the first of a long one without a row that is cut', async () => {
	assert.deepEqual(await firstFailed(new Response('')), { items: [], hasMore: false });
	assert.deepEqual(
		await firstFailed(new Response(`${row(1, 'ä')}{"line":2,"error":{"message":"b"}}`)),
		{
			items: [
				{ line: 1, customId: '1', message: 'ä' },
				{ line: 2, customId: '', message: 'b' },
			],
			hasMore: false,
		},
	);
	const many = await firstFailed(
		new Response(Array.from({ length: 51 }, (_, at) => row(at, 'x')).join('')),
	);
	assert.equal(many.items.length, 50);
	assert.equal(many.hasMore, true);
	const content = Array.from({ length: 9 }, (_, at) => row(at, 'ö'.repeat(30_000))).join('');
	const long = await firstFailed(new Response(inChunks(Buffer.from(content), 9_999)));
	assert.equal(long.items.length, 6);
	assert.equal(long.items[5]?.message.length, 30_000);
	assert.equal(long.hasMore, true);
});

function inChunks(
	bytes: Uint8Array<ArrayBuffer>,
	size: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
	let at = 0;
	return new ReadableStream({
		pull: (controller) => {
			controller.enqueue(bytes.slice(at, at + size));
			at += size;
			if (at >= bytes.length) controller.close();
		},
	});
}
