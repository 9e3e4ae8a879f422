/** Attack rows 61 to 69: session tokens and who may use the app, on plain requests and on WebSocket upgrades. */

import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { bothWays } from './support/bothWays.ts';
import { Harness } from './support/harness.ts';

let h: Harness;
before(async () => {
	h = await Harness.start();
});
after(() => h[Symbol.asyncDispose]());

/** Status 401 both ways, and the app sees nothing. */
async function rejected(headers: readonly string[], harness = h): Promise<void> {
	for (const { way, answer, seen } of await bothWays(harness, { target: '/x', headers })) {
		assert.equal(seen, undefined, way);
		assert.equal(answer.status, 401, way);
	}
}

function signingKey(): { kid: string; key: Uint8Array } {
	const file = JSON.parse(readFileSync(join(h.folder, 'gateway-keys.json'), 'utf8')) as {
		keys: { kid: string; secret: string }[];
	};
	const { kid, secret } = file.keys[0]!;
	return {
		kid,
		key: new Uint8Array(
			hkdfSync('sha256', Buffer.from(secret, 'hex'), '', 'nearglot-gateway zumo-sign', 32),
		),
	};
}

test('row 61: unsigned, re-signed and altered session tokens are 401', async () => {
	const token = await h.token();
	const claims = decodeJwt(token);
	const { kid, key } = signingKey();
	const resign = (header: Record<string, unknown>, secret: Uint8Array = key) =>
		new SignJWT(claims)
			.setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
			.sign(secret, { crit: { odd: true } });
	await bothWays(h, { target: '/x', headers: [`X-ZUMO-AUTH: ${await resign({ kid })}`] }).then(
		([plain]) => assert.equal(plain!.answer.status, 200),
	);
	const [head, body, signature] = token.split('.');
	const bad = [
		new UnsecuredJWT(claims).encode(),
		await resign({}),
		await resign({ kid: 'other' }),
		await resign({ kid, odd: 1, crit: ['odd'] }),
		await resign({ kid }, new Uint8Array(32)),
		await new SignJWT(claims)
			.setProtectedHeader({ alg: 'HS512', kid })
			.sign(Buffer.concat([key, key])),
		`${head}.${body}.${signature!.slice(0, -4)}AAAA`,
		`${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'sid:00000000000000000000000000000000' })).toString('base64url')}.${signature}`,
		`${head}.${body}`,
		'x'.repeat(9000),
		'',
	];
	for (const value of bad) await rejected([`X-ZUMO-AUTH: ${value}`]);
	assert.deepEqual(decodeProtectedHeader(token), { typ: 'JWT', alg: 'HS256', kid });
	assert.match(claims.sub!, /^sid:[0-9a-f]{32}$/);
	assert.equal(claims.iss, 'https://app.example/');
});

test('row 62: a token of another host with the same keys is 401', async () => {
	await using other = await Harness.start({
		folder: h.folder,
		config: { 'x-gateway': { publicUrl: 'https://other.example', allowedHosts: ['app.example'] } },
	});
	await rejected([`X-ZUMO-AUTH: ${await other.token()}`]);
	const { kid, key } = signingKey();
	const claims = decodeJwt(await h.token());
	await rejected([
		`X-ZUMO-AUTH: ${await new SignJWT({ ...claims, aud: 'https://other.example/' }).setProtectedHeader({ alg: 'HS256', kid }).sign(key)}`,
	]);
});

test('row 63: after sign-out token and cookie are 401 at once', async () => {
	const [token, cookie] = [await h.token(), await h.signIn()];
	await h.get('/.auth/logout', [`X-ZUMO-AUTH: ${token}`]);
	await rejected([`X-ZUMO-AUTH: ${token}`]);
	await h.navigate('/.auth/logout', cookie);
	await rejected([`Cookie: ${cookie}`]);
});

