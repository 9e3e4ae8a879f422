import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { keysEqual, splitHost } from '../../server/http/guard.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { allRoutes, pathOf } from './allRoutes.ts';

let server: TestServer;
let locked: TestServer;
before(async () => {
	server = await startTestServer({
		fakeRunner: true,
		listen: { allowedOrigins: ['https://studio.example'], allowedHosts: ['team.example'] },
	});
	locked = await startTestServer({ fakeRunner: true, listen: { requireKey: true } });
});
after(() => Promise.all([server.close(), locked.close()]));

interface Answer {
	readonly status: number;
	readonly code: string | undefined;
	readonly headers: NodeJS.Dict<string | string[]>;
}

/** `fetch` lets nobody set Host, so this goes below it. */
function ask(
	to: TestServer,
	path: string,
	headers: Record<string, string>,
	method = 'GET',
): Promise<Answer> {
	const { hostname, port } = new URL(to.url);
	return new Promise((resolve, reject) => {
		const call = request(
			{ hostname, port, path, method, headers, setHost: headers['host'] === undefined },
			(response) => {
				let text = '';
				response.setEncoding('utf8').on('data', (chunk: string) => {
					text += chunk;
				});
				response.on('end', () => {
					const body = text.startsWith('{') ? JSON.parse(text) : undefined;
					resolve({
						status: response.statusCode ?? 0,
						code: body?.error?.code,
						headers: response.headers,
					});
				});
			},
		);
		call.on('error', reject);
		call.end();
	});
}

const paths = ['/health', '/v1/models', '/openai/status', '/metrics', '/no-such-route'];

test('a request for another host is refused on every route, GET included', async () => {
	const { port } = new URL(server.url);
	for (const path of paths)
		for (const host of [
			'evil.example',
			`evil.example:${port}`,
			'127.0.0.1.evil.example',
			'',
			`127.0.0.1:${Number(port) + 1}`,
			'[::1',
			'a b',
		])
			assert.match(
				String((await ask(server, path, { host })).status),
				// What is no host name at all does not get as far as the guard.
				/^(localhost|[a-z0-9.:]+)$/.test(host) ? /^403$/ : /^40[03]$/,
				`${path} ${host}`,
			);
	for (const host of [
		`127.0.0.1:${port}`,
		`localhost:${port}`,
		`[::1]:${port}`,
		'team.example',
		`team.example:${port}`,
	])
		assert.equal((await ask(server, '/health', { host })).status, 200, host);
});

test('through a tunnel from another port of this computer, pages open and the key opens the rest', async () => {
	const { port } = new URL(server.url);
	const host = `localhost:${Number(port) + 1}`;
	const origin = `http://${host}`;
	const key = { authorization: `Bearer ${server.key}` };
	for (const path of ['/', '/recorder', '/studio/recorder.css'])
		assert.notEqual((await ask(server, path, { host, accept: 'text/html' })).status, 403, path);
	const claim = await ask(server, '/recorder/claim', { host, origin }, 'POST');
	assert.equal(claim.status, 400, 'the ticket is asked for, not the port');
	assert.equal((await ask(server, '/v1/models', { host })).status, 403);
	assert.equal((await ask(server, '/v1/models', { host, authorization: 'Bearer x' })).status, 403);
	assert.equal((await ask(server, '/v1/models', { host, origin, ...key })).status, 200);
	// Another page gets no further with that.
	assert.equal((await ask(server, '/recorder', { host: 'evil.example' })).status, 403);
	const foreign = { host, origin: 'http://localhost:1', ...key };
	assert.equal((await ask(server, '/v1/models', foreign)).status, 403);
});

test('who shows the key may call by any address, as balancers and probes do', async () => {
	for (const host of ['10.1.2.3:8080', 'models.team.example', '[fd00::7]:80']) {
		for (const headers of [server.keyed, { 'x-api-key': server.key }, server.member()])
			assert.equal((await ask(server, '/v1/models', { host, ...headers })).status, 200, host);
		for (const headers of [{}, { authorization: 'Bearer wrong' }, { 'x-nearglot-role': 'member' }])
			assert.equal((await ask(server, '/v1/models', { host, ...headers })).status, 403, host);
		// Whatever it shows, a page from elsewhere stays out.
		const origin = 'https://evil.example';
		assert.equal((await ask(server, '/v1/models', { host, origin, ...server.keyed })).status, 403);
	}
});

