/** The ordinary ways through the layer: browser, client-directed, refresh, sign-out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Harness } from './support/harness.ts';

test('a browser signs in, reaches the app with identity headers, and signs out at the provider', async () => {
	await using h = await Harness.start();
	const first = await h.navigate('/app?x=1');
	assert.equal(first.status, 302);
	assert.equal(
		first.header('location'),
		'/.auth/login/corp?post_login_redirect_uri=%2Fapp%3Fx%3D1',
	);
	assert.equal(h.app.seen.length, 0);
	const cookie = await h.signIn('/app?x=1');
	const page = await h.navigate('/app?x=1', cookie);
	assert.equal(page.status, 200);
	assert.deepEqual(h.app.last.values('x-ms-client-principal-name'), ['alice@corp.example']);
	assert.deepEqual(h.app.last.values('x-ms-client-principal-id'), ['alice']);
	assert.deepEqual(h.app.last.values('x-ms-client-principal-idp'), ['corp']);
	assert.equal(h.app.last.values('x-ms-token-corp-access-token').length, 1);
	const principal = JSON.parse(
		Buffer.from(h.app.last.values('x-ms-client-principal')[0]!, 'base64').toString(),
	) as { claims: { typ: string; val: string }[] };
	assert.ok(principal.claims.some((claim) => claim.val === 'alice@corp.example'));
	const out = await h.navigate('/.auth/logout?post_logout_redirect_uri=/bye', cookie);
	assert.equal(out.status, 302);
	const atProvider = new URL(out.header('location')!);
	assert.equal(atProvider.origin, h.provider.issuer);
	assert.equal(
		atProvider.searchParams.get('post_logout_redirect_uri'),
		'https://app.example/.auth/logout/done',
	);
	const back = await h.navigate(`/.auth/logout/done?state=${atProvider.searchParams.get('state')}`);
	assert.equal(back.header('location'), '/bye');
	assert.equal((await h.navigate('/app', cookie)).status, 302);
});

test('a client signs in with its own token and calls with X-ZUMO-AUTH', async () => {
	await using h = await Harness.start();
	const token = await h.token();
	const answer = await h.get('/api', [`X-ZUMO-AUTH: ${token}`]);
	assert.equal(answer.status, 200);
	assert.deepEqual(h.app.last.values('x-ms-client-principal-name'), ['alice@corp.example']);
	assert.deepEqual(h.app.last.values('x-zumo-auth'), []);
	const me = (await h.get('/.auth/me', [`X-ZUMO-AUTH: ${token}`])).json() as {
		user_id: string;
		provider_name: string;
	}[];
	assert.equal(me[0]?.user_id, 'alice@corp.example');
	assert.equal((await h.get('/.auth/logout', [`X-ZUMO-AUTH: ${token}`])).status, 204);
	assert.equal((await h.get('/api', [`X-ZUMO-AUTH: ${token}`])).status, 401);
	const again = { method: 'POST', target: '/.auth/logout', headers: [`X-ZUMO-AUTH: ${token}`] };
	assert.equal((await h.call(again)).status, 204);
});