test('row 64: token and cookie of different people are never mixed; the token decides', async () => {
	const cookie = await h.signIn();
	h.provider.claims = { sub: 'bob', email: 'bob@corp.example' };
	const token = await h.token();
	h.provider.claims = { sub: 'alice', email: 'alice@corp.example' };
	for (const { seen } of await bothWays(h, {
		target: '/x',
		headers: [`X-ZUMO-AUTH: ${token}`, `Cookie: ${cookie}`],
	})) {
		assert.deepEqual(seen!.values('x-ms-client-principal-id'), ['bob']);
		assert.deepEqual(seen!.values('x-ms-client-principal-name'), ['bob@corp.example']);
	}
	await rejected(['X-ZUMO-AUTH: bad', `Cookie: ${cookie}`]);
	await rejected(['X-ZUMO-AUTH: bad', 'Cookie: __Host-AppServiceAuthSession=bad']);
	const sealed = cookie.slice('__Host-AppServiceAuthSession='.length);
	await rejected([`X-ZUMO-AUTH: ${sealed}`]);
	await rejected([`Cookie: __Host-AppServiceAuthSession=${token}`]);
	assert.equal((await h.get('/x', [`X-ZUMO-AUTH: ${token}`, `X-ZUMO-AUTH: ${token}`])).status, 400);
});

test('row 65: an ended token is 401 but can be refreshed for 72 hours', async () => {
	await using own = await Harness.start();
	const first = await own.finish(await own.navigate('/.auth/login/corp?session_mode=token'));
	const token = (
		JSON.parse(decodeURIComponent(first.header('location')!.split('#token=')[1]!)) as {
			authenticationToken: string;
		}
	).authenticationToken;
	assert.equal((await own.get('/x', [`X-ZUMO-AUTH: ${token}`])).status, 200);
	own.advance(9 * 3_600_000);
	await rejected([`X-ZUMO-AUTH: ${token}`], own);
	const refreshed = await own.get('/.auth/refresh', [`X-ZUMO-AUTH: ${token}`]);
	assert.equal(refreshed.status, 200, refreshed.body);
	const fresh = (refreshed.json() as { authenticationToken: string }).authenticationToken;
	assert.equal((await own.get('/x', [`X-ZUMO-AUTH: ${fresh}`])).status, 200);
	own.advance(8 * 3_600_000 + 73 * 3_600_000);
	assert.equal((await own.get('/.auth/refresh', [`X-ZUMO-AUTH: ${fresh}`])).status, 401);
});

test('row 65: a provider that revoked the refresh token is 403, one without refresh 400', async () => {
	await using own = await Harness.start();
	const cookie = await own.signIn();
	own.provider.revoked.add('alice');
	assert.equal((await own.get('/.auth/refresh', [`Cookie: ${cookie}`])).status, 403);
	assert.equal(
		(await own.get('/.auth/refresh', [`X-ZUMO-AUTH: ${await own.token()}`])).status,
		400,
	);
	assert.equal((await own.get('/.auth/refresh')).status, 401);
	own.provider.revoked.clear();
	own.provider.tokenStatus = 503;
	const other = await own.clientLogin({
		id_token: await own.provider.sign({ sub: 'z' }),
		refresh_token: 'r',
	});
	const token = (other.json() as { authenticationToken: string }).authenticationToken;
	const answer = await own.get('/.auth/refresh', [`X-ZUMO-AUTH: ${token}`]);
	assert.equal(answer.status, 502);
	assert.ok(answer.header('retry-after'));
});

test('row 66: a token in the query counts for nothing', async () => {
	const token = await h.token();
	for (const name of [
		'x-zumo-auth',
		'X-ZUMO-AUTH',
		'token',
		'access_token',
		'authenticationToken',
	]) {
		for (const { seen, answer } of await bothWays(h, { target: `/x?${name}=${token}` })) {
			assert.equal(seen, undefined);
			assert.equal(answer.status, 401);
		}
	}
});

