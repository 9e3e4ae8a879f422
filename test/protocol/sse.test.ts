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

test('an event without an end is not collected without end', async () => {
	for (const line of ['data: ', 'data', 'event: ', 'id: ']) {
		let sent = 0;
		let isLeft = false;
		async function* endless() {
			try {
				yield new TextEncoder().encode(`data: first\n\n${line}`);
				for (; sent < 1000; sent++) yield new Uint8Array(1000).fill(120);
			} finally {
				isLeft = true;
			}
		}
		const events: unknown[] = [];
		const reading = (async () => {
			for await (const event of readEvents(endless(), 20_000)) events.push(event);
		})();
		if (line === 'data') await reading;
		else await assert.rejects(reading, { code: 'upstream_failed', message: /20000 characters/ });
		assert.deepEqual(events, [{ event: 'message', data: 'first' }]);
		assert.ok(isLeft);
		assert.ok(line === 'data' || sent <= 21, `${line}: ${sent}`);
	}
});
