import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createProxiedFetch } from '../../server/daemon/proxiedFetch.ts';

const seen: { method: string; url: string; type: string; body: string }[] = [];
const proxied: string[] = [];

async function textOf(request: IncomingMessage): Promise<string> {
	let text = '';
	for await (const chunk of request) text += String(chunk);
	return text;
}

const service = createServer(async (request, response) => {
	const { method = '', url = '' } = request;
	seen.push({
		method,
		url,
		type: request.headers['content-type'] ?? '',
		body: await textOf(request),
	});
	if (url === '/empty') response.writeHead(204).end();
	else response.writeHead(418, { 'x-mark': 'yes' }).end('teapot');
});
const proxy = createServer(async (request, response) => {
	proxied.push(request.url ?? '');
	const body = await textOf(request);
	const onward = httpRequest(
		request.url ?? '',
		{ method: request.method, headers: request.headers },
		(answer) => {
			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		},
	);
	onward.end(body);
});
const address = (server: typeof service) =>
	`http://127.0.0.1:${(server.address() as AddressInfo).port}`;

before(async () => {
	for (const server of [service, proxy])
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(() => {
	for (const server of [service, proxy]) {
		server.close();
		server.closeAllConnections();
	}
});

test('requests and answers are those of fetch, with and without a proxy', async () => {
	for (const env of [{}, { NEARGLOT_PROXY: address(proxy) }]) {
		const ask = createProxiedFetch(env);
		const answer = await ask(`${address(service)}/form`, {
			method: 'POST',
			headers: new Headers({ 'x-own': '1' }),
			body: new URLSearchParams({ grant_type: 'client_credentials' }),
		});
		assert.ok(answer instanceof Response);
		assert.equal(answer.status, 418);
		assert.equal(answer.headers.get('x-mark'), 'yes');
		assert.equal(await answer.text(), 'teapot');
		const { method, type, body } = seen.at(-1) ?? {};
		assert.equal(method, 'POST');
		assert.match(type ?? '', /^application\/x-www-form-urlencoded/);
		assert.equal(body, 'grant_type=client_credentials');
		const empty = await ask(new URL('/empty', address(service)));
		assert.deepEqual([empty.status, await empty.text()], [204, '']);
	}
	assert.deepEqual(
		proxied.map((url) => new URL(url).pathname),
		['/form', '/empty'],
	);
});

test('an abort ends the request', async () => {
	const ask = createProxiedFetch({});
	await assert.rejects(ask(address(service), { signal: AbortSignal.abort() }));
});
