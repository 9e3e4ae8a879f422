/** Whoever has the port or the pipe of a daemon that has ended gets no key, and learns nothing that opens anything. */

import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connectTo } from '../../server/daemon/daemonConnection.ts';
import { healthOf } from '../../server/daemon/daemonFetch.ts';
import { isProof, newChallenge, proofOf } from '../../server/daemon/daemonProof.ts';
import { openPipe, type PipeServer } from '../../server/daemon/pipe.ts';
import type { EndpointFile } from '../../server/protocol/index.ts';
import { listModels } from '../../server/protocol/routeAddresses.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { joinPipe } from './pipeClient.ts';

const secret = 'secret-of-the-test-server';
const key = 'key-of-the-test-server';
const windows = process.platform === 'win32';

let server: TestServer;
let pipe: PipeServer;
const path = windows
	? `\\\\.\\pipe\\nearglot-test-${newChallenge()}`
	: join(temporaryFolder('pipe'), 'p.sock');
before(async () => {
	server = await startTestServer({ fakeRunner: true });
	pipe = await openPipe({
		path,
		secret,
		version: '1.2.3',
		onJoin: () => {},
		onLeave: () => {},
	});
});
after(async () => {
	await pipe.close();
	await server.close();
});

/** Another program on the port; keeps all bytes it is sent. */
async function squatter(answer: RequestListener) {
	let heard = '';
	const http: Server = createHttpServer((request, response) => answer(request, response)).on(
		'connection',
		(socket) => socket.on('data', (bytes: Buffer) => (heard += bytes)),
	);
	await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
	const endpoint: EndpointFile = {
		pid: process.pid,
		url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
		key,
		secret,
		version: '1.2.3',
		startedAt: '',
	};
	return {
		endpoint,
		heard: () => heard,
		[Symbol.asyncDispose]: async () => void (await new Promise((done) => http.close(done))),
	};
}

const json =
	(body: unknown, status = 200): RequestListener =>
	(_request, response) =>
		void response
			.writeHead(status, { 'content-type': 'application/json' })
			.end(JSON.stringify(body));

test('a proof holds for one side, one challenge and one secret', () => {
	const given = proofOf('s', 'server', 'c');
	assert.ok(isProof(given, 's', 'server', 'c'));
	assert.ok(!isProof(given, 's', 'client', 'c'), 'what one side said is said back');
	assert.ok(!isProof(given, 's', 'server', 'd'));
	assert.ok(!isProof(given, 't', 'server', 'c'));
	for (const wrong of ['', 'x', `${given}=`, undefined, 7, {}])
		assert.ok(!isProof(wrong, 's', 'server', 'c'), String(wrong));
	assert.ok(!isProof(proofOf('', 'server', 'c'), '', 'server', 'c'), 'no secret proves nothing');
});

test('the daemon of the file is asked with its key', async () => {
	const endpoint = {
		...{ pid: process.pid, url: server.url, key, secret },
		...{ version: '1.2.3', startedAt: '' },
	};
	assert.equal((await healthOf(endpoint))?.version, '1.2.3');
	assert.ok((await connectTo(endpoint).call(listModels, {})).data.length > 0);
	assert.equal(await healthOf({ ...endpoint, secret: 'of another start' }), undefined);
	assert.equal(await healthOf({ ...endpoint, secret: '' }), undefined);
});

test('another program on its port is told no key, whatever it answers', async () => {
	const answers: RequestListener[] = [
		json({ proof: 'none' }),
		json({ proof: proofOf('guessed', 'server', 'c') }),
		json({ pid: process.pid, status: 'ok' }),
		json({ error: { code: 'invalid_api_key', message: 'Show the key.' } }, 401),
		json([], 500),
		(_request, response) => void response.end('<html>'),
		(request, response) =>
			void response.writeHead(307, { location: `${server.url}${request.url}` }).end(),
		// It asks the daemon, which has ended and come again with another secret.
		async (request, response) =>
			void response.end(await (await fetch(`${server.url}${request.url}`)).text()),
	];
	for (const [index, answer] of answers.entries()) {
		await using other = await squatter(answer);
		const isRelay = index === answers.length - 1;
		const endpoint = isRelay ? { ...other.endpoint, secret: 'of its last start' } : other.endpoint;
		assert.equal(await healthOf(endpoint), undefined);
		await assert.rejects(connectTo(endpoint).call(listModels, {}), { code: 'daemon_unavailable' });
		assert.match(other.heard(), /GET \/nearglot\/proof\?challenge=/);
		assert.doesNotMatch(other.heard(), new RegExp(`${key}|${secret}|authorization`, 'i'));
	}
});

test('on the pipe both sides prove themselves, and neither says the key', async () => {
	const joined = await joinPipe(path, secret, () => {});
	assert.equal(pipe.clients, 1);
	joined.close();
	await joined.closed;
	await assert.rejects(
		joinPipe(path, 'wrong', () => {}),
		{ code: 'daemon_unavailable' },
	);
});

test('another program that has taken the name of the pipe hears a challenge and nothing else', async () => {
	let heard = '';
	const name = windows ? `${path}-taken` : join(temporaryFolder('squat'), 'p.sock');
	const other = createServer((socket) => {
		// It passes all on to the daemon of another secret, and back.
		const daemon = connect(path);
		for (const each of [socket, daemon]) each.on('error', () => {});
		socket.on('data', (bytes: Buffer) => {
			heard += bytes;
			daemon.write(bytes);
		});
		daemon.on('data', (bytes: Buffer) => socket.write(bytes));
		socket.on('close', () => daemon.destroy());
	});
	await new Promise<void>((resolve) => other.listen(name, resolve));
	await assert.rejects(
		joinPipe(name, 'of the last start', () => {}),
		{ code: 'daemon_unavailable' },
	);
	assert.match(heard, /"method":"prove","params":\{"challenge":"[\w-]{32}"\}/);
	assert.doesNotMatch(heard, /authenticate|of the last start/);
	await new Promise((done) => other.close(done));
});
