/** Reading server-sent events from bytes that are cut anywhere. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from '../../server/protocol/sse.ts';

const stream =
	': hello\r\n\r\ndata: {"a":1}\n\nevent: end\rdata: ü\r\rdata:x\ndata: y\n\ndata: lost';
const expected = [
	{ event: 'message', data: '{"a":1}' },
	{ event: 'end', data: 'ü' },
	{ event: 'message', data: 'x\ny' },
];

async function read(chunks: Uint8Array[]) {
	const events = [];
	async function* body() {
		yield* chunks;
	}
	for await (const event of readEvents(body())) events.push(event);
	return events;
}

test('events are the same however the bytes are cut', async () => {
	const bytes = new TextEncoder().encode(stream);
	for (let size = 1; size <= bytes.length; size++) {
		const chunks = [];
		for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
		assert.deepEqual(await read(chunks), expected, `chunks of ${size}`);
	}
});
