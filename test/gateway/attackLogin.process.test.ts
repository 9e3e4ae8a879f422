/** Attack rows 43 to 54: the sign-in flow. */

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import type { FakeProvider } from './support/fakeProvider.ts';
import { cookieOf, Harness, pair, sessionCookieName } from './support/harness.ts';

let h: Harness;
before(async () => {
	h = await Harness.start();
});
beforeEach(() => {
	h.provider.makeIdToken = undefined;
	h.provider.claims = { sub: 'alice', email: 'alice@corp.example', email_verified: true };
});
after(() => h[Symbol.asyncDispose]());

const start = () => h.navigate('/.auth/login/corp?post_login_redirect_uri=/app');

test('row 43: a callback in a browser that began no login is 401 and sets no cookie', async () => {
	const begun = await start();
	const back = h.provider.authorize(begun.header('location')!);
	const answer = await h.navigate(back.pathname + back.search);
	assert.equal(answer.status, 401);
	assert.deepEqual(answer.setCookies(), []);
});

test('row 44: a wrong or missing state is 401', async () => {
	const begun = await start();
	const back = h.provider.authorize(begun.header('location')!);
	for (const change of [
		(url: URL) => url.searchParams.delete('state'),
		(url: URL) => url.searchParams.set('state', 'x'),
		(url: URL) =>
			url.searchParams.set(
				'state',
				`${url.searchParams.get('state')!.slice(0, 1)}${'A'.repeat(24)}`,
			),
	]) {
		const url = new URL(back);
		change(url);
		const answer = await h.navigate(
			url.pathname + url.search,
			begun.setCookies().map(pair).join('; '),
		);
		assert.equal(answer.status, 401);
		assert.equal(cookieOf(answer, sessionCookieName), undefined);
	}
});

test('row 45: a code used twice is 401 with a way to try again', async () => {
	const begun = await start();
	const back = h.provider.authorize(begun.header('location')!);
	const cookies = begun.setCookies().map(pair).join('; ');
	assert.equal((await h.navigate(back.pathname + back.search, cookies)).status, 302);
	const again = await h.navigate(back.pathname + back.search, cookies);
	assert.equal(again.status, 401);
	assert.match(again.body, /Try again/);
});

test('row 46: an answer that names another issuer, or none, is 401', async () => {
	for (const issuer of ['https://evil.example', '']) {
		const begun = await start();
		const back = h.provider.authorize(begun.header('location')!);
		if (issuer === '') back.searchParams.delete('iss');
		else back.searchParams.set('iss', issuer);
		assert.equal(
			(await h.navigate(back.pathname + back.search, begun.setCookies().map(pair).join('; ')))
				.status,
			401,
		);
	}
});

