/** Which server, path and method a request names, however it is written. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rawCall } from '../gateway/support/rawHttp.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
let host: string;
let port: number;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
	({ host } = new URL(server.url));
	port = Number(new URL(server.url).port);
});
after(() => server.close());

const codeOf = (answer: { json(): unknown }) =>
	(answer.json() as { error: { code: string; message: string } }).error;

test('a whole address counts with its host, which is the one of the header', async () => {
	const own = await rawCall(port, { target: `http://${host}/v1/models?a=1`, host });
	assert.equal(own.status, 200);
	assert.ok('data' in (own.json() as object));
	const root = await rawCall(port, { target: `http://${host}`, host });
	assert.equal(root.status, 200);
	for (const target of [
		'http://evil.example/v1/models',
		`http://evil.example:${port}/v1/models`,
		'http://localhost/v1/models',
		`http://somebody@${host}/v1/models`,
		'https:///v1/models',
	]) {
		const answer = await rawCall(port, { target, host });
		assert.equal(answer.status, 400, target);
		assert.equal(codeOf(answer).code, 'invalid_request', target);
	}
	const both = { target: 'http://evil.example/v1/models', host: 'evil.example' };
	assert.equal((await rawCall(port, both)).status, 403);
});

test('what is no path, or for no server, is refused in the form of every error', async () => {
	for (const call of [
		{ target: '*', host },
		{ method: 'OPTIONS', target: '*', host },
		{ target: '/v1/models', host: '' },
		{ target: '/v1/models', host: 'a b' },
		{ target: 'ftp://127.0.0.1/v1/models', host },
	]) {
		const answer = await rawCall(port, call);
		assert.equal(answer.status, 400, JSON.stringify(call));
		assert.equal(codeOf(answer).code, 'invalid_request', JSON.stringify(call));
		assert.match(answer.header('content-type') ?? '', /^application\/json/);
	}
});

test('HEAD does nothing where GET changes something', async () => {
	const loaded = async () => (await fetch(`${server.url}/openai/loadedmodels`)).json();
	const before = await loaded();
	for (const path of [
		'/openai/unloadall',
		'/openai/load/some-model',
		'/models/load/some-model',
		'/openai/unload/some-model',
		'/models/unload/some-model',
		'/openai/setgpudevice/0',
	]) {
		const answer = await fetch(server.url + path, { method: 'HEAD', headers: server.keyed });
		assert.equal(answer.status, 405, path);
	}
	assert.deepEqual(await loaded(), before);
	const list = await fetch(`${server.url}/v1/models`, { method: 'HEAD' });
	assert.equal(list.status, 200);
});

test('a method that an address does not take is 405 for whoever may use another there', async () => {
	const owner = async (method: string, path: string) => {
		const answer = await fetch(server.url + path, { method, headers: server.keyed });
		return `${answer.status} ${answer.headers.get('allow')}`;
	};
	assert.equal(await owner('DELETE', '/v1/models/some:1'), '405 GET');
	assert.equal(await owner('PUT', '/v1/chat/completions'), '405 POST');
	assert.equal(await owner('GET', '/mcp'), '405 POST');
	assert.equal(await owner('GET', '/nearglot/shutdown'), '405 POST');
	assert.equal(await owner('GET', '/no/such/route'), '404 null');
	const member = async (method: string, path: string) =>
		(await fetch(server.url + path, { method, headers: server.member() })).status;
	assert.equal(await member('DELETE', '/v1/models/some:1'), 405);
	for (const path of ['/mcp', '/nearglot/shutdown', '/recorder/state', '/no/such/route'])
		assert.equal(await member('GET', path), 404, path);
	for (const path of ['/openai/unloadall', '/v1/models', '/no/such/route'])
		assert.equal(await member('OPTIONS', path), 405, path);
});
