/** A form with a file is written to disk as it comes: nothing of it stays in memory until its end. */

import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { Hono } from 'hono';
import type { AppEnv } from '../../server/http/env.ts';
import { readUpload } from '../../server/http/upload.ts';

test('an upload of 256 MB takes the memory of a few pieces', async () => {
	const pieces = 256;
	const piece = new Uint8Array(1_048_576);
	let most = 0;
	let sent = 0;
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			most = Math.max(most, process.memoryUsage().arrayBuffers);
			if (sent === 0)
				controller.enqueue(
					Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'),
				);
			// A copy each time, as a socket gives it.
			if (sent++ < pieces) return controller.enqueue(piece.slice());
			controller.enqueue(Buffer.from('\r\n--x--\r\n'));
			controller.close();
		},
	});
	const app = new Hono<AppEnv>();
	app.post('/', async (context) => {
		context.set('signal', new AbortController().signal);
		context.set('admitted', true);
		await using upload = await readUpload(context, {
			field: 'file',
			limitBytes: 300 * 1_048_576,
			scratch: tmpdir(),
		});
		return context.text(String((await stat(upload.path)).size));
	});
	const before = process.memoryUsage().arrayBuffers;
	const headers = { 'content-type': 'multipart/form-data; boundary=x' };
	const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
	const response = await app.request('/', init);
	assert.equal(await response.text(), String(pieces * piece.length));
	const grown = (most - before) / 1_048_576;
	assert.ok(grown < 160, `${grown.toFixed(0)} MB`);
});
