/** A thousand streams at once. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { Harness } from './support/harness.ts';

const count = 1000;

test('a thousand event streams are open at once, each gets every event, and all end', async () => {
	await using h = await Harness.start();
	const token = await h.token();
	const responses: ServerResponse[] = [];
	h.app.handler = (_request, response) => {
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		responses.push(response);
		response.write('data: first\n\n');
	};
	const sockets: Socket[] = [];
	const texts: string[] = Array(count).fill('');
	const reached = (text: string) => texts.filter((got) => got.includes(text)).length;

	let closed = 0;
	for (let index = 0; index < count; index++) {
		const socket = connect(h.gateway.port, '127.0.0.1', () =>
			socket.write(
				`GET /events HTTP/1.1\r\nHost: app.example\r\nX-ZUMO-AUTH: ${token}\r\nConnection: close\r\n\r\n`,
			),
		);
		socket.on('data', (chunk: Buffer) => {
			texts[index] += chunk.toString('latin1');
		});
		socket.on('error', () => {});
		socket.on('close', () => closed++);
		sockets.push(socket);
		if (index % 100 === 99)
			await until('the first events came', () => reached('data: first') === index + 1, 60_000);
	}
	assert.equal(responses.length, count);
	for (const response of responses) response.write('data: second\n\n');
	await until('the second events came', () => reached('data: second') === count, 60_000);
	// Half of the clients leave; the app notices each of them.
	for (const socket of sockets.slice(0, count / 2)) socket.destroy();
	await until(
		'half are aborted',
		() => h.app.seen.filter((seen) => seen.aborted).length === count / 2,
		60_000,
	);
	for (const response of responses) if (!response.destroyed) response.end('data: last\n\n');
	await until('all have ended', () => closed === count, 60_000);
	assert.equal(reached('data: last'), count / 2);
	assert.equal((await h.get('/.auth/healthz')).status, 200);
});
