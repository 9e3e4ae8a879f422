/** Attack rows 17 to 29: paths, skip rules and framing, on plain requests and on WebSocket upgrades. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bothWays } from './support/bothWays.ts';
import { browserHeaders, Harness } from './support/harness.ts';
import { exchangeBytes, parseAnswer } from './support/rawHttp.ts';

let h: Harness;
before(async () => {
	h = await Harness.start();
});
after(() => h[Symbol.asyncDispose]());

/** Neither way may reach the app; `statuses` are the plain answers that are right. */
async function refused(
	target: string,
	statuses: readonly number[],
	headers: readonly string[] = [],
): Promise<void> {
	for (const { way, answer, seen } of await bothWays(h, { target, headers })) {
		assert.equal(seen, undefined, `${way} ${target} reached the app`);
		assert.ok(
			[...statuses, ...(way === 'upgrade' ? [400, 401, 404] : [])].includes(answer.status),
			`${way} ${target}: ${answer.status}`,
		);
	}
}

test('excluded paths are open, byte-exact, without identity', async () => {
	for (const target of [
		'/health',
		'/health?deep=1',
		'/public/',
		'/public/a%20b/c?x=%2f..',
		'/public/a%2Fb',
	]) {
		for (const { way, answer, seen } of await bothWays(h, { target })) {
			assert.equal(answer.status, way === 'plain' ? 200 : 101, target);
			assert.equal(seen!.url, target);
			assert.deepEqual(seen!.values('x-ms-client-principal'), []);
		}
	}
});

test('row 17: a query that looks like an excluded path opens nothing', async () => {
	for (const target of ['/private?x=/health', '/private?/public/x', '/private?/../health']) {
		await refused(target, [401]);
		await refused(target, [302, 401], browserHeaders);
	}
});

test('row 18: # in the request target is 400', () => refused('/foo/secret#/health', [400]));

test('rows 19 and 20: headers that name another path change nothing and are not forwarded', async () => {
	for (const name of [
		'X-Forwarded-Uri',
		'X-Original-URL',
		'X-Rewrite-URL',
		'X-Forwarded-Prefix',
		'X_Original_URL',
	]) {
		await refused('/private', [401], [`${name}: /health`]);
		const [plain] = await bothWays(h, { target: '/health', headers: [`${name}: /private`] });
		assert.ok(!plain!.seen!.rawHeaders.includes('/private'), name);
	}
});

test('row 21: dot segments under every encoding never leave an excluded path', async () => {
	const tails = [
		'../private',
		'%2e%2e/private',
		'..%2fprivate',
		'%252e%252e/private',
		'..;/private',
		'..\\private',
		'..%5cprivate',
		'%2e%2e%2fprivate',
		'.%2e/private',
		'%25252e%25252e/private',
		'./../private',
		'%c0%ae%c0%ae/private',
		'%ef%bc%8e%ef%bc%8e/private',
	];
	for (const tail of tails) {
		await refused(`/health/${tail}`, [400, 401]);
		await refused(`/public/${tail}`, [400]);
	}
	await refused('/public\\..\\private', [400]);
	await refused('/public/x%00', [400]);
});

test('row 21: bytes that are no UTF-8 are refused whoever asks and wherever they stand', async () => {
	const cookie = await h.signIn();
	const before = h.app.seen.length;
	for (const bytes of [
		'%c0%ae',
		'%C0%AE',
		'%e0%80%ae',
		'%f0%80%80%ae',
		'%c0%af',
		'%c1%9c',
		'%80',
		'%bf',
		'%c3',
		'%e2%82',
		'%c3x%a9',
		'%ed%a0%80',
		'%f4%90%80%80',
		'%ff',
		'%25c0%25ae',
		'%c3%25a9',
		'%2525252561',
	]) {
		for (const target of [
			`/public/${bytes}${bytes}/private`,
			`/public/${bytes}`,
			`/private/${bytes}`,
			`/.auth/${bytes}`,
		]) {
			for (const headers of [[], [`Cookie: ${cookie}`]]) {
				for (const { way, answer } of await bothWays(h, { target, headers }))
					assert.equal(answer.status, 400, `${way} ${target}`);
			}
		}
	}
	assert.equal(h.app.seen.length, before);
	for (const text of ['%c3%a9', '%E2%82%AC', '%f0%9f%99%82', '50%25', '%25c3%25a9', '%ef%bf%bd']) {
		const target = `/public/${text}?q=%c0%ae`;
		for (const { way, answer, seen } of await bothWays(h, { target })) {
			assert.equal(answer.status, way === 'plain' ? 200 : 101, target);
			assert.equal(seen!.url, target);
		}
	}
});

test('row 22: near misses of an excluded path are not excluded', async () => {
	for (const target of [
		'/HEALTH',
		'/health/',
		'/health%00',
		'/healthz',
		'/Public/x',
		'/public',
		'/publicx',
		'//health',
		'/health;x=1',
		'/%68ealth',
	])
		await refused(target, [400, 401]);
});

test('row 23: a target in absolute form is 400', () => refused('http://evil/.auth/me', [400]));

test('row 24: our own prefix under any other spelling is 404 and never reaches the app', async () => {
	for (const target of [
		'//.auth/me',
		'/%2eauth/me',
		'/.AUTH/me',
		'/\\.auth/me',
		'/.auth;x=1/me',
		'/.auth//me',
		'/.%61uth/me',
		'/%252eauth/me',
		'/.auth/%6de',
		'///.auth/me',
		'/;/.auth/me',
		'/.auth%2fme',
	]) {
		await refused(target, [400, 404]);
	}
	const cookie = await h.signIn();
	for (const target of ['/.AUTH/me', '//.auth/me', '/.auth;x/me', '/.auth/unknown'])
		await refused(target, [404], [`Cookie: ${cookie}`]);
});

