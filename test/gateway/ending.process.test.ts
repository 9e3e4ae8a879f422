/** How the layer ends, and how it rids itself of connections that hold on to it for nothing. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
	Agent,
	request as httpRequest,
	type IncomingMessage,
	type RequestOptions,
} from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { bodyWindowMs, minBodyBytesPerS } from '../../server/net/slowBody.ts';
import { until } from '../support/until.ts';
import { Harness, type Json } from './support/harness.ts';
import { exchangeBytes, parseAnswer, rawUpgrade } from './support/rawHttp.ts';

const open = { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } };
const startOpen = (own: Json = {}, upstream?: string) =>
	Harness.start({
		config: { ...open, 'x-gateway': own },
		...(upstream === undefined ? {} : { upstream }),
	});

async function get(h: Harness, path: string, more: RequestOptions = {}): Promise<IncomingMessage> {
	const headers = { Host: 'app.example' };
	const call = httpRequest({ port: h.gateway.port, host: '127.0.0.1', path, headers, ...more });
	call.end();
	const [answer] = (await once(call, 'response')) as [IncomingMessage];
	return answer;
}

async function textOf(answer: IncomingMessage): Promise<string> {
	let text = '';
	for await (const chunk of answer) text += String(chunk);
	return text;
}

const events = { 'Content-Type': 'text/event-stream' };

test('a layer that ends is alive and not ready, and answers what still comes with the end of the connection', async () => {
	await using h = await startOpen();
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	const ready = await get(h, '/.auth/readyz', { agent });
	assert.equal(ready.statusCode, 200);
	assert.deepEqual(JSON.parse(await textOf(ready)), {
		status: 'ready',
		store: 'ok',
		keys: 'ok',
		upstream: 'ok',
	});
	const closing = h.gateway.close();
	const last = await get(h, '/x', { agent });
	assert.equal(last.statusCode, 200, 'the kept connection gets one more answer');
	assert.equal(last.headers.connection, 'close');
	await textOf(last);
	const notReady = await get(h, '/.auth/readyz', { agent });
	assert.equal(notReady.statusCode, 503, 'the port is open for those who ask');
	assert.deepEqual(JSON.parse(await textOf(notReady)), {
		status: 'ending',
		store: 'ok',
		keys: 'ok',
		upstream: 'ok',
	});
	const alive = await get(h, '/.auth/healthz', { agent });
	assert.equal(alive.statusCode, 200);
	assert.deepEqual(JSON.parse(await textOf(alive)), { status: 'ok', store: 'ok' });
	agent.destroy();
	await closing;
});

test('streams that outlive the time end after a whole event with one that says why', async () => {
	await using h = await startOpen();
	let over = () => {};
	h.app.handler = (_request, response) => {
		response.writeHead(200, events).write('data: whole\n\n');
		response.write('data: half');
		over = () => {
			void h.gateway.close(0);
			response.write(' and half\n\n');
		};
	};
	const answer = await get(h, '/events');
	answer.once('data', () => over());
	const text = await textOf(answer);
	const [first, second, last, rest] = text.split('\n\n');
	assert.deepEqual([first, second, rest], ['data: whole', 'data: half and half', '']);
	const { error } = JSON.parse((last ?? '').replace('data: ', '')) as { error: Json };
	assert.equal(error['code'], 'daemon_unavailable');
	assert.match(String(error['message']), /is ending/);
});

test('what the app has not begun to answer is told to come again', async () => {
	await using h = await startOpen();
	h.app.handler = () => void h.gateway.close(0);
	const answer = await get(h, '/slow');
	assert.equal(answer.statusCode, 503);
	assert.equal(answer.headers['retry-after'], '2');
	assert.equal((JSON.parse(await textOf(answer)) as Json)['code'], 'server_ending');
});

/** Writes pieces of a body until an answer comes. */
async function trickle(
	h: Harness,
	piece: string,
	everyMs: number,
	pieces: number,
): Promise<string> {
	const socket = connect(h.gateway.port, '127.0.0.1');
	const length = piece.length * pieces;
	socket.write(`POST /u HTTP/1.1\r\nHost: app.example\r\nContent-Length: ${length}\r\n\r\n`);
	let sent = 0;
	const timer = setInterval(() => {
		if (sent++ < pieces) socket.write(piece);
	}, everyMs);
	const [answer] = (await once(socket, 'data')) as [Buffer];
	clearInterval(timer);
	socket.destroy();
	return answer.toString('latin1');
}

test('an upload of a byte now and then is ended; one that is slow and goes on is not', async () => {
	await using h = await startOpen({ uploadIdleSeconds: 1 });
	const refused = parseAnswer(Buffer.from(await trickle(h, 'x', 100, 1000)));
	assert.equal(refused.status, 408);
	assert.equal((refused.json() as Json)['code'], 'upload_timeout');
	assert.match(await trickle(h, 'x'.repeat(minBodyBytesPerS), 250, 10), /^HTTP\/1\.1 200/);
	assert.ok(bodyWindowMs <= 30_000);
});

test('a client is not blamed for an app that does not take its upload', async () => {
	await using h = await startOpen({ uploadIdleSeconds: 1 });
	let take = () => {};
	h.app.handler = (request, response) => {
		take = () => request.resume().on('end', () => response.end('taken'));
		setTimeout(take, 3000);
	};
	const body = 'x'.repeat(8_000_000);
	const answer = await exchangeBytes(
		h.gateway.port,
		`POST /u HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
	);
	assert.match(answer.toString('latin1'), /^HTTP\/1\.1 200[\s\S]*taken/);
});

test('a tunnel whose client has gone ends though the app keeps its half, and the other way round', async () => {
	const halves = new Set<Socket>();
	const app = createServer({ allowHalfOpen: true }, (socket) => {
		halves.add(socket);
		socket.on('error', () => {});
		socket.on('close', () => halves.delete(socket));
		socket.on('data', (text) => {
			if (String(text).includes('Upgrade'))
				socket.write(
					'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
				);
			else socket.end();
		});
	});
	await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
	const { port } = app.address() as { port: number };
	await using h = await startOpen({ adminPort: 0 }, `http://127.0.0.1:${port}`);
	const untilNoneIsOpen = () =>
		until('no stream is open', async () =>
			/open_streams 0/.test(await (await fetch(`${h.gateway.adminUrl}/metrics`)).text()),
		);
	const gone = await rawUpgrade(h.gateway.port, { target: '/ws' });
	assert.equal(gone.answer.status, 101);
	gone.socket.resume().end();
	await untilNoneIsOpen();

	const kept = await rawUpgrade(h.gateway.port, { target: '/ws' });
	kept.socket.allowHalfOpen = true;
	kept.socket.resume();
	kept.socket.write('end your half');
	await untilNoneIsOpen();
	kept.socket.destroy();
	for (const half of halves) half.destroy();
	app.close();
});
