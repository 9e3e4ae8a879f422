/** A hub that answers without end fills no memory. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createHubHttp } from '../../server/hub/http.ts';
import { readRepository } from '../../server/hub/repository.ts';

test('an answer longer than any list of files is given up, in words', async () => {
	let sent = 0;
	const block = Buffer.alloc(1 << 20, ' ');
	const server = createServer((_request, response) => {
		response.on('error', () => {});
		const more = () => {
			while (!response.destroyed && sent < 200) {
				sent++;
				if (!response.write(block)) return void response.once('drain', more);
			}
			response.end('{}');
		};
		more();
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const http = createHubHttp({ endpoint });
	try {
		await assert.rejects(
			readRepository(http, 'acme/tiny', 'main', new AbortController().signal),
			/longer than 32 MB/,
		);
		assert.ok(sent < 100, `${sent} MB were taken`);
	} finally {
		http.close();
		server.closeAllConnections();
		server.close();
	}
});
