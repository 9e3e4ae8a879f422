/** Attack rows 76 to 80: what a foreign web page can make a browser do. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bothWays } from './support/bothWays.ts';
import { Harness } from './support/harness.ts';
import { rawUpgrade } from './support/rawHttp.ts';

let h: Harness;
let cookie: string;
before(async () => {
	h = await Harness.start();
	cookie = await h.signIn();
});
after(() => h[Symbol.asyncDispose]());

const browser = 'User-Agent: Mozilla/5.0';
const cases: readonly [string, readonly string[], number][] = [
	['cross-site', [browser, 'Sec-Fetch-Site: cross-site'], 403],
	['same-site is not same-origin', [browser, 'Sec-Fetch-Site: same-site'], 403],
	[
		'cross-site even with our Origin',
		[browser, 'Sec-Fetch-Site: cross-site', 'Origin: https://app.example'],
		403,
	],
	['a foreign Origin', [browser, 'Origin: https://evil.example'], 403],
	['Origin null', [browser, 'Origin: null'], 403],
	['our Origin with another scheme', [browser, 'Origin: http://app.example'], 403],
	['a foreign Referer', [browser, 'Referer: https://evil.example/app.example'], 403],
	['a browser that says nothing', [browser], 403],
	['same-origin without a Referer', [browser, 'Sec-Fetch-Site: same-origin'], 200],
	['typed by the user', [browser, 'Sec-Fetch-Site: none'], 200],
	['our Origin', [browser, 'Origin: https://app.example'], 200],
	['our Referer', [browser, 'Referer: https://app.example/page'], 200],
	['a program with a cookie jar', ['User-Agent: curl/8'], 200],
];

test('row 76: a POST with the cookie needs to come from this site', async () => {
	for (const [name, headers, status] of cases) {
		for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
			const before = h.app.seen.length;
			const answer = await h.call({
				method,
				target: '/x',
				headers: [`Cookie: ${cookie}`, ...headers],
				body: method === 'DELETE' ? '' : 'a',
			});
			assert.equal(answer.status, status, `${method} ${name}`);
			assert.equal(h.app.seen.length - before, status === 200 ? 1 : 0, name);
		}
	}
});

const fetchHeaders = (site: string, mode: string, dest: string) => [
	browser,
	`Sec-Fetch-Site: ${site}`,
	`Sec-Fetch-Mode: ${mode}`,
	`Sec-Fetch-Dest: ${dest}`,
];

test('a GET with the cookie is for links and for this site, not for what another page loads', async () => {
	const cookieLine = `Cookie: ${cookie}`;
	for (const site of ['cross-site', 'same-site']) {
		for (const [mode, dest] of [
			['no-cors', 'image'],
			['no-cors', 'script'],
			['cors', 'empty'],
			['no-cors', 'empty'],
			['navigate', 'iframe'],
			['navigate', 'embed'],
			['same-origin', 'document'],
		] as const) {
			const before = h.app.seen.length;
			const answer = await h.get('/x', [cookieLine, ...fetchHeaders(site, mode, dest)]);
			assert.equal(answer.status, 403, `${site} ${mode} ${dest}`);
			assert.equal(h.app.seen.length, before);
		}
		const link = [cookieLine, ...fetchHeaders(site, 'navigate', 'document'), 'Sec-Fetch-User: ?1'];
		assert.equal((await h.get('/x', link)).status, 200);
		// It was judged here: the app, which sees another Host, would judge it wrongly.
		assert.ok(!h.app.last.rawHeaders.some((text) => /^sec-fetch-/i.test(text)), site);
	}
	const own = await h.get('/x', [cookieLine, ...fetchHeaders('same-origin', 'cors', 'empty')]);
	assert.equal(own.status, 200);
	assert.ok(!h.app.last.rawHeaders.some((text) => /^sec-fetch-/i.test(text)));
	const foreign = await h.get('/x', [cookieLine, browser, 'Origin: https://evil.example']);
	assert.equal(foreign.status, 403);
});

test('what nobody judged here goes on with what the browser says of it', async () => {
	const headers = fetchHeaders('cross-site', 'no-cors', 'image');
	assert.equal((await h.get('/public/x', headers)).status, 200);
	assert.deepEqual(h.app.last.values('sec-fetch-site'), ['cross-site']);
	// Without its purpose the app is the one to refuse it.
	const bare = [`Cookie: ${cookie}`, browser, 'Sec-Fetch-Site: cross-site'];
	assert.equal((await h.get('/x', bare)).status, 200);
	assert.deepEqual(h.app.last.values('sec-fetch-site'), ['cross-site']);
});

test('row 77: a GET that changes state is checked like a POST', async () => {
	for (const target of [
		'/openai/unloadall',
		'/openai/load/model?x=1',
		'/openai/unload/m',
		'/openai/setgpudevice/1',
		'/models/load/m',
		'/models/unload/m?force=true',
		// As an app may read it.
		'/openai/%75nloadall',
		'/OpenAI//unloadall',
		'/models;a=b/unload/m',
	]) {
		for (const headers of [
			['Sec-Fetch-Site: cross-site'],
			['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Accept: text/html'],
			['Referer: https://evil.example/'],
		]) {
			const before = h.app.seen.length;
			assert.equal(
				(await h.get(target, [`Cookie: ${cookie}`, browser, ...headers])).status,
				403,
				target,
			);
			assert.equal(h.app.seen.length, before);
		}
		assert.equal(
			(await h.get(target, [`Cookie: ${cookie}`, browser, 'Sec-Fetch-Site: same-origin'])).status,
			200,
		);
	}
});

test('row 78: a WebSocket with the cookie needs our Origin', async () => {
	for (const headers of [
		['Origin: https://evil.example'],
		['Origin: null'],
		[browser],
		['Sec-Fetch-Site: cross-site', 'Origin: https://app.example'],
	]) {
		const before = h.app.seen.length;
		const { answer, socket } = await rawUpgrade(h.gateway.port, {
			target: '/ws',
			headers: [`Cookie: ${cookie}`, ...headers],
		});
		socket.destroy();
		assert.equal(answer.status, 403, headers.join());
		assert.equal(h.app.seen.length, before);
	}
	const { answer, socket } = await rawUpgrade(h.gateway.port, {
		target: '/ws',
		headers: [`Cookie: ${cookie}`, 'Origin: https://app.example', browser],
	});
	assert.equal(answer.status, 101);
	assert.deepEqual(h.app.last.values('x-ms-client-principal-id'), ['alice']);
	const echoed = new Promise<string>((resolve) => {
		socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
	});
	socket.write('hello');
	assert.equal(await echoed, 'hello');
	socket.destroy();
});

test('row 79: a session token is exempt, for no browser adds it by itself', async () => {
	const token = await h.token();
	for (const { way, answer } of await bothWays(h, {
		method: 'POST',
		target: '/x',
		headers: [
			`X-ZUMO-AUTH: ${token}`,
			'Origin: https://evil.example',
			'Sec-Fetch-Site: cross-site',
			browser,
		],
	})) {
		assert.equal(answer.status, way === 'plain' ? 200 : 101);
	}
});

test('row 80: an image on a foreign page signs nobody out; a link asks first', async () => {
	const own = await h.signIn();
	const image = await h.get('/.auth/logout', [
		`Cookie: ${own}`,
		browser,
		'Sec-Fetch-Site: cross-site',
		'Sec-Fetch-Dest: image',
		'Sec-Fetch-Mode: no-cors',
	]);
	assert.equal(image.status, 403);
	const link = await h.get('/.auth/logout', [
		`Cookie: ${own}`,
		browser,
		'Sec-Fetch-Site: cross-site',
		'Sec-Fetch-Dest: document',
		'Accept: text/html',
	]);
	assert.equal(link.status, 200);
	assert.match(link.body, /<form method="post"/);
	assert.deepEqual(link.setCookies(), []);
	assert.equal((await h.get('/x', [`Cookie: ${own}`])).status, 200);
	const clicked = await h.call({
		method: 'POST',
		target: '/.auth/logout',
		headers: [
			`Cookie: ${own}`,
			browser,
			'Sec-Fetch-Site: same-origin',
			'Origin: https://app.example',
		],
	});
	assert.equal(clicked.status, 302);
	assert.equal((await h.get('/x', [`Cookie: ${own}`])).status, 401);
});

test('what the session knows is not for what another page loads', async () => {
	const me = (...headers: string[]) => h.get('/.auth/me', [`Cookie: ${cookie}`, ...headers]);
	for (const site of ['cross-site', 'same-site'])
		for (const [mode, dest] of [
			['no-cors', 'script'],
			['cors', 'empty'],
			['navigate', 'iframe'],
		] as const) {
			const answer = await me(...fetchHeaders(site, mode, dest));
			assert.equal(answer.status, 403, `${site} ${mode} ${dest}`);
			assert.doesNotMatch(answer.body, /user_id|token/);
		}
	assert.equal((await me(browser, 'Origin: https://evil.example')).status, 403);
	for (const headers of [
		fetchHeaders('same-origin', 'cors', 'empty'),
		fetchHeaders('cross-site', 'navigate', 'document'),
		['User-Agent: curl/8'],
	]) {
		const answer = await me(...headers);
		assert.equal(answer.status, 200);
		assert.equal(answer.header('cross-origin-resource-policy'), 'same-origin');
	}
});
