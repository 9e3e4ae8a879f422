/** A client that goes while its request is looked at has gone: nothing counts it as under way. */

import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { onClose } from '../../server/net/onClose.ts';
import { gatewaySecret, startTestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const reached = Promise.withResolvers<void>();
const goOn = Promise.withResolvers<void>();
const server = await startTestServer({
	fakeRunner: true,
	listen: {
		gatewaySecrets: async () => {
			reached.resolve();
			await goOn.promise;
			return [gatewaySecret];
		},
	},
});
after(() => server.close());

test('a request whose client is gone before it is let in is not under way for ever', async (context) => {
	const answers: ServerResponse[] = [];
	subscribe('http.server.request.start', (message) => {
		answers.push((message as { response: ServerResponse }).response);
	});
	const { hostname, port } = new URL(server.url);
	const client = connect(Number(port), hostname);
	const headers = Object.entries({ host: `${hostname}:${port}`, ...server.member() });
	const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
	client.write(`GET /v1/models HTTP/1.1\r\n${lines}\r\n`);
	await reached.promise;
	client.destroy();
	await until('the server has seen it go', () => answers[0]?.destroyed === true);
	const begin = context.mock.method(server.backend.activity, 'begin');
	goOn.resolve();
	await until('it has been let in', () => begin.mock.callCount() > 0);
	await until('nothing is under way', () => server.backend.activity.idle(), 20_000);
});

test('the end of what is closed already is told of at once, of all else when it comes, and once', () => {
	const ends: string[] = [];
	const stream = Object.assign(new EventEmitter(), { destroyed: false });
	onClose(stream, () => ends.push('open'));
	assert.equal(ends.length, 0);
	stream.destroyed = true;
	onClose(stream, () => ends.push('closed'));
	stream.emit('close');
	stream.emit('close');
	assert.deepEqual(ends, ['closed', 'open']);
});
