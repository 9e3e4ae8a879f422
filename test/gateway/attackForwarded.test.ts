/** Attack rows 30 to 34: forwarding headers, hosts and HTTPS, on plain requests and on WebSocket upgrades. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothWays } from './support/bothWays.ts';
import { browserHeaders, Harness } from './support/harness.ts';

const standard = { httpSettings: { forwardProxy: { convention: 'Standard' } } };

test('row 30: forwarding headers of a peer that is not trusted count for nothing', async () => {
	await using h = await Harness.start({ config: standard });
	const headers = [
		'X-Forwarded-Host: evil.example',
		'X-Forwarded-Proto: http',
		'X-Forwarded-For: 6.6.6.6',
		'Forwarded: host=evil.example',
	];
	const begun = await h.get('/.auth/login/corp', [...browserHeaders, ...headers]);
	const redirectUri = new URL(begun.header('location')!).searchParams.get('redirect_uri');
	assert.equal(redirectUri, 'https://app.example/.auth/login/corp/callback');
	assert.match(begun.setCookies()[0]!, /^__Host-auth-n-\d=.*; Secure/);
	for (const { way, seen } of await bothWays(h, { target: '/health', headers })) {
		assert.deepEqual(seen!.values('x-forwarded-host'), ['app.example'], way);
		assert.deepEqual(seen!.values('x-forwarded-for'), ['127.0.0.1'], way);
		assert.deepEqual(seen!.values('forwarded'), [], way);
	}
});

test('row 31: an empty list of trusted proxies trusts nobody', async () => {
	await using h = await Harness.start({
		config: {
			httpSettings: { requireHttps: true, forwardProxy: { convention: 'Standard' } },
			'x-gateway': { trustedProxies: [] },
		},
	});
	for (const { way, answer, seen } of await bothWays(h, {
		target: '/health',
		headers: ['X-Forwarded-Proto: https'],
	})) {
		assert.equal(seen, undefined, way);
		assert.equal(answer.status, way === 'plain' ? 301 : 403, way);
	}
});

test('row 32: another Host is 421 and no address is ever built from it', async () => {
	await using h = await Harness.start();
	for (const host of [
		'evil.example',
		'app.example.evil',
		'app.example:444',
		'evil@app.example',
		'',
	]) {
		for (const { way, answer, seen } of await bothWays(h, { target: '/health', host })) {
			assert.equal(seen, undefined, way);
			assert.ok([421, 400].includes(answer.status), `${way} ${host}: ${answer.status}`);
			assert.ok(!`${answer.header('location') ?? ''}`.includes('evil'));
		}
	}
	assert.equal((await h.call({ target: '/health', host: 'APP.example' })).status, 200);
});

test('row 33: of several forwarded hosts only the one of the last trusted hop counts', async () => {
	await using h = await Harness.start({
		config: { ...standard, 'x-gateway': { trustedProxies: ['127.0.0.1'] } },
	});
	const good = ['X-Forwarded-Host: evil.example, app.example', 'X-Forwarded-For: 6.6.6.6, 9.9.9.9'];
	for (const { way, answer, seen } of await bothWays(h, {
		target: '/health',
		host: 'inner',
		headers: good,
	})) {
		assert.equal(answer.status, way === 'plain' ? 200 : 101);
		assert.deepEqual(seen!.values('x-forwarded-for'), ['6.6.6.6, 9.9.9.9, 127.0.0.1'], way);
	}
	for (const headers of [
		['X-Forwarded-Host: app.example, evil.example'],
		['X-Forwarded-Host: app.example', 'X-Forwarded-Host: evil.example'],
	]) {
		for (const { way, answer, seen } of await bothWays(h, {
			target: '/health',
			host: 'inner',
			headers,
		})) {
			assert.equal(seen, undefined, way);
			assert.equal(answer.status, 421, way);
		}
	}
});

test('row 34: plain HTTP goes to the configured HTTPS address, and what could do harm is refused', async () => {
	await using h = await Harness.start({ config: { httpSettings: { requireHttps: true } } });
	const get = await h.get('/x?y=1');
	assert.equal(get.status, 301);
	assert.equal(get.header('location'), 'https://app.example/x?y=1');
	assert.equal((await h.call({ method: 'POST', target: '/x', body: 'a' })).status, 403);
	assert.equal((await h.get('/.auth/login/corp', browserHeaders)).status, 301);
	assert.equal((await h.get('/.auth/healthz')).status, 200);
	assert.equal(h.app.seen.length, 0);
	await using fronted = await Harness.start({
		config: {
			httpSettings: { requireHttps: true, forwardProxy: { convention: 'Standard' } },
			'x-gateway': { trustedProxies: ['127.0.0.0/8'] },
		},
	});
	assert.equal((await fronted.get('/health', ['X-Forwarded-Proto: https'])).status, 200);
	assert.equal((await fronted.get('/health', ['X-Forwarded-Proto: https, http'])).status, 301);
});