test('row 25: OPTIONS * and CONNECT are refused', async () => {
	const before = h.app.seen.length;
	for (const [bytes, status] of [
		['OPTIONS * HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\n\r\n', 400],
		['CONNECT app.example:443 HTTP/1.1\r\nHost: app.example:443\r\n\r\n', 405],
		['TRACE /health HTTP/1.1\r\nHost: app.example\r\n\r\n', 405],
	] as const) {
		assert.equal(parseAnswer(await exchangeBytes(h.gateway.port, bytes)).status, status, bytes);
	}
	assert.equal(h.app.seen.length, before);
});

const framing: readonly [string, string, readonly number[]][] = [
	[
		'row 26: two Host headers',
		'GET /health HTTP/1.1\r\nHost: app.example\r\nHost: evil\r\n',
		[400],
	],
	['row 26: no Host header', 'GET /health HTTP/1.1\r\n', [400]],
	[
		'row 27: an unknown transfer coding',
		'POST /health HTTP/1.1\r\nHost: app.example\r\nTransfer-Encoding: xchunked\r\n',
		[400, 501],
	],
	[
		'row 27: chunked twice',
		'POST /health HTTP/1.1\r\nHost: app.example\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
		[400, 501],
	],
	[
		'row 27: length and chunked',
		'POST /health HTTP/1.1\r\nHost: app.example\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n',
		[400],
	],
	[
		'row 27: two lengths',
		'POST /health HTTP/1.1\r\nHost: app.example\r\nContent-Length: 3\r\nContent-Length: 4\r\n',
		[400],
	],
];
for (const [name, head, statuses] of framing) {
	test(`${name} is refused, plain and as an upgrade`, async () => {
		const before = h.app.seen.length;
		for (const extra of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
			const answer = parseAnswer(
				await exchangeBytes(h.gateway.port, `${head}${extra}\r\n0\r\n\r\n`),
			);
			assert.ok(statuses.includes(answer.status), `${answer.status}`);
		}
		assert.equal(h.app.seen.length, before);
	});
}

test('row 28: health checkers get no exception by their name', async () => {
	for (const agent of ['kube-probe/1.19', 'GoogleHC/1.0', 'ELB-HealthChecker/2.0'])
		await refused('/private', [401], [`User-Agent: ${agent}`]);
});

test('row 29: a made-up preflight opens nothing', async () => {
	const headers = [
		'Origin: https://evil.example',
		'Access-Control-Request-Method: POST',
		'Access-Control-Request-Headers: x-zumo-auth',
	];
	const before = h.app.seen.length;
	const answer = await h.call({ method: 'OPTIONS', target: '/private', headers });
	assert.equal(answer.status, 401);
	assert.equal(answer.header('access-control-allow-origin'), undefined);
	const cookie = await h.signIn();
	h.app.seen.length = before;
	const own = await h.call({
		method: 'OPTIONS',
		target: '/private',
		headers: [...headers, `Cookie: ${cookie}`],
	});
	assert.equal(own.header('access-control-allow-origin'), undefined);
	await using editor = await Harness.start({
		config: { 'x-gateway': { editorOrigins: ['https://vscode.dev', 'https://*.vscode-cdn.net'] } },
	});
	for (const origin of ['https://vscode.dev', 'https://v--abc.vscode-cdn.net']) {
		const allowed = await editor.call({
			method: 'OPTIONS',
			target: '/private',
			headers: [`Origin: ${origin}`, ...headers.slice(1)],
		});
		assert.equal(allowed.status, 204);
		assert.equal(allowed.header('access-control-allow-origin'), origin);
		assert.equal(allowed.header('access-control-allow-credentials'), undefined);
	}
	for (const origin of [
		'https://evilvscode-cdn.net',
		'https://x.vscode-cdn.net.evil',
		'https://evil/.vscode-cdn.net',
		'http://vscode.dev',
	]) {
		const answer = await editor.call({
			method: 'OPTIONS',
			target: '/private',
			headers: [`Origin: ${origin}`, ...headers.slice(1)],
		});
		assert.equal(answer.status, 401, origin);
	}
	assert.equal(editor.app.seen.length, 0);
});

test('what only the owner of the model server does is closed to everybody, in every spelling', async () => {
	const cookie = await h.signIn();
	const before = h.app.seen.length;
	for (const target of [
		'/nearglot/secrets/set',
		'/nearglot/secrets',
		'/NEARGLOT/Shutdown',
		'/nearglot//shutdown',
		'/nearglot/%73hutdown',
		'/nearglot/%2573hutdown?x=1',
		'/nearglot/models/remove;a=b',
		'/nearglot/runners/',
		'/nearglot/studio',
		'/nearglot/models/list',
		'/nearglot/translator/translate',
	]) {
		const answer = await h.get(target, [`Cookie: ${cookie}`]);
		assert.ok(answer.status === 403 && answer.body.includes('closed_path'), target);
	}
	assert.equal(h.app.seen.length, before);
	// Another app keeps every path that is not below that name.
	for (const target of ['/mcp', '/metrics', '/status', '/openai/download', '/nearglotty'])
		assert.equal((await h.get(target, [`Cookie: ${cookie}`])).status, 200, target);
	await using open = await Harness.start({ config: { 'x-gateway': { closedPaths: [] } } });
	const own = await open.signIn();
	assert.equal((await open.get('/nearglot/shutdown', [`Cookie: ${own}`])).status, 200);
});
