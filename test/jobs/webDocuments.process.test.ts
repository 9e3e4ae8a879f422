/** Stores that close connections: what is asked once more is so in one place, and the error says why. */

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createProxiedFetch } from '../../server/daemon/proxiedFetch.ts';
import { WebDocuments } from '../../server/jobs/webDocuments.ts';

const got: string[] = [];
let server: Server;
let url: string;
before(async () => {
	server = createServer((request, response) => {
		request.resume().once('end', () => {
			got.push(`${request.method} ${request.url}`);
			if (request.url === '/half') {
				response.writeHead(200, { 'content-length': '9' });
				response.write('half', () => response.destroy());
			} else request.socket.destroy();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

test('a store that closes every connection is asked twice, and no more', async () => {
	const documents = new WebDocuments(createProxiedFetch({}));
	const { signal } = new AbortController();
	await assert.rejects(documents.read(new URL(`${url}/a.md`), 100, signal), {
		code: 'upstream_failed',
		message: /does not answer \(UND_ERR_SOCKET\)/,
	});
	assert.deepEqual(got.splice(0), ['GET /a.md', 'GET /a.md']);
	const bytes = new TextEncoder().encode('text');
	await assert.rejects(documents.write(new URL(`${url}/b.md`), bytes, signal), {
		code: 'upstream_failed',
	});
	assert.deepEqual(got.splice(0), ['PUT /b.md', 'PUT /b.md']);
});

test('a document that breaks off is asked for by its batch again, not here', async () => {
	const documents = new WebDocuments(createProxiedFetch({}));
	await assert.rejects(documents.read(new URL(`${url}/half`), 100, new AbortController().signal), {
		code: 'upstream_failed',
		message: /broke off in the middle of its answer/,
	});
	assert.deepEqual(got.splice(0), ['GET /half']);
});
