/** Connections that are closed before a byte of an answer: what may be asked twice is, once, by everybody who asks. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { proofOf } from '../../server/daemon/daemonProof.ts';
import { provenFetch } from '../../server/daemon/provenFetch.ts';
import { createProxiedFetch } from '../../server/daemon/proxiedFetch.ts';
import { Upstream } from '../../server/gateway/proxy/upstream.ts';
import { retryingFetch } from '../../server/net/closedUnanswered.ts';
import type { Fetch } from '../../server/net/outbound.ts';

const secret = 'secret of the daemon';
const got: string[] = [];
/** How many requests are closed unanswered from now on. */
let closing = 0;
let server: Server;
let url: string;
before(async () => {
	server = createServer((request, response) => {
		request.resume().once('end', () => {
			const at = new URL(request.url ?? '', 'http://server');
			got.push(`${request.method} ${at.pathname}`);
			const challenge = at.searchParams.get('challenge');
			if (challenge !== null) {
				response.setHeader('content-type', 'application/json');
				response.end(JSON.stringify({ proof: proofOf(secret, 'server', challenge) }));
			} else if (request.url === '/half') {
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

test('a daemon proves itself anew before it is sent once more what may be sent twice', async () => {
	const endpoint = { url, secret, key: 'key', pid: 1, version: '1', startedAt: '' };
	const send = (method: string) =>
		provenFetch(endpoint, new URL('/health', url), { method, headers: { 'x-key': 'key' } });
	closing = 1;
	assert.equal(await (await send('GET')).text(), 'answer');
	assert.deepEqual(got, [
		'GET /nearglot/proof',
		'GET /health',
		'GET /nearglot/proof',
		'GET /health',
	]);
	got.length = 0;
	closing = 1;
	await assert.rejects(send('POST'));
	assert.deepEqual(got, ['POST /health']);
});

test('the gateway keeps connections to the app for less time than the app or a balancer does', async () => {
	using upstream = new Upstream(url);
	const call = upstream.open({
		...{ method: 'GET', target: '/kept', single: false },
		headers: ['host', upstream.host],
	});
	call.end();
	const [answer] = (await once(call, 'response')) as [IncomingMessage];
	const { socket } = answer;
	await answer.resume().toArray();
	await new Promise(setImmediate);
	assert.ok(!socket.destroyed && Number(socket.timeout) > 0 && Number(socket.timeout) < 10_000);
});
