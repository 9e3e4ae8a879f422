/** The layer against provider software that others wrote, unmodified. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuth2Server } from 'oauth2-mock-server';
import { cookieOf, Harness, type Json, pair, sessionCookieName } from './support/harness.ts';
import { startOtherProvider } from './support/otherProvider.ts';

/** Settings whose provider is somewhere else. */
function providerAt(discovery: string, clientId: string): Json {
	return {
		identityProviders: {
			customOpenIdConnectProviders: {
				corp: {
					registration: {
						clientId,
						clientCredential: { clientSecretSettingName: 'OTHER_SECRET' },
						openIdConnectConfiguration: { wellKnownOpenIdConfiguration: discovery },
					},
					login: { scopes: ['openid', 'email', 'offline_access'] },
				},
			},
		},
	};
}

test('a login, a refresh and a sign-out work with oidc-provider', async () => {
	const provider = await startOtherProvider({
		clientId: 'team',
		clientSecret: 'team-secret',
		redirectUri: 'https://app.example/.auth/login/corp/callback',
		signedOutUri: 'https://app.example/.auth/logout/done',
	});
	const { issuer, discovery } = provider;
	try {
		await using h = await Harness.start({
			config: providerAt(discovery, 'team'),
			env: { OTHER_SECRET: 'team-secret' },
		});
		const begun = await h.navigate('/.auth/login/corp?post_login_redirect_uri=/app');
		const callback = await playLogin(begun.header('location')!, issuer);
		const done = await h.navigate(
			callback.pathname + callback.search,
			begun.setCookies().map(pair).join('; '),
		);
		assert.equal(done.status, 302, done.body);
		const cookie = cookieOf(done, sessionCookieName)!;
		assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 200);
		assert.deepEqual(h.app.last.values('x-ms-client-principal-name'), ['dora@corp.example']);
		const before = h.app.last.values('x-ms-token-corp-access-token')[0];
		const refreshed = await h.get('/.auth/refresh', [`Cookie: ${cookie}`]);
		assert.equal(refreshed.status, 200, refreshed.body);
		await h.get('/x', [`Cookie: ${cookie}`]);
		assert.notEqual(h.app.last.values('x-ms-token-corp-access-token')[0], before);
		// Rotation with detection of reuse: the second refresh must use the new token.
		h.advance(11_000);
		assert.equal((await h.get('/.auth/refresh', [`Cookie: ${cookie}`])).status, 200);
		const out = await h.navigate('/.auth/logout', cookie);
		assert.equal(new URL(out.header('location')!).origin, issuer);
	} finally {
		await provider.stop();
	}
});

/** Signs in on the provider's own development pages, as a browser with a cookie jar. */
async function playLogin(start: string, issuer: string): Promise<URL> {
	const jar = new Map<string, string>();
	let url = start;
	let body: string | undefined;
	for (let step = 0; step < 12; step++) {
		const answer = await fetch(url, {
			method: body === undefined ? 'GET' : 'POST',
			redirect: 'manual',
			headers: {
				Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
				...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
			},
			...(body === undefined ? {} : { body }),
		});
		for (const line of answer.headers.getSetCookie()) {
			const [name, value] = pair(line).split(/=(.*)/s);
			jar.set(name!, value ?? '');
		}
		const location = answer.headers.get('location');
		if (location !== null) {
			const next = new URL(location, url);
			if (next.origin !== issuer) return next;
			url = next.href;
			body = undefined;
			continue;
		}
		const page = await answer.text();
		const action = /action="([^"]+)"/.exec(page)?.[1];
		assert.ok(action, `no form at ${url}: ${page.slice(0, 300)}`);
		const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login';
		url = new URL(action, url).href;
		body = new URLSearchParams({
			prompt,
			...(prompt === 'login' ? { login: 'dora', password: 'x' } : {}),
		}).toString();
	}
	throw new Error('the provider never came back');
}

const hostile: readonly [string, (service: OAuth2Server['service']) => void, number][] = [
	[
		'an id token that has ended',
		(service) =>
			service.on('beforeTokenSigning', (token) =>
				Object.assign(token.payload, { exp: 10, iat: 5 }),
			),
		401,
	],
	[
		'a foreign audience',
		(service) =>
			service.on('beforeTokenSigning', (token) => Object.assign(token.payload, { aud: 'other' })),
		401,
	],
	[
		'a foreign nonce',
		(service) =>
			service.on('beforeTokenSigning', (token) => Object.assign(token.payload, { nonce: 'other' })),
		401,
	],
	[
		'an unknown key id',
		(service) =>
			service.on('beforeTokenSigning', (token) => Object.assign(token.header, { kid: 'nobody' })),
		401,
	],
	[
		'a refused code',
		(service) =>
			service.once('beforeResponse', (answer) =>
				Object.assign(answer, { statusCode: 400, body: { error: 'invalid_grant' } }),
			),
		401,
	],
	[
		'trouble of its own',
		(service) =>
			service.once('beforeResponse', (answer) =>
				Object.assign(answer, { statusCode: 500, body: { error: 'server_error' } }),
			),
		502,
	],
	[
		'nonsense instead of tokens',
		(service) =>
			service.once('beforeResponse', (answer) =>
				Object.assign(answer, { body: { surprise: true } }),
			),
		401,
	],
];
for (const [name, prepare, status] of hostile) {
	test(`oauth2-mock-server answering with ${name} is ${status}`, async () => {
		const server = new OAuth2Server();
		await server.issuer.keys.generate('RS256');
		await server.start(0, '127.0.0.1');
		try {
			const issuer = server.issuer.url!;
			await using h = await Harness.start({
				config: providerAt(`${issuer}/.well-known/openid-configuration`, 'mock'),
				env: { OTHER_SECRET: 'mock-secret' },
			});
			const login = async () => {
				const begun = await h.navigate('/.auth/login/corp?post_login_redirect_uri=/app');
				const answer = await fetch(begun.header('location')!, { redirect: 'manual' });
				const back = new URL(answer.headers.get('location')!);
				return h.navigate(back.pathname + back.search, begun.setCookies().map(pair).join('; '));
			};
			const good = await login();
			assert.equal(good.status, 302, good.body);
			prepare(server.service);
			const bad = await login();
			assert.equal(bad.status, status, bad.body);
			assert.equal(cookieOf(bad, sessionCookieName), undefined);
		} finally {
			await server.stop();
		}
	});
}