test('row 67: a Bearer of an unknown issuer goes through untouched, one of ours is checked', async () => {
	await using open = await Harness.start({
		provider: h.provider,
		config: { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } },
	});
	const foreign = await h.provider.sign({
		sub: 'x',
		iss: 'https://translator.example',
		aud: 'urn:translator',
	});
	for (const value of [foreign, 'opaque-key', 'a.b.c']) {
		for (const { seen } of await bothWays(open, {
			target: '/translate',
			headers: [`Authorization: Bearer ${value}`],
		})) {
			assert.deepEqual(seen!.values('authorization'), [`Bearer ${value}`]);
			assert.deepEqual(seen!.values('x-ms-client-principal'), []);
		}
	}
	const own = await h.provider.sign({ sub: 'carol', email: 'carol@corp.example' });
	for (const { seen } of await bothWays(h, {
		target: '/x',
		headers: [`Authorization: Bearer ${own}`],
	})) {
		assert.deepEqual(seen!.values('x-ms-client-principal-id'), ['carol']);
		assert.deepEqual(seen!.values('authorization'), []);
	}
	const ended = await h.provider.sign({ sub: 'carol', iat: 1, exp: 2 });
	for (const { seen, answer } of await bothWays(open, {
		target: '/x',
		headers: [`Authorization: Bearer ${ended}`],
	})) {
		assert.equal(seen, undefined);
		assert.equal(answer.status, 401);
		assert.match(answer.header('www-authenticate')!, /error="invalid_token"/);
	}
});

test('a session token may come as Bearer, for clients that only know API keys', async () => {
	await using own = await Harness.start({
		config: { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } },
	});
	const token = await own.token();
	const headers = [`Authorization: Bearer ${token}`];
	for (const { seen } of await bothWays(own, { target: '/v1/models', headers })) {
		assert.deepEqual(seen!.values('x-ms-client-principal-id'), ['alice']);
		assert.deepEqual(seen!.values('authorization'), []);
	}
	assert.equal((await own.get('/.auth/refresh', headers)).status, 400);
	await rejected([`Authorization: Bearer ${token.slice(0, -4)}AAAA`], own);
	const cross = [...headers, 'Sec-Fetch-Site: cross-site', 'Origin: https://evil.example'];
	assert.equal((await own.call({ method: 'POST', target: '/x', headers: cross })).status, 200);
	own.advance(9 * 3_600_000);
	await rejected(headers, own);
});

test('rows 68 and 69: look-alike, unverified and doubled addresses and missing groups are not on the list', async () => {
	const list = { identities: ['alice@corp.example', 'oid-7'], groups: ['g1'] };
	await using own = await Harness.start({
		config: {
			identityProviders: {
				customOpenIdConnectProviders: { corp: { 'x-allowedPrincipals': list } },
			},
		},
	});
	const refusedPeople = [
		{ sub: 's', email: 'a@evil.com@corp.example', email_verified: true },
		{ sub: 's', email: 'alice@corp.example', email_verified: false },
		{ sub: 's', email: 'alice@corp.example' },
		{ sub: 's', email: 'аlice@corp.example', email_verified: true },
		{ sub: 's', email: 'ALICE@corp.example', email_verified: true },
		{ sub: 's', email: 'alice@corp.example.evil', email_verified: true },
		{ sub: 's', email: 'alice@corp.example ', email_verified: true },
		{ sub: 's', groups: ['g2'] },
		{ sub: 's', groups: 'g1' },
		{
			sub: 's',
			_claim_names: { groups: 'src1' },
			_claim_sources: { src1: { endpoint: 'https://x' } },
		},
		{ sub: 's', hasgroups: 'true' },
	];
	for (const claims of refusedPeople) {
		assert.equal(
			(await own.clientLogin({ id_token: await own.provider.sign(claims) })).status,
			403,
			JSON.stringify(claims),
		);
		own.provider.claims = claims;
		assert.equal(
			(await own.finish(await own.navigate('/.auth/login/corp'))).status,
			403,
			JSON.stringify(claims),
		);
		for (const { seen, answer } of await bothWays(own, {
			target: '/x',
			headers: [`Authorization: Bearer ${await own.provider.sign(claims)}`],
		})) {
			assert.equal(seen, undefined);
			assert.equal(answer.status, 403);
		}
	}
	for (const claims of [
		{ sub: 's', email: 'alice@CORP.example', email_verified: true },
		{ sub: 'oid-7' },
		{ sub: 's', groups: ['x', 'g1'] },
	]) {
		assert.equal(
			(await own.clientLogin({ id_token: await own.provider.sign(claims) })).status,
			200,
			JSON.stringify(claims),
		);
	}
});
