/** The editor's side of the sign-in layer, against a real layer with a provider beside it. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newProofKey, proofPhrase } from '../../../extension/account/proofKey.ts';
import { SessionStore } from '../../../extension/account/sessionStore.ts';
import { TeamApi, teamOrigin, tokenEnd } from '../../../extension/account/teamApi.ts';
import { parseSettings } from '../../../server/gateway/config/parseSettings.ts';
import { checkPhrase as phraseOfPage } from '../../../server/gateway/session/pkce.ts';
import { baseConfig, type Harness, merge } from '../../gateway/support/harness.ts';
import { PersonsBrowser, startLayer } from './layer.ts';

let layer: Harness;
let api: TeamApi;
let browser: PersonsBrowser;

before(async () => {
	const { layer: started, origin } = await startLayer();
	layer = started;
	api = new TeamApi(origin);
	browser = new PersonsBrowser(layer, origin);
});
after(() => layer[Symbol.asyncDispose]());

test('a device code is approved on the page, gives a session, and that is renewed and ended', async () => {
	const grant = await api.beginDevice();
	assert.equal(await api.pollDevice(grant.deviceCode), undefined);
	const cookie = await browser.signIn();
	const { pathname, search } = new URL(grant.page);
	const { answer } = await browser.press(pathname + search, '/.auth/device/approve', cookie, {
		answer: 'yes',
	});
	assert.equal(answer.status, 200);
	layer.advance(grant.intervalS * 2000);
	const session = await api.pollDevice(grant.deviceCode);
	assert.ok(session && session !== 'slow');
	assert.ok((tokenEnd(session.token) ?? 0) > Date.now());
	assert.equal(typeof (await api.name(session.token)), 'string');
	const renewed = await api.refresh(session.token);
	assert.ok(renewed.kind === 'renewed');
	assert.equal(renewed.session.userId, session.userId);
	await api.signOut(renewed.session.token);
	assert.deepEqual(await api.refresh(renewed.session.token), { kind: 'ended' });
});

test('a refused device says so', async () => {
	const grant = await api.beginDevice();
	const cookie = await browser.signIn();
	const { pathname, search } = new URL(grant.page);
	await browser.press(pathname + search, '/.auth/device/approve', cookie, { answer: 'no' });
	layer.advance(grant.intervalS * 2000);
	await assert.rejects(api.pollDevice(grant.deviceCode), /refused/);
});

test('a handed-over code works once, with its own proof key, and both sides show one phrase', async () => {
	const key = newProofKey();
	const cookie = await browser.signIn();
	const target = api
		.handoffPage('vscode://acme.ext/signed-in?nonce=n1', key.challenge)
		.slice(api.origin.length);
	const { page, answer } = await browser.press(target, '/.auth/handoff', cookie, {});
	assert.ok(page.body.includes(key.phrase));
	assert.equal(proofPhrase(key.challenge), phraseOfPage(key.challenge));
	const back = new URL(answer.headers.get('location') ?? '');
	assert.equal(back.searchParams.get('nonce'), 'n1');
	const code = back.searchParams.get('code') ?? '';
	const provider = back.searchParams.get('provider') ?? '';
	await assert.rejects(api.redeem(provider, code, newProofKey().verifier));
	const again = await browser.press(target, '/.auth/handoff', cookie, {});
	const fresh = new URL(again.answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
	const session = await api.redeem(provider, fresh, key.verifier);
	assert.ok(session.token.length > 20);
	await assert.rejects(api.redeem(provider, fresh, key.verifier));
});

test('a callback the team does not list is known before a page opens', async () => {
	const { challenge } = newProofKey();
	assert.equal(await api.allowsCallback('vscode://acme.ext/signed-in?nonce=n', challenge), true);
	assert.equal(
		await api.allowsCallback('http://127.0.0.1:4711/signed-in?nonce=n', challenge),
		true,
	);
	assert.equal(await api.allowsCallback('vscode://other.ext/signed-in', challenge), false);
});

test('a session of the editor is only asked for where the team takes it, and is checked there', async () => {
	assert.equal(await api.editorSession(), undefined);
	const tenant = '0f0e0d0c-0b0a-0908-0706-050403020100';
	const { layer: started, origin } = await startLayer(
		{
			identityProviders: {
				azureActiveDirectory: {
					registration: {
						clientId: layer.provider.clientId,
						clientSecretSettingName: 'CORP_SECRET',
						openIdIssuer: `https://login.example/${tenant}/v2.0`,
					},
					'x-endpoints': {
						issuer: layer.provider.issuer,
						discovery: `${layer.provider.issuer}/.well-known/openid-configuration`,
					},
					'x-editorSession': { scopes: ['api://team/access'] },
				},
			},
		},
		{ provider: layer.provider },
	);
	await using _own = started;
	const team = new TeamApi(origin);
	assert.deepEqual(await team.editorSession(), {
		provider: 'aad',
		scopes: ['api://team/access', `VSCODE_TENANT:${tenant}`],
	});
	const person = { sub: 's', oid: 'o', name: 'Eve', preferred_username: 'eve@corp.example' };
	const session = await team.exchange('aad', await layer.provider.sign(person));
	assert.equal(await team.name(session.token), 'eve@corp.example');
	const foreign = await layer.provider.sign({ ...person, aud: 'another-app' });
	await assert.rejects(team.exchange('aad', foreign));
	const without = merge(baseConfig(layer.provider), {
		identityProviders: {
			azureActiveDirectory: {
				registration: { clientId: 'x', clientSecretSettingName: 'CORP_SECRET' },
				'x-editorSession': {},
			},
		},
	});
	assert.throws(
		() => parseSettings(without, { CORP_SECRET: 's' }, 1),
		/x-editorSession: lacks 'scopes'/,
	);
});

test('only https addresses and this computer are team servers', () => {
	assert.equal(teamOrigin('team.example/path'), 'https://team.example');
	assert.equal(teamOrigin('http://127.0.0.1:80'), 'http://127.0.0.1');
	for (const wrong of ['http://team.example', 'ftp://a', 'javascript:alert(1)', '']) {
		assert.throws(() => teamOrigin(wrong), /address/, wrong);
	}
});

test('a token goes with the calls that need it, to its own origin, and with no other', async () => {
	const seen: [string, string | null][] = [];
	const own = new TeamApi('https://a.example', async (input, init) => {
		seen.push([String(input), new Headers(init?.headers).get('x-zumo-auth')]);
		if (String(input).endsWith('/me')) return Response.json([{ user_id: 'ann' }]);
		return Response.json({ authenticationToken: 't', user: { userId: 'u' }, providers: [] });
	});
	await own.redeem('corp', 'code', 'verifier');
	await own.beginDevice();
	await own.pollDevice('device');
	await own.allowsCallback('vscode://a.b/c', 'challenge');
	await own.editorSession();
	await own.exchange('aad', 'token of the provider');
	const without = seen.splice(0);
	assert.equal(without.length, 6);
	await own.refresh('secret');
	await own.name('secret');
	await own.signOut('secret');
	assert.deepEqual(
		without.map(([, token]) => token),
		Array(6).fill(null),
	);
	assert.deepEqual(
		seen.map(([, token]) => token),
		Array(3).fill('secret'),
	);
	for (const [url] of [...without, ...seen]) assert.equal(new URL(url).origin, 'https://a.example');
});

test('only a refusal ends a session: a server that fails or is away says nothing of it', async () => {
	let answer = async (): Promise<Response> => new Response(null, { status: 401 });
	const own = new TeamApi('https://a.example', () => answer());
	for (const [status, kind] of [
		[400, 'fixed'],
		[401, 'ended'],
		[403, 'revoked'],
	] as const) {
		answer = async () => new Response(null, { status });
		assert.deepEqual(await own.refresh('t'), { kind });
	}
	for (const status of [429, 500, 502, 503]) {
		answer = async () => Response.json({ detail: 'Try later.' }, { status });
		await assert.rejects(own.refresh('t'), {
			code: status === 429 ? 'rate_limited' : 'upstream_failed',
			message: 'Try later.',
		});
	}
	answer = async () => Response.json({ unexpected: true });
	await assert.rejects(own.refresh('t'), { code: 'upstream_failed' });
	answer = async () => {
		throw new TypeError('no network');
	};
	await assert.rejects(own.refresh('t'), { code: 'upstream_failed' });
});

test('a token is not sent along a redirect', async () => {
	const seen: string[] = [];
	const redirecting = new TeamApi('https://a.example', async (input, init) => {
		seen.push(String(input), String(init?.redirect));
		throw new TypeError('unexpected redirect');
	});
	await assert.rejects(redirecting.refresh('secret'), { code: 'upstream_failed' });
	assert.deepEqual(seen, ['https://a.example/.auth/refresh', 'error']);
});

test('sessions of several servers live side by side, and broken content is no session', async () => {
	let text: string | undefined = '{broken';
	const store = new SessionStore({
		get: async () => text,
		store: async (_key, value) => {
			text = value;
		},
	});
	assert.deepEqual(await store.list(), []);
	const one = { id: 'a#1', origin: 'https://a', userId: '1', label: 'A', token: 't1' };
	await Promise.all([store.put(one), store.put({ ...one, id: 'b#1', origin: 'https://b' })]);
	await store.put({ ...one, token: 't2' });
	assert.deepEqual(
		(await store.list()).map(({ id, token }) => [id, token]),
		[
			['b#1', 't1'],
			['a#1', 't2'],
		],
	);
	await store.remove('b#1');
	assert.equal((await store.list()).length, 1);
});
