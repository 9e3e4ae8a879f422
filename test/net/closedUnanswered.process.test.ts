/** Connections that are closed before a byte of an answer: what may be asked twice is, once, by everybody who asks. */

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { createProxiedFetch } from '../../server/daemon/proxiedFetch.ts';
import { retryingFetch } from '../../server/net/closedUnanswered.ts';
import type { Fetch } from '../../server/net/outbound.ts';

const got: string[] = [];
/** How many requests are closed unanswered from now on. */
let closing = 0;
let server: Server;
let url: string;
before(async () => {
	server = createServer((request, response) => {
		request.resume().once('end', () => {
			got.push(`${request.method} ${request.url}`);
			if (request.url === '/half') {
				response.writeHead(200, { 'content-length': '9' });
				response.write('half', () => response.destroy());
			} else if (closing > 0) {
				closing--;
				request.socket.destroy();
			} else response.end('answer');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
	server.close();
	server.closeAllConnections();
});
beforeEach(() => {
	got.length = 0;
	closing = 0;
});

const both: readonly [string, Fetch][] = [
	['to other machines', createProxiedFetch({})],
	['of Node', retryingFetch as Fetch],
];

for (const [what, ask] of both)
	test(`a connection that is closed unanswered is asked for once more (${what})`, async () => {
		for (const method of ['GET', 'PUT', 'DELETE']) {
			got.length = 0;
			// One that is kept open, and is closed as it is used again.
			await (await ask(`${url}/warm`)).text();
			closing = 1;
			const body = method === 'PUT' ? { body: 'text' } : {};
			const answer = await ask(`${url}/again`, { method, ...body });
			assert.equal(await answer.text(), 'answer');
			assert.deepEqual(got, ['GET /warm', `${method} /again`, `${method} /again`]);
		}
		got.length = 0;
		closing = 9;
		await assert.rejects(ask(`${url}/gone`));
		assert.deepEqual(got, ['GET /gone', 'GET /gone'], 'and not again and again');
		got.length = 0;
		closing = 1;
		await assert.rejects(ask(`${url}/change`, { method: 'POST', body: 'text' }));
		assert.deepEqual(got, ['POST /change'], 'what may have been done is not done twice');
		got.length = 0;
		const half = await ask(`${url}/half`);
		await assert.rejects(half.text());
		assert.deepEqual(got, ['GET /half'], 'nor what has begun to come');
	});

test('a POST that computes and changes nothing is asked for once more', async () => {
	const ask = createProxiedFetch({});
	const form = new FormData();
	form.set('file', new Blob(['sound']), 'a.wav');
	for (const body of ['{}', form]) {
		got.length = 0;
		closing = 1;
		const answer = await ask(`${url}/chat`, { method: 'POST', body, computes: true });
		assert.equal(await answer.text(), 'answer');
		assert.deepEqual(got, ['POST /chat', 'POST /chat']);
	}
});