type MakeToken = (claims: JWTPayload, fake: FakeProvider) => Promise<string>;
const now = () => Math.floor(Date.now() / 1000);
const base = (claims: JWTPayload, fake: FakeProvider): JWTPayload => ({
	iss: fake.issuer,
	aud: fake.clientId,
	iat: now(),
	exp: now() + 600,
	...claims,
});
const badTokens: readonly [string, MakeToken][] = [
	['a wrong nonce', (claims, fake) => fake.sign({ ...claims, nonce: 'other' })],
	['no nonce', ({ nonce: _, ...claims }, fake) => fake.sign(claims)],
	['alg none', async (claims, fake) => new UnsecuredJWT(base(claims, fake)).encode()],
	[
		'HS256 with the client secret',
		(claims, fake) =>
			new SignJWT(base(claims, fake))
				.setProtectedHeader({ alg: 'HS256' })
				.sign(new TextEncoder().encode(fake.clientSecret.padEnd(32, '0'))),
	],
	['another audience', (claims, fake) => fake.sign({ ...claims, aud: 'somebody-else' })],
	[
		'two audiences without an authorized party',
		(claims, fake) => fake.sign({ ...claims, aud: [fake.clientId, 'other'] }),
	],
	[
		'an authorized party that is somebody else',
		(claims, fake) => fake.sign({ ...claims, aud: [fake.clientId, 'other'], azp: 'other' }),
	],
	[
		'an end in the past',
		(claims, fake) => fake.sign({ ...claims, iat: now() - 7200, exp: now() - 3600 }),
	],
	[
		'a beginning in the future',
		(claims, fake) => fake.sign({ ...claims, iat: now() + 3600, exp: now() + 7200 }),
	],
	['an unknown key id', (claims, fake) => fake.sign(claims, { kid: 'unknown' })],
	['another issuer', (claims, fake) => fake.sign({ ...claims, iss: 'https://evil.example' })],
	[
		'a foreign key under a known id',
		(claims, fake) =>
			new SignJWT(base(claims, fake))
				.setProtectedHeader({ alg: 'RS256', kid: 'op-1' })
				.sign(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
	],
	['no subject', ({ sub: _, ...claims }, fake) => fake.sign(claims)],
	[
		'no signature at all',
		async (claims, fake) => `${(await fake.sign(claims)).split('.').slice(0, 2).join('.')}.`,
	],
];
for (const [name, make] of badTokens) {
	test(`row 47: an id token with ${name} is 401`, async () => {
		h.provider.makeIdToken = make;
		const answer = await h.finish(await start());
		assert.equal(answer.status, 401, answer.body);
		assert.equal(cookieOf(answer, sessionCookieName), undefined);
	});
}

test('row 47: unknown key ids make the keys be fetched once, not every time', async () => {
	await using own = await Harness.start();
	const token = await own.provider.sign(own.provider.claims, { kid: 'unknown' });
	for (let round = 0; round < 6; round++)
		assert.equal((await own.clientLogin({ id_token: token })).status, 401);
	assert.ok(own.provider.jwksCalls <= 2, `${own.provider.jwksCalls} calls`);
});

test('row 48: a login that took too long is begun again once, then ends in an error', async () => {
	await using own = await Harness.start();
	const begun = await own.navigate('/.auth/login/corp?post_login_redirect_uri=/app');
	own.advance(301_000);
	const again = await own.finish(begun);
	assert.equal(again.status, 302);
	assert.equal(new URL(again.header('location')!).pathname, '/authorize');
	own.advance(301_000);
	const error = await own.finish(again);
	assert.equal(error.status, 401);
	own.advance(1000);
	const quick = await own.finish(
		await own.navigate('/.auth/login/corp?post_login_redirect_uri=/app'),
	);
	assert.equal(quick.header('location'), '/app');
});

test('row 49: two tabs finished in reverse order both succeed', async () => {
	const first = await h.navigate('/.auth/login/corp?post_login_redirect_uri=/one');
	const second = await h.navigate(
		'/.auth/login/corp?post_login_redirect_uri=/two',
		first.setCookies().map(pair).join('; '),
	);
	const both = [...first.setCookies(), ...second.setCookies()].map(pair).join('; ');
	const two = await h.finish(second, both);
	assert.equal(two.header('location'), '/two');
	const one = await h.finish(first, `${both}; ${cookieOf(two, sessionCookieName)}`);
	assert.equal(one.header('location'), '/one');
	// The second one made a new session; it is the one that lives.
	assert.equal((await h.navigate('/x', cookieOf(one, sessionCookieName))).status, 200);
});

test('row 50: thirty navigations at once leave at most eight login cookies, under 4 kB', async () => {
	const answers = await Promise.all(
		Array.from({ length: 30 }, (_, index) =>
			h.navigate(
				`/.auth/login/corp?post_login_redirect_uri=${encodeURIComponent(`/some/longer/path/${index}?with=a&query=${'x'.repeat(60)}`)}`,
			),
		),
	);
	const jar = new Map(
		answers
			.flatMap((answer) => answer.setCookies().map(pair))
			.map((text) => [text.split('=', 1)[0]!, text]),
	);
	assert.ok(jar.size <= 8, `${jar.size} cookies`);
	// Later navigations see what the browser holds and keep the total small.
	for (let index = 0; index < 12; index++) {
		const answer = await h.navigate(
			`/.auth/login/corp?post_login_redirect_uri=/p${index}`,
			[...jar.values()].join('; '),
		);
		assert.equal(answer.status, 302);
		for (const line of answer.setCookies()) {
			if (/Max-Age=0/.test(line)) jar.delete(line.split('=', 1)[0]!);
			else jar.set(line.split('=', 1)[0]!, pair(line));
		}
	}
	const header = [...jar.values()].join('; ');
	assert.ok(jar.size <= 8 && header.length < 4096, `${jar.size} cookies, ${header.length} bytes`);
});

test('row 51: a refusal at the provider is a 403 page, and its text cannot become markup', async () => {
	const begun = await start();
	const state = new URL(begun.header('location')!).searchParams.get('state')!;
	const query = new URLSearchParams({
		error: 'access_denied',
		error_description: '<script>alert(1)</script>',
		state,
		iss: h.provider.issuer,
	});
	const answer = await h.navigate(
		`/.auth/login/corp/callback?${query}`,
		begun.setCookies().map(pair).join('; '),
	);
	assert.equal(answer.status, 403);
	assert.ok(!answer.body.includes('<script'));
	assert.match(
		answer.body,
		/did not sign you in \(access_denied\)\. You cancelled it there.*ask whoever runs/,
	);
	const odd = new URLSearchParams({
		error: '"><img src=x onerror=1>',
		state,
		iss: h.provider.issuer,
	});
	const second = await h.navigate(
		`/.auth/login/corp/callback?${odd}`,
		begun.setCookies().map(pair).join('; '),
	);
	assert.ok(!second.body.includes('<img'), second.body);
});

test('row 52: a session that was there before the login is ended and replaced', async () => {
	const old = await h.signIn();
	const begun = await h.navigate('/.auth/login/corp', old);
	const done = await h.finish(begun, old);
	const fresh = cookieOf(done, sessionCookieName)!;
	assert.notEqual(fresh, old);
	assert.equal((await h.get('/x', [`Cookie: ${old}`])).status, 401);
	assert.equal((await h.get('/x', [`Cookie: ${fresh}`])).status, 200);
	const planted = await h.finish(
		await h.navigate('/.auth/login/corp'),
		`${sessionCookieName}=planted`,
	);
	assert.notEqual(cookieOf(planted, sessionCookieName), `${sessionCookieName}=planted`);
});

test('row 53: a posted callback is refused unless the provider needs it', async () => {
	const begun = await start();
	const back = h.provider.authorize(begun.header('location')!);
	const answer = await h.call({
		method: 'POST',
		target: back.pathname,
		headers: [
			'Content-Type: application/x-www-form-urlencoded',
			`Cookie: ${begun.setCookies().map(pair).join('; ')}`,
		],
		body: back.search.slice(1),
	});
	assert.equal(answer.status, 405);
	assert.match(begun.setCookies()[0]!, /SameSite=Lax/);
});

test('row 54: a callback on another host name is refused and the redirect address stays fixed', async () => {
	const begun = await start();
	const back = h.provider.authorize(begun.header('location')!);
	const answer = await h.call({
		target: back.pathname + back.search,
		host: 'alias.example',
		headers: [`Cookie: ${begun.setCookies().map(pair).join('; ')}`],
	});
	assert.equal(answer.status, 421);
	await using aliased = await Harness.start({
		config: { 'x-gateway': { allowedHosts: ['alias.example'] } },
	});
	const from = await aliased.call({
		target: '/.auth/login/corp',
		host: 'alias.example',
		headers: ['Accept: text/html'],
	});
	assert.equal(
		new URL(from.header('location')!).searchParams.get('redirect_uri'),
		'https://app.example/.auth/login/corp/callback',
	);
});
