/** The session cookie on HTTPS: which names count, and that two of them are none. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { KeyRing } from '../../server/gateway/keys/keyRing.ts';
import { seal, unseal } from '../../server/gateway/keys/seal.ts';
import { Harness, type Json, sessionCookieName as name } from './support/harness.ts';

const oldName = 'AppServiceAuthSession';
const hour = 3_600_000;

/** Key ring of a running layer, to read and make cookies as an earlier version did. */
function ringOf(h: Harness): KeyRing {
	const { keys } = JSON.parse(readFileSync(join(h.folder, 'gateway-keys.json'), 'utf8')) as {
		keys: { kid: string; secret: string }[];
	};
	return new KeyRing(
		keys.map(({ kid, secret }) => ({
			kid,
			secret: Buffer.from(secret, 'hex'),
			notBefore: 0,
			retireAfter: Number.POSITIVE_INFINITY,
		})),
		Buffer.alloc(32),
		Date.now,
	);
}

/** The cookie that an earlier version gave for the same session. */
function asBefore(h: Harness, cookie: string): string {
	const ring = ringOf(h);
	const { sid, iat } = JSON.parse(
		unseal(ring, 'cookie-enc', cookie.slice(name.length + 1)) ?? '',
	) as {
		sid: string;
		iat: number;
	};
	return `${oldName}=${seal(ring, 'cookie-enc', JSON.stringify({ sid, iat }))}`;
}

const status = async (h: Harness, ...cookies: string[]) =>
	(
		await h.get(
			'/x',
			cookies.map((cookie) => `Cookie: ${cookie}`),
		)
	).status;

test('two session cookies are none: in any order, in one header or two, under both names', async () => {
	await using h = await Harness.start();
	const own = await h.signIn();
	const other = await h.signIn();
	const rename = (cookie: string) => cookie.replace(name, oldName);
	assert.deepEqual([await status(h, own), await status(h, other)], [200, 200]);
	for (const foreign of [
		other,
		own,
		`${name}=`,
		`${name}=garbage`,
		rename(other),
		`${oldName}=garbage`,
		`__Secure-${oldName}=garbage`,
		asBefore(h, other),
	]) {
		assert.equal(await status(h, `${own}; ${foreign}`), 401, foreign);
		assert.equal(await status(h, `${foreign}; ${own}`), 401, foreign);
		assert.equal(await status(h, `a=b; ${foreign}`, `${own}; c=d`), 401, foreign);
		assert.equal(await status(h, own, foreign), 401, foreign);
	}
	assert.equal(
		await status(h, `a=b; ${own}; ${oldName}2=x`),
		200,
		'a longer name is another cookie',
	);
	assert.equal(
		h.app.seen.every((seen) => !seen.values('cookie').join().includes(oldName)),
		true,
	);
});

test('a browser with two session cookies is told, not sent in circles, and signing out ends both', async () => {
	await using h = await Harness.start();
	const [own, other] = [await h.signIn(), await h.signIn()];
	const both = `${asBefore(h, other)}; ${own}`;
	for (const target of [
		'/',
		'/.auth/device?user_code=BBBB-BBBB',
		'/.auth/handoff?callback=vscode%3A%2F%2Facme.ext%2Fsigned-in&code_challenge=' +
			'c'.repeat(43) +
			'&code_challenge_method=S256',
	]) {
		const page = await h.navigate(target, both);
		assert.equal(page.status, 401, target);
		assert.match(page.body, /two session cookies/);
		assert.match(page.body, /\/\.auth\/login\/corp\?/);
		assert.deepEqual(
			page.setCookies().map((line) => [line.split('=')[0], /Max-Age=0/.test(line)]),
			[
				[name, true],
				[oldName, true],
			],
		);
	}
	const out = await h.navigate('/.auth/logout', both);
	assert.equal(out.status, 302);
	assert.equal(out.setCookies().length, 2);
	assert.deepEqual([await status(h, own), await status(h, other)], [401, 401]);
});

test('a value of the prefixed cookie counts under no other name', async () => {
	await using h = await Harness.start();
	const own = await h.signIn();
	assert.ok(own.startsWith(`${name}=`));
	for (const wrong of [oldName, `__Secure-${oldName}`, `__host-${oldName}`, oldName.toLowerCase()])
		assert.equal(await status(h, own.replace(name, wrong)), 401, wrong);
});

test('a cookie of an earlier version counts until its session would have ended, and a refresh replaces it', async () => {
	await using h = await Harness.start();
	const old = asBefore(h, await h.signIn());
	assert.equal(await status(h, old), 200);
	h.advance(15_000);
	const fresh = await h.get('/.auth/refresh', [`Cookie: ${old}`]);
	assert.equal(fresh.status, 200);
	const [removed, given] = fresh.setCookies();
	assert.match(removed ?? '', /^AppServiceAuthSession=; .*Max-Age=0/);
	assert.match(
		given ?? '',
		/^__Host-AppServiceAuthSession=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
	);
	h.advance(8 * hour - 30_000);
	assert.equal(await status(h, old), 200);
	h.advance(60_000);
	assert.equal(await status(h, old), 401, 'renewed, but not for this cookie');
	assert.equal(await status(h, given!.split(';')[0]!), 401);
});

test('a configured name is kept, with and without a prefix; plain HTTP has none', async () => {
	for (const [own, expected, secure] of [
		[{ cookieName: 'team' }, 'team', true],
		[{ cookieName: '__Host-team' }, '__Host-team', true],
		[{ cookieName: '__Secure-team' }, '__Secure-team', true],
		[{ publicUrl: 'http://localhost:8000' }, oldName, false],
	] as const satisfies readonly (readonly [Json, string, boolean])[]) {
		await using h = await Harness.start({ config: { 'x-gateway': own } });
		const host = 'publicUrl' in own ? 'localhost:8000' : 'app.example';
		const headers = ['Accept: text/html', 'Sec-Fetch-Site: none'];
		const begun = await h.call({ target: '/.auth/login/corp', host, headers });
		const back = h.provider.authorize(begun.header('location')!);
		const done = await h.call({
			target: back.pathname + back.search,
			host,
			headers: [
				...headers,
				`Cookie: ${begun
					.setCookies()
					.map((line) => line.split(';')[0])
					.join('; ')}`,
			],
		});
		const line = done.setCookies().find((text) => text.startsWith(`${expected}=`));
		assert.ok(line, `${expected} in ${done.setCookies().join()}`);
		assert.equal(/; Secure/.test(line), secure);
		assert.doesNotMatch(line, /Domain/i);
		const answer = await h.call({ target: '/x', host, headers: [`Cookie: ${line.split(';')[0]}`] });
		assert.equal(answer.status, 200, expected);
	}
});
