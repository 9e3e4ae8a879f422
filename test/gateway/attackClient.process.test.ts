/** Attack rows 55 to 60: sign-in with tokens that a client brings. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Harness } from './support/harness.ts';

let h: Harness;
before(async () => {
	h = await Harness.start();
});
after(() => h[Symbol.asyncDispose]());

const post = (body: string, headers: readonly string[], target = '/.auth/login/corp') =>
	h.call({ method: 'POST', target, headers, body });

test('row 55: another media type is 415', async () => {
	for (const type of [
		'text/plain',
		'application/x-www-form-urlencoded',
		'multipart/form-data',
		'application/jsonx',
		'',
	]) {
		assert.equal(
			(await post('{"id_token":"x"}', type === '' ? [] : [`Content-Type: ${type}`])).status,
			415,
			type,
		);
	}
});

test('row 56: a body over 64 kB is 413; broken JSON, wrong types and prototype keys are 400', async () => {
	const json = ['Content-Type: application/json'];
	assert.equal((await post(`{"id_token":"${'x'.repeat(70_000)}"}`, json)).status, 413);
	for (const body of [
		'{',
		'[]',
		'"x"',
		'null',
		'{"id_token":1}',
		'{"id_token":{"a":1}}',
		'{"__proto__":{"id_token":"x"},"id_token":"x"}',
		'{"a":{"constructor":1}}',
		'{}',
		'{"access_token":[]}',
	]) {
		assert.equal((await post(body, json)).status, 400, body);
	}
	assert.equal(({} as Record<string, unknown>)['id_token'], undefined);
});

test('row 57: a provider that is not set up is 404', async () => {
	for (const name of ['google', 'aad', '__proto__', 'constructor', 'corp2', '%63orp']) {
		assert.equal((await h.clientLogin({ id_token: 'x' }, name)).status, 404, name);
	}
});

test('row 58: a token for another app is 401', async () => {
	for (const claims of [
		{ aud: 'other-app' },
		{ aud: ['other-app'] },
		{ iss: 'https://evil.example' },
		{ aud: [h.provider.clientId, 'other'] },
	]) {
		const answer = await h.clientLogin({
			id_token: await h.provider.sign({ sub: 'mallory', ...claims }),
		});
		assert.equal(answer.status, 401, JSON.stringify(claims));
	}
	const [own, foreign] = [
		await h.provider.sign({ sub: 'alice' }),
		await h.provider.sign({ sub: 'mallory' }),
	];
	assert.equal((await h.clientLogin({ id_token: own, access_token: foreign })).status, 401);
	assert.equal((await h.clientLogin({ id_token: own, access_token: 'opaque' })).status, 401);
	assert.equal((await h.clientLogin({ id_token: own })).status, 200);
});

test('row 59: a foreign page cannot sign its visitor in, and no cookie is set', async () => {
	const body = { id_token: await h.provider.sign({ sub: 'alice' }) };
	assert.equal((await h.clientLogin(body, 'corp', ['Sec-Fetch-Site: cross-site'])).status, 403);
	assert.equal((await h.clientLogin(body, 'corp', ['Origin: https://evil.example'])).status, 403);
	const good = await h.clientLogin(body, 'corp', ['Origin: https://app.example']);
	assert.equal(good.status, 200);
	assert.deepEqual(good.setCookies(), []);
	await using editor = await Harness.start({
		config: { 'x-gateway': { editorOrigins: ['https://vscode.dev'] } },
	});
	const allowed = await editor.clientLogin(
		{ id_token: await editor.provider.sign({ sub: 'a' }) },
		'corp',
		['Origin: https://vscode.dev', 'Sec-Fetch-Site: cross-site'],
	);
	assert.equal(allowed.status, 200);
	assert.equal(allowed.header('access-control-allow-origin'), 'https://vscode.dev');
});

test('row 60: too many failures in a minute are 429, and good sign-ins do not count', async () => {
	await using own = await Harness.start({ config: { 'x-gateway': { failuresPerMinute: 5 } } });
	const good = { id_token: await own.provider.sign({ sub: 'alice' }) };
	for (let round = 0; round < 10; round++) assert.equal((await own.clientLogin(good)).status, 200);
	for (let round = 0; round < 5; round++)
		assert.equal((await own.clientLogin({ id_token: 'a.b.c' })).status, 401);
	const limited = await own.clientLogin(good);
	assert.equal(limited.status, 429);
	assert.ok(Number(limited.header('retry-after')) > 0);
	own.advance(121_000);
	assert.equal((await own.clientLogin(good)).status, 200);
});