test('another web page is refused by its Origin, on every route and method', async () => {
	for (const path of paths)
		for (const method of ['GET', 'POST'])
			for (const origin of [
				'https://evil.example',
				'null',
				'http://127.0.0.1:1',
				'vscode-webview://abc',
			])
				assert.equal(
					(await ask(server, path, { origin }, method)).code,
					'forbidden',
					`${path} ${origin}`,
				);
	const own = await ask(server, '/health', { origin: server.url });
	assert.equal(own.status, 200);
	const allowed = await ask(server, '/health', {
		origin: 'https://studio.example',
		'sec-fetch-site': 'cross-site',
	});
	assert.equal(allowed.status, 200);
	assert.equal(allowed.headers['access-control-allow-origin'], 'https://studio.example');
	assert.equal(
		(await ask(server, '/health', {})).headers['access-control-allow-origin'],
		undefined,
	);
});

test('a preflight is answered for allowed origins only', async () => {
	const ask = (origin: string) =>
		fetch(`${server.url}/v1/chat/completions`, {
			method: 'OPTIONS',
			headers: { origin, 'access-control-request-headers': 'authorization' },
		});
	const good = await ask('https://studio.example');
	assert.equal(good.status, 204);
	assert.equal(good.headers.get('access-control-allow-headers'), 'authorization');
	assert.equal((await ask('https://evil.example')).status, 403);
});

test('an image tag of another page is refused by Sec-Fetch-Site, a typed address is not', async () => {
	for (const site of ['cross-site', 'same-site'])
		for (const path of paths)
			assert.equal((await ask(server, path, { 'sec-fetch-site': site })).status, 403);
	assert.equal((await ask(server, '/health', { 'sec-fetch-site': 'none' })).status, 200);
	assert.equal((await ask(server, '/health', { 'sec-fetch-site': 'same-origin' })).status, 200);
});

test('a link of another site opens a page, and nothing else of the server', async () => {
	const link = {
		accept: 'text/html,application/xhtml+xml',
		'sec-fetch-site': 'cross-site',
		'sec-fetch-mode': 'navigate',
		'sec-fetch-dest': 'document',
	};
	for (const to of [server, locked]) {
		for (const path of ['/', '/recorder', '/?from=elsewhere']) {
			assert.equal((await ask(to, path, link)).status, 200, path);
			assert.equal((await ask(to, path, { ...link, 'sec-fetch-site': 'same-site' })).status, 200);
			for (const other of [
				{ 'sec-fetch-dest': 'iframe' },
				{ 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' },
				{ 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' },
				{ 'sec-fetch-mode': 'no-cors' },
				{ accept: '*/*' },
				{ origin: 'https://evil.example' },
				{ origin: 'null' },
			])
				assert.equal(
					(await ask(to, path, { ...link, ...other })).status,
					403,
					JSON.stringify(other),
				);
			assert.equal((await ask(to, path, link, 'POST')).status, 403);
		}
		const all = allRoutes(to.backend).filter(({ method }) => method === 'GET' || method === 'ALL');
		assert.ok(all.length > 20);
		for (const route of all) {
			const path = pathOf(route);
			if (path === '/' || path === '/recorder') continue;
			assert.equal((await ask(to, path, link)).status, 403, path);
			const keyed = { ...link, authorization: `Bearer ${to.key}` };
			assert.equal((await ask(to, path, keyed)).status, 403, `${path} with the key`);
		}
	}
});

test('with a required key every route but /health wants it, in any of its three headers', async () => {
	assert.equal((await ask(locked, '/health', {})).status, 200);
	for (const path of ['/v1/models', '/metrics', '/openai/status', '/no-such-route']) {
		const without = await ask(locked, path, {});
		assert.equal(without.status, 401, path);
		assert.equal(without.code, 'invalid_api_key');
		assert.match(String(without.headers['www-authenticate']), /^Bearer/);
		assert.equal((await ask(locked, path, { authorization: 'Bearer wrong' })).status, 401);
	}
	for (const headers of [
		{ authorization: 'Bearer key-of-the-test-server' },
		{ 'x-api-key': 'key-of-the-test-server' },
		{ 'api-key': 'key-of-the-test-server' },
	] as Record<string, string>[])
		assert.equal((await ask(locked, '/v1/models', headers)).status, 200);
});

test('ending the server needs the key even when other routes need none', async () => {
	assert.equal((await ask(server, '/nearglot/shutdown', {}, 'POST')).status, 401);
	assert.equal((await ask(server, '/nearglot/runners', {})).status, 401);
	assert.deepEqual(server.stopped, []);
});

test('hosts are split and keys compared exactly', () => {
	assert.deepEqual(splitHost('[::1]:80'), { name: '[::1]', port: '80' });
	assert.deepEqual(splitHost('LOCALHOST'), { name: 'localhost', port: undefined });
	for (const bad of ['', 'a:b', 'a:1:2', 'a/b', '::1', 'a@b'])
		assert.equal(splitHost(bad), undefined, bad);
	assert.equal(keysEqual('abc', 'abc'), true);
	for (const other of ['', 'ab', 'abcd', 'abC']) assert.equal(keysEqual('abc', other), false);
});
