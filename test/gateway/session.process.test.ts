/** Sessions over their life: device sign-in, refresh, lifetimes, /.auth/me, logs and metrics. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { compactDecrypt, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { RateLimit } from '../../server/gateway/access/rateLimit.ts';
import { KeyRing } from '../../server/gateway/keys/keyRing.ts';
import { seal, unseal } from '../../server/gateway/keys/seal.ts';
import { checkPhrase } from '../../server/gateway/session/pkce.ts';
import { openSqliteStore } from '../../server/gateway/store/sqliteStore.ts';
import type { Store } from '../../server/gateway/store/store.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { browserHeaders, Harness } from './support/harness.ts';

const json = ['Content-Type: application/json'];
const hour = 3_600_000;

interface DeviceStart {
	device_code: string;
	user_code: string;
	verification_uri_complete: string;
	interval: number;
}

async function startDevice(h: Harness): Promise<DeviceStart> {
	const answer = await h.call({
		method: 'POST',
		target: '/.auth/device',
		headers: json,
		body: '{}',
	});
	assert.equal(answer.status, 200, answer.body);
	return answer.json() as DeviceStart;
}

const poll = (h: Harness, code: string) =>
	h.call({
		method: 'POST',
		target: '/.auth/device/token',
		headers: ['Content-Type: application/x-www-form-urlencoded'],
		body: new URLSearchParams({
			grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
			device_code: code,
		}).toString(),
	});

async function answerDevice(h: Harness, cookie: string, userCode: string, answer: 'yes' | 'no') {
	const page = await h.navigate(`/.auth/device?user_code=${encodeURIComponent(userCode)}`, cookie);
	assert.equal(page.status, 200, page.body);
	const state = /name="page" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
	return h.call({
		method: 'POST',
		target: '/.auth/device/approve',
		headers: [
			'Content-Type: application/x-www-form-urlencoded',
			`Cookie: ${cookie}`,
			...browserHeaders,
		],
		body: new URLSearchParams({ page: state, answer }).toString(),
	});
}

test('a device without a browser signs in with a code that somebody approves', async () => {
	await using h = await Harness.start();
	const device = await startDevice(h);
	assert.match(device.user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
	assert.equal(
		device.verification_uri_complete,
		`https://app.example/.auth/device?user_code=${device.user_code}`,
	);
	assert.equal(
		((await poll(h, device.device_code)).json() as { error: string }).error,
		'authorization_pending',
	);
	assert.equal(
		((await poll(h, device.device_code)).json() as { error: string }).error,
		'slow_down',
	);
	h.advance(11_000);
	assert.equal(
		((await poll(h, device.device_code)).json() as { error: string }).error,
		'authorization_pending',
	);
	const anonymous = await h.navigate(`/.auth/device?user_code=${device.user_code}`);
	assert.equal(anonymous.status, 302);
	const cookie = await h.signIn();
	assert.equal(
		(await answerDevice(h, cookie, device.user_code.toLowerCase().replace('-', ' '), 'yes')).status,
		200,
	);
	const answers = await Promise.all([
		poll(h, device.device_code),
		poll(h, device.device_code),
		poll(h, device.device_code),
	]);
	const good = answers.filter((answer) => answer.status === 200);
	assert.equal(good.length, 1);
	const { authenticationToken } = good[0]!.json() as { authenticationToken: string };
	assert.equal((await h.get('/x', [`X-ZUMO-AUTH: ${authenticationToken}`])).status, 200);
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 200);
	assert.equal(
		((await poll(h, device.device_code)).json() as { error: string }).error,
		'expired_token',
	);
});

test('a refused, unknown or old device code gives nothing', async () => {
	await using h = await Harness.start();
	const cookie = await h.signIn();
	const refused = await startDevice(h);
	assert.equal((await answerDevice(h, cookie, refused.user_code, 'no')).status, 200);
	assert.equal(
		((await poll(h, refused.device_code)).json() as { error: string }).error,
		'access_denied',
	);
	const old = await startDevice(h);
	h.advance(601_000);
	assert.equal(
		((await poll(h, old.device_code)).json() as { error: string }).error,
		'expired_token',
	);
	assert.equal((await h.navigate(`/.auth/device?user_code=${old.user_code}`, cookie)).status, 404);
	assert.equal(((await poll(h, 'x')).json() as { error: string }).error, 'expired_token');
	assert.equal(
		(await h.call({ method: 'POST', target: '/.auth/device/token', headers: json, body: '{}' }))
			.status,
		400,
	);
	const cross = await h.call({
		method: 'POST',
		target: '/.auth/device/approve',
		headers: [
			'Content-Type: application/x-www-form-urlencoded',
			`Cookie: ${cookie}`,
			'Sec-Fetch-Site: cross-site',
		],
		body: 'page=x&answer=yes',
	});
	assert.equal(cross.status, 403);
});

test('guessing device codes is stopped', async () => {
	await using h = await Harness.start({ config: { 'x-gateway': { failuresPerMinute: 6 } } });
	const cookie = await h.signIn();
	const statuses: number[] = [];
	for (let round = 0; round < 8; round++)
		statuses.push(
			(await h.navigate(`/.auth/device?user_code=BBBB-BBB${'BCDFGHJK'[round]}`, cookie)).status,
		);
	assert.deepEqual(statuses, [404, 404, 404, 404, 404, 404, 429, 429]);
});

test('ten refreshes at once call the provider once, and tokens just refreshed are not refreshed again', async () => {
	await using h = await Harness.start();
	const cookie = await h.signIn();
	h.provider.tokenDelayMs = 100;
	const answers = await Promise.all(
		Array.from({ length: 10 }, () => h.get('/.auth/refresh', [`Cookie: ${cookie}`])),
	);
	assert.deepEqual(
		answers.map((answer) => answer.status),
		Array(10).fill(200),
	);
	assert.equal(h.provider.refreshCalls, 1);
	assert.equal((await h.get('/.auth/refresh', [`Cookie: ${cookie}`])).status, 200);
	assert.equal(h.provider.refreshCalls, 1);
	h.advance(15_000);
	assert.equal((await h.get('/.auth/refresh', [`Cookie: ${cookie}`])).status, 200);
	assert.equal(h.provider.refreshCalls, 2);
});

test('a provider call longer than the lease keeps it, so that no other replica calls as well', {
	timeout: 60_000,
}, async () => {
	let storeNow = Date.now();
	let renewals = 0;
	const store = openSqliteStore(':memory:', () => storeNow);
	const counted: Store = {
		...store,
		renew: async (key, owner, ttlMs) => {
			const kept = await store.renew(key, owner, ttlMs);
			if (kept) renewals++;
			return kept;
		},
	};
	const folder = temporaryFolder('lease');
	const refreshLeaseMs = 90;
	await using one = await Harness.start({ folder, store: counted, refreshLeaseMs });
	const { app, provider } = one;
	let locks = 0;
	const watched: Store = {
		...store,
		lock: (...lease) => {
			locks++;
			return store.lock(...lease);
		},
	};
	await using two = await Harness.start({ folder, app, provider, store: watched, refreshLeaseMs });
	const cookie = `Cookie: ${await one.signIn()}`;
	let answer: () => void = () => {};
	provider.tokenHold = new Promise((resolve) => {
		answer = resolve;
	});
	const first = one.get('/.auth/refresh', [cookie]);
	while (provider.refreshCalls === 0) await wait(5);
	// Whoever asks first at the other replica leaves; that must not end the wait of the next.
	const gone = connect(two.gateway.port, '127.0.0.1');
	gone.write(`GET /.auth/refresh HTTP/1.1\r\nHost: app.example\r\n${cookie}\r\n\r\n`);
	while (locks === 0) await wait(5);
	const second = two.get('/.auth/refresh', [cookie]);
	gone.destroy();
	// Four times two thirds of the lease pass, each after a renewal.
	for (let round = 0; round < 4; round++) {
		const before = renewals;
		while (renewals === before) await wait(5);
		storeNow += 60;
		await wait(60);
	}
	assert.equal(provider.refreshCalls, 1);
	answer();
	for (const { status } of await Promise.all([first, second])) assert.equal(status, 200);
	assert.equal(provider.refreshCalls, 1);
});

test('a browser session lasts eight hours, can be refreshed for 72 more, and takes over new claims', async () => {
	await using h = await Harness.start();
	const cookie = await h.signIn();
	h.advance(8 * hour - 60_000);
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 200);
	h.advance(2 * 60_000);
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 401);
	h.provider.claims = { ...h.provider.claims, email: 'new@corp.example' };
	assert.equal((await h.get('/.auth/refresh', [`Cookie: ${cookie}`])).status, 200);
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 200);
	assert.deepEqual(h.app.last.values('x-ms-client-principal-name'), ['new@corp.example']);
	h.advance(81 * hour);
	assert.equal((await h.get('/.auth/refresh', [`Cookie: ${cookie}`])).status, 401);
});

test('the end of a session can come from the identity provider', async () => {
	await using h = await Harness.start({
		config: { login: { cookieExpiration: { convention: 'IdentityProviderDerived' } } },
	});
	const cookie = await h.signIn();
	h.advance(59 * 60_000);
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 200);
	h.advance(2 * 60_000);
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 401);
});

test('a refresh that takes somebody off the allowed list is 403 and ends the session', async () => {
	await using h = await Harness.start({
		config: {
			identityProviders: {
				customOpenIdConnectProviders: { corp: { 'x-allowedPrincipals': { groups: ['g'] } } },
			},
		},
	});
	h.provider.claims = { sub: 'a', groups: ['g'] };
	const cookie = await h.signIn();
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 200);
	h.provider.claims = { sub: 'a', groups: [] };
	assert.equal((await h.get('/.auth/refresh', [`Cookie: ${cookie}`])).status, 403);
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 401);
});

test('/.auth/me is an array: empty for nobody, or 401 when the settings say so', async () => {
	await using h = await Harness.start();
	assert.deepEqual((await h.get('/.auth/me')).json(), []);
	const [me] = (await h.get('/.auth/me', [`Cookie: ${await h.signIn()}`])).json() as Record<
		string,
		unknown
	>[];
	assert.deepEqual(Object.keys(me!).sort(), [
		'access_token',
		'expires_on',
		'id_token',
		'provider_name',
		'refresh_token',
		'user_claims',
		'user_id',
	]);
	await using strict = await Harness.start({
		config: { 'x-gateway': { anonymousMe: 'unauthorized' } },
	});
	assert.equal((await strict.get('/.auth/me')).status, 401);
	await using bare = await Harness.start({ config: { login: { tokenStore: { enabled: false } } } });
	const cookie = await bare.signIn();
	const [without] = (await bare.get('/.auth/me', [`Cookie: ${cookie}`])).json() as Record<
		string,
		unknown
	>[];
	assert.deepEqual(Object.keys(without!).sort(), ['provider_name', 'user_claims', 'user_id']);
	assert.equal((await bare.get('/.auth/refresh', [`Cookie: ${cookie}`])).status, 400);
});

test('the four ways to treat strangers, the vendor segment, the app secret and the signed assertion', async () => {
	for (const [action, browserStatus, clientStatus] of [
		['RedirectToLoginPage', 302, 401],
		['AllowAnonymous', 200, 200],
		['Return401', 401, 401],
		['Return403', 403, 403],
	] as const) {
		await using h = await Harness.start({
			config: { globalValidation: { unauthenticatedClientAction: action } },
		});
		assert.equal((await h.navigate('/x')).status, browserStatus, action);
		assert.equal((await h.get('/x')).status, clientStatus, action);
		assert.equal(
			(await h.get('/x', ['Accept: text/html', 'Sec-Fetch-Mode: cors'])).status,
			clientStatus,
			action,
		);
		assert.equal(
			(await h.get('/x', ['Accept: text/html', 'X-Requested-With: XMLHttpRequest'])).status,
			clientStatus,
			action,
		);
		assert.equal(
			(await h.get('/x', ['Accept: text/html', 'ZUMO-API-VERSION: 2.0.0'])).status,
			clientStatus,
			action,
		);
	}
	await using h = await Harness.start({
		env: { APP_SECRET: 'secret of the app' },
		config: {
			'x-gateway': {
				vendor: 'Acme',
				assertionAudience: 'app',
				adminPort: 0,
				forwardRefreshTokens: true,
				upstreamSecret: { header: 'X-From-Gateway', settingName: 'APP_SECRET' },
			},
		},
	});
	const cookie = await h.signIn();
	await h.get('/x', [
		`Cookie: ${cookie}`,
		'X-ACME-CLIENT-PRINCIPAL-ID: evil',
		'x_from_gateway: guess',
		'X-MS-CLIENT-PRINCIPAL-ID: evil',
	]);
	assert.deepEqual(h.app.last.values('x-acme-client-principal-id'), ['alice']);
	assert.deepEqual(h.app.last.values('x-ms-client-principal-id'), []);
	assert.deepEqual(h.app.last.values('x-from-gateway'), ['secret of the app']);
	assert.deepEqual(h.app.last.values('x_from_gateway'), []);
	assert.equal(h.app.last.values('x-acme-token-corp-refresh-token').length, 1);
	const keys = (await (await fetch(`${h.gateway.adminUrl}/jwks`)).json()) as JSONWebKeySet;
	const { payload } = await jwtVerify(
		h.app.last.values('x-acme-client-assertion')[0]!,
		createLocalJWKSet(keys),
		{ audience: 'app', issuer: 'https://app.example/', algorithms: ['EdDSA'] },
	);
	assert.match(payload.sub!, /^sid:/);
	assert.equal(payload.exp! - payload.iat!, 60);
	const metrics = await (await fetch(`${h.gateway.adminUrl}/metrics`)).text();
	assert.match(metrics, /nearglot_gateway_requests_total\{outcome="forwarded",status="2xx"\} 1/);
	assert.match(
		metrics,
		/nearglot_gateway_logins_total\{provider="corp",flow="browser",result="ok"\} 1/,
	);
});

test('the audit log tells who did what and holds no token, code or cookie', async () => {
	await using h = await Harness.start();
	const begun = await h.navigate('/.auth/login/corp');
	const done = await h.finish(begun);
	const token = await h.token();
	await h.get('/.auth/refresh', [`Cookie: ${done.setCookies().at(-1)!.split(';')[0]!}`]);
	await h.get('/.auth/logout', [`X-ZUMO-AUTH: ${token}`]);
	await h.clientLogin({ id_token: 'a.b.c' });
	const log = h.audit.join('\n');
	for (const event of [
		'started',
		'login_started',
		'login',
		'client_login',
		'refresh',
		'logout',
		'client_login_failed',
	])
		assert.ok(log.includes(`"event":"${event}"`), event);
	assert.match(log, /"userId":"sid:[0-9a-f]{32}"/);
	const secrets = [token, ...begun.setCookies(), ...done.setCookies()].flatMap(
		(text) => text.match(/[\w-]{40,}/g) ?? [],
	);
	assert.ok(secrets.length > 5);
	for (const secret of secrets) assert.ok(!log.includes(secret));
	for (const line of h.audit) JSON.parse(line);
});

test('fragments survive a login when asked for, and the resource document names the provider', async () => {
	await using h = await Harness.start({
		config: { login: { preserveUrlFragmentsForLogins: true, routes: { logoutEndpoint: '/bye' } } },
		env: { WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES: 'api.read,api.write' },
	});
	const page = await h.navigate('/app?x=1');
	assert.equal(page.status, 200);
	assert.match(
		page.body,
		/location\.replace\("\/\.auth\/login\/corp\?post_login_redirect_uri=%2Fapp%3Fx%3D1"\+encodeURIComponent\(location\.hash\)\)/,
	);
	assert.match(page.header('content-security-policy')!, /script-src 'nonce-/);
	const done = await h.finish(
		await h.navigate('/.auth/login/corp?post_login_redirect_uri=%2Fapp%23part'),
	);
	assert.equal(done.header('location'), '/app#part');
	const document = (await h.get('/.well-known/oauth-protected-resource')).json() as {
		resource: string;
		scopes_supported: string[];
	};
	assert.equal(document.resource, 'https://app.example/');
	assert.deepEqual(document.scopes_supported, ['api.read', 'api.write']);
	assert.match(
		(await h.get('/x')).header('www-authenticate')!,
		/resource_metadata="https:\/\/app\.example\/\.well-known\/oauth-protected-resource"/,
	);
	const cookie = await h.signIn();
	assert.equal((await h.navigate('/bye', cookie)).status, 302);
	assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 401);
});

test('sealed texts are standard JWE, bound to their purpose, and nothing else opens', async () => {
	const ring = new KeyRing(
		[
			{
				kid: 'k',
				secret: Buffer.alloc(32, 7),
				notBefore: 0,
				retireAfter: Number.POSITIVE_INFINITY,
			},
		],
		Buffer.alloc(32),
		Date.now,
	);
	const sealed = seal(ring, 'cookie-enc', 'héllo');
	const opened = await compactDecrypt(sealed, ring.current('cookie-enc').bytes);
	assert.equal(Buffer.from(opened.plaintext).toString(), 'héllo');
	assert.equal(unseal(ring, 'cookie-enc', sealed), 'héllo');
	assert.equal(unseal(ring, 'login-enc', sealed), undefined);
	const parts = sealed.split('.');
	const header = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
	for (const bad of [
		'',
		'a.b.c',
		'a..b.c.d',
		[header({ alg: 'dir', enc: 'A256GCM', kid: 'x' }), ...parts.slice(1)].join('.'),
		[header({ alg: 'dir', enc: 'A256GCM', kid: 'k', zip: 'DEF' }), ...parts.slice(1)].join('.'),
		[...parts.slice(0, 4), parts[4]!.slice(0, 6)].join('.'),
	]) {
		assert.equal(unseal(ring, 'cookie-enc', bad), undefined, bad);
	}
});

test('the check phrase is the documented function of the challenge', () => {
	const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
	const bytes = createHash('sha256').update(challenge).digest();
	const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
	const bits = BigInt(`0x${bytes.toString('hex')}`) >> 236n;
	const text = [15n, 10n, 5n, 0n].map((shift) => letters[Number((bits >> shift) & 31n)]).join('');
	assert.equal(checkPhrase(challenge), `${text.slice(0, 2)}-${text.slice(2)}`);
});

test('the sqlite store forgets in time, gives a value once and leases to one owner', async () => {
	let now = 1_000_000;
	await using store = openSqliteStore(':memory:', () => now);
	await store.set('a', '1', 1000);
	assert.equal(await store.get('a'), '1');
	now += 1001;
	assert.equal(await store.get('a'), undefined);
	assert.equal(await store.take('a'), undefined);
	await store.set('b', '2', 1000);
	assert.deepEqual(await Promise.all([store.take('b'), store.take('b')]), ['2', undefined]);
	assert.equal(await store.lock('l', 'me', 1000), true);
	assert.equal(await store.lock('l', 'you', 1000), false);
	assert.equal(await store.renew('l', 'you', 1000), false);
	now += 900;
	assert.equal(await store.renew('l', 'me', 1000), true);
	now += 900;
	assert.equal(await store.lock('l', 'you', 1000), false);
	await store.unlock('l', 'you');
	assert.equal(await store.lock('l', 'you', 1000), false);
	await store.unlock('l', 'me');
	assert.equal(await store.lock('l', 'you', 1000), true);
	assert.equal(await store.delete('l'), true);
	assert.equal(await store.delete('l'), false);
});

test('the failure limit slides over a minute', () => {
	let now = 1_000_000;
	const limit = new RateLimit(3, () => now);
	for (let round = 0; round < 3; round++) {
		assert.equal(limit.waitS('a'), 0);
		limit.add('a');
	}
	assert.ok(limit.waitS('a') > 0);
	assert.equal(limit.waitS('b'), 0);
	now += 61_000;
	assert.ok(limit.waitS('a') === 0 || limit.waitS('a') <= 60);
	now += 60_000;
	assert.equal(limit.waitS('a'), 0);
});
