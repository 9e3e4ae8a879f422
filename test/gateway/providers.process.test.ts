/** Every kind of provider, in the browser and with tokens a client brings, against fakes of their interfaces. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { oauth1Header, oauth1Signature } from '../../server/gateway/providers/oauth1.ts';
import { FakeSocial, social } from './support/fakeSocial.ts';
import {
	browserHeaders,
	cookieOf,
	Harness,
	type Json,
	pair,
	sessionCookieName,
} from './support/harness.ts';

let fakes: FakeSocial;
let h: Harness;

/** All providers at once, every address overridden. */
async function start(extra: Json = {}): Promise<Harness> {
	const { FakeProvider } = await import('./support/fakeProvider.ts');
	const provider = new FakeProvider();
	await provider.listen();
	const registration = { clientId: provider.clientId, clientSecretSettingName: 'CORP_SECRET' };
	const own = { clientId: social.clientId, clientSecretSettingName: 'SOCIAL_SECRET' };
	const discovery = { discovery: `${provider.issuer}/.well-known/openid-configuration` };
	const config = {
		identityProviders: {
			azureActiveDirectory: {
				registration: { ...registration, openIdIssuer: provider.issuer },
				login: { loginParameters: ['domain_hint=corp.example'] },
				validation: { allowedAudiences: ['api://corp'] },
			},
			google: { registration, 'x-endpoints': discovery },
			apple: { registration, 'x-endpoints': discovery, login: { scopes: ['name', 'email'] } },
			legacyMicrosoftAccount: {
				registration,
				'x-endpoints': { ...discovery, userInfo: `${fakes.url}/live/me` },
				...extra,
			},
			gitHub: {
				registration: own,
				'x-endpoints': {
					authorization: `${fakes.url}/github/authorize`,
					token: `${fakes.url}/github/token`,
					userInfo: `${fakes.url}/github/user`,
					emails: `${fakes.url}/github/emails`,
				},
			},
			facebook: {
				registration: { appId: social.clientId, appSecretSettingName: 'SOCIAL_SECRET' },
				'x-endpoints': {
					authorization: `${fakes.url}/facebook/authorize`,
					token: `${fakes.url}/facebook/token`,
					userInfo: `${fakes.url}/facebook/me`,
					debugToken: `${fakes.url}/facebook/debug`,
				},
			},
			twitter: {
				registration: { consumerKey: social.clientId, consumerSecretSettingName: 'SOCIAL_SECRET' },
				'x-endpoints': {
					requestToken: `${fakes.url}/twitter/request_token`,
					authorization: `${fakes.url}/twitter/authenticate`,
					token: `${fakes.url}/twitter/access_token`,
					userInfo: `${fakes.url}/twitter/verify`,
				},
			},
		},
	};
	return Harness.start({ provider, config, env: { SOCIAL_SECRET: social.clientSecret } });
}

before(async () => {
	fakes = new FakeSocial();
	await fakes.listen();
	h = await start();
});
after(async () => {
	await h[Symbol.asyncDispose]();
	await h.provider[Symbol.asyncDispose]();
	await fakes[Symbol.asyncDispose]();
});

/** Begins a login and comes back with a code. */
async function browser(name: string, back: (location: URL) => Record<string, string>) {
	const begun = await h.navigate(`/.auth/login/${name}?post_login_redirect_uri=/app`);
	assert.equal(begun.status, 302, begun.body);
	const location = new URL(begun.header('location')!);
	const query = new URLSearchParams(back(location));
	const route = name === 'x' ? 'twitter' : name;
	const done = await h.navigate(
		`/.auth/login/${route}/callback?${query}`,
		begun.setCookies().map(pair).join('; '),
	);
	return { location, done, cookie: cookieOf(done, sessionCookieName) };
}

const withState = (code: string) => (location: URL) => ({
	code,
	state: location.searchParams.get('state')!,
});

async function identity(headers: readonly string[]) {
	const answer = await h.get('/who', headers);
	assert.equal(answer.status, 200);
	const value = (name: string) => h.app.last.values(`x-ms-${name}`)[0];
	return {
		id: value('client-principal-id'),
		name: value('client-principal-name'),
		idp: value('client-principal-idp'),
		value,
	};
}

async function clientIdentity(name: string, body: Json) {
	const answer = await h.clientLogin(body, name);
	assert.equal(answer.status, 200, answer.body);
	const result = answer.json() as { authenticationToken: string; user: { userId: string } };
	assert.match(result.user.userId, /^sid:[0-9a-f]{32}$/);
	return identity([`X-ZUMO-AUTH: ${result.authenticationToken}`]);
}

test('the code host signs in by browser with its verified address, and by no other way', async () => {
	const { location, cookie } = await browser('github', withState('good'));
	assert.equal(location.searchParams.get('code_challenge_method'), 'S256');
	const who = await identity([`Cookie: ${cookie}`]);
	assert.deepEqual([who.id, who.name, who.idp], ['583231', 'octo', 'github']);
	const me = (await h.get('/.auth/me', [`Cookie: ${cookie}`])).json() as {
		user_claims: { val: string }[];
	}[];
	assert.ok(me[0]!.user_claims.some((claim) => claim.val === 'octo@x.example'));
	assert.equal((await browser('github', withState('bad'))).done.status, 401);
	assert.equal((await h.clientLogin({ access_token: social.githubToken }, 'github')).status, 405);
});

test('the social network signs in by browser and by token, and only with tokens for this app', async () => {
	const { cookie } = await browser('facebook', withState('good'));
	assert.deepEqual((await identity([`Cookie: ${cookie}`])).id, '77');
	const who = await clientIdentity('facebook', { access_token: social.facebookToken });
	assert.equal(who.name, 'fay@x.example');
	assert.equal(who.value('token-facebook-access-token'), social.facebookToken);
	assert.match(who.value('token-facebook-expires-on')!, /^\d{4}-\d\d-\d\dT[\d:]+\.\d{7}Z$/);
	for (const token of [social.facebookForeignToken, 'EAA-unknown']) {
		assert.equal(
			(await h.clientLogin({ access_token: token }, 'facebook')).status,
			401,
			`row 58: ${token}`,
		);
	}
	assert.equal((await h.clientLogin({ id_token: 'x' }, 'facebook')).status, 400);
});

test('the microblog signs in with OAuth 1.0a, under both of its names', async () => {
	const answer = (location: URL) => ({
		oauth_token: location.searchParams.get('oauth_token')!,
		oauth_verifier: 'ok',
		state: new URL(fakes.twitterCalls.at(-1)!['oauth_callback']!).searchParams.get('state')!,
	});
	for (const name of ['twitter', 'x']) {
		const { cookie, done } = await browser(name, answer);
		assert.equal(done.status, 302, done.body);
		const who = await identity([`Cookie: ${cookie}`]);
		assert.deepEqual([who.id, who.name, who.idp], ['5', 'tweety', 'twitter']);
		assert.equal(who.value('token-twitter-access-token-secret'), social.twitterTokenSecret);
		const client = await clientIdentity(name, {
			access_token: social.twitterToken,
			access_token_secret: social.twitterTokenSecret,
		});
		assert.equal(client.id, '5');
	}
	assert.equal(
		(await browser('twitter', (location) => ({ ...answer(location), oauth_token: 'other' }))).done
			.status,
		401,
	);
	assert.equal(
		(await browser('twitter', (location) => ({ ...answer(location), oauth_verifier: 'no' }))).done
			.status,
		401,
	);
	assert.equal(
		(await browser('twitter', (location) => ({ state: answer(location).state, denied: '1' }))).done
			.status,
		403,
	);
	assert.equal(
		(await h.clientLogin({ access_token: social.twitterToken, access_token_secret: 'wrong' }, 'x'))
			.status,
		401,
	);
	assert.equal((await h.clientLogin({ access_token: social.twitterToken }, 'x')).status, 400);
});

test('the directory takes access, id and refresh token, sends its parameters and names people by object id', async () => {
	h.provider.claims = {
		sub: 'pairwise',
		oid: 'oid-1',
		tid: 'tenant-1',
		preferred_username: 'ann@corp.example',
		roles: ['Reader', 'Writer'],
	};
	const begun = await h.navigate(
		'/.auth/login/aad?post_login_redirect_uri=/app&prompt=login&client_id=evil&response_type=token&state=evil',
	);
	const query = new URL(begun.header('location')!).searchParams;
	assert.equal(query.get('domain_hint'), 'corp.example');
	assert.equal(query.get('prompt'), 'login');
	assert.equal(query.get('client_id'), h.provider.clientId);
	assert.equal(query.get('response_type'), 'code');
	assert.deepEqual(query.getAll('state').length, 1);
	const api = await h.provider.sign({ ...h.provider.claims, aud: 'api://corp' });
	const id = await h.provider.sign(h.provider.claims);
	const who = await clientIdentity('aad', {
		access_token: api,
		id_token: id,
		refresh_token: 'r',
		expires_in: 3599,
	});
	assert.deepEqual([who.id, who.name, who.idp], ['oid-1', 'ann@corp.example', 'aad']);
	assert.equal(who.value('token-aad-access-token'), api);
	assert.equal(who.value('token-aad-refresh-token'), undefined);
	const principal = JSON.parse(
		Buffer.from(who.value('client-principal')!, 'base64').toString(),
	) as { role_typ: string; claims: { typ: string; val: string }[] };
	assert.deepEqual(
		principal.claims.filter((claim) => claim.typ === principal.role_typ).map((claim) => claim.val),
		['Reader', 'Writer'],
	);
	assert.ok(
		principal.claims.some(
			(claim) =>
				claim.typ === 'http://schemas.microsoft.com/identity/claims/objectidentifier' &&
				claim.val === 'oid-1',
		),
	);
	await clientIdentity('aad', { access_token: api });
	assert.equal((await h.clientLogin({ access_token: 'graph-token' }, 'aad')).status, 401);
	assert.equal(
		(
			await h.clientLogin(
				{ access_token: await h.provider.sign({ sub: 'x', aud: 'https://graph.example' }) },
				'aad',
			)
		).status,
		401,
	);
});

test('the search provider takes an id token by itself, and no access token', async () => {
	h.provider.claims = { sub: 'g-1', email: 'gil@gmail.example', email_verified: true };
	const who = await clientIdentity('google', {
		id_token: await h.provider.sign(h.provider.claims),
	});
	assert.deepEqual([who.id, who.name], ['g-1', 'gil@gmail.example']);
	assert.equal(who.value('token-google-access-token'), undefined);
	assert.equal((await h.clientLogin({ access_token: 'x' }, 'google')).status, 400);
});

test('the search provider redeems the code that comes with an id token, so that the session can be refreshed', async () => {
	const gil = { sub: 'g-1', email: 'gil@gmail.example', email_verified: true };
	h.provider.claims = gil;
	const id_token = await h.provider.sign(gil);
	const redirect_uri = 'https://native.example/oauth';
	const login = (code: string, uri = redirect_uri) =>
		h.clientLogin({ id_token, authorization_code: code, redirect_uri: uri }, 'google');
	const code = h.provider.grant(redirect_uri, gil);
	const answer = await login(code);
	assert.equal(answer.status, 200, answer.body);
	const { authenticationToken } = answer.json() as { authenticationToken: string };
	const headers = [`X-ZUMO-AUTH: ${authenticationToken}`];
	const first = await identity(headers);
	assert.deepEqual([first.id, first.idp], ['g-1', 'google']);
	const access = first.value('token-google-access-token');
	assert.match(access!, /^[0-9a-f]{32}$/);
	const refreshed = await h.get('/.auth/refresh', headers);
	assert.equal(refreshed.status, 200, refreshed.body);
	h.advance(5000);
	const second = (await identity(headers)).value('token-google-access-token');
	assert.match(second!, /^[0-9a-f]{32}$/);
	assert.notEqual(second, access);
	assert.equal((await login(code)).status, 401, 'a code works once');
	assert.equal((await login('unknown')).status, 401);
	const elsewhere = h.provider.grant(redirect_uri, gil);
	assert.equal((await login(elsewhere, 'https://other.example')).status, 401);
	const others = h.provider.grant(redirect_uri, { ...gil, sub: 'g-2' });
	assert.equal((await login(others)).status, 401, "somebody else's code");
	// Nobody else takes codes, so there one changes nothing.
	const ignored = h.provider.grant(redirect_uri, gil);
	const directory = await h.clientLogin({ id_token, authorization_code: ignored }, 'aad');
	assert.equal(directory.status, 200);
	assert.equal((await login(ignored)).status, 200, 'the code was not used up');
});

test('signing out revokes the grant at the search provider, but not while an editor uses it', async () => {
	await using own = await start();
	await using provider = own.provider;
	provider.endSession = false;
	const signIn = async () => {
		const begun = await own.navigate('/.auth/login/google?post_login_redirect_uri=/app');
		return cookieOf(await own.finish(begun), sessionCookieName)!;
	};
	const cookie = await signIn();
	const me = (await own.get('/.auth/me', [`Cookie: ${cookie}`])).json() as [
		{ refresh_token?: string; access_token: string },
	];
	const out = await own.navigate('/.auth/logout?post_logout_redirect_uri=/bye', cookie);
	assert.equal(out.header('location'), '/bye');
	assert.equal(provider.revocations.length, 1);
	const form = provider.revocations[0]!;
	assert.equal(form.get('client_id'), provider.clientId);
	assert.ok(form.get('token'));
	assert.notEqual(form.get('token'), me[0].access_token, 'the refresh token ends them all');
	assert.equal((await own.get('/who', [`Cookie: ${cookie}`])).status, 401);

	const shared = await signIn();
	const device = (
		await own.call({
			method: 'POST',
			target: '/.auth/device',
			headers: ['Content-Type: application/json'],
			body: '{}',
		})
	).json() as { device_code: string; user_code: string };
	const page = await own.navigate(`/.auth/device?user_code=${device.user_code}`, shared);
	const state = /name="page" value="([^"]+)"/.exec(page.body)![1]!;
	const asForm = 'Content-Type: application/x-www-form-urlencoded';
	await own.call({
		method: 'POST',
		target: '/.auth/device/approve',
		headers: [...browserHeaders, asForm, `Cookie: ${shared}`],
		body: new URLSearchParams({ page: state, answer: 'yes' }).toString(),
	});
	const token = await own.call({
		method: 'POST',
		target: '/.auth/device/token',
		headers: [asForm],
		body: new URLSearchParams({
			grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
			device_code: device.device_code,
		}).toString(),
	});
	const { authenticationToken } = token.json() as { authenticationToken: string };
	assert.equal((await own.navigate('/.auth/logout', shared)).status, 302);
	assert.equal(provider.revocations.length, 1);
	const kept = await own.get('/.auth/refresh', [`X-ZUMO-AUTH: ${authenticationToken}`]);
	assert.equal(kept.status, 200, kept.body);

	provider.revocationStatus = 503;
	const again = await signIn();
	assert.equal((await own.navigate('/.auth/logout', again)).status, 302);
	assert.equal(provider.revocations.length, 2);
	assert.equal((await own.get('/who', [`Cookie: ${again}`])).status, 401);
});

test('the account platform takes authentication tokens; access tokens only when the settings accept that', async () => {
	h.provider.claims = { sub: 'm-1', email: 'mia@live.example' };
	const signed = await h.provider.sign(h.provider.claims);
	assert.equal(
		(await clientIdentity('microsoftaccount', { authentication_token: signed })).id,
		'm-1',
	);
	// Who signs in is said by the authentication token; the access token is kept for the app.
	const both = await h.clientLogin(
		{ authentication_token: signed, access_token: 'live-of-app', expires_in: 60 },
		'microsoftaccount',
	);
	assert.equal(both.status, 200, both.body);
	const { authenticationToken } = both.json() as { authenticationToken: string };
	const zumo = [`X-ZUMO-AUTH: ${authenticationToken}`];
	await h.get('/who', zumo);
	assert.deepEqual(h.app.last.values('x-ms-token-microsoftaccount-access-token'), ['live-of-app']);
	assert.deepEqual(h.app.last.values('x-ms-client-principal-id'), ['m-1']);
	const [me] = (await h.get('/.auth/me', zumo)).json() as { access_token: string }[];
	assert.equal(me?.access_token, 'live-of-app');
	assert.equal(
		(await h.clientLogin({ access_token: 'live-good' }, 'microsoftaccount')).status,
		401,
	);
	await using lax = await start({ 'x-acceptUnboundAccessTokens': true });
	assert.equal(
		(await lax.clientLogin({ access_token: 'live-good' }, 'microsoftaccount')).status,
		200,
	);
	assert.equal(
		(await lax.clientLogin({ access_token: 'live-bad' }, 'microsoftaccount')).status,
		401,
	);
	await lax.provider[Symbol.asyncDispose]();
});

test('Apple answers with a posted form, so its login cookie may come along', async () => {
	h.provider.claims = { sub: 'apple-1', email: 'amy@apple.example', email_verified: 'true' };
	const begun = await h.navigate('/.auth/login/apple?post_login_redirect_uri=/app');
	assert.match(begun.setCookies()[0]!, /; Secure; SameSite=None/);
	const location = begun.header('location')!;
	assert.equal(new URL(location).searchParams.get('response_mode'), 'form_post');
	const back = h.provider.authorize(location);
	const done = await h.call({
		method: 'POST',
		target: '/.auth/login/apple/callback',
		headers: [
			'Content-Type: application/x-www-form-urlencoded',
			'Origin: https://appleid.apple.com',
			'Sec-Fetch-Site: cross-site',
			`Cookie: ${begun.setCookies().map(pair).join('; ')}`,
		],
		body: back.search.slice(1),
	});
	assert.equal(done.status, 302, done.body);
	assert.equal((await identity([`Cookie: ${cookieOf(done, sessionCookieName)}`])).id, 'apple-1');
});

test('the directory signs in people of any tenant, and the issuer must be the one of their tenant', async () => {
	const { FakeProvider } = await import('./support/fakeProvider.ts');
	await using provider = new FakeProvider();
	await provider.listen();
	const cloud = 'https://login.microsoftonline.com';
	// The network: the directory's addresses lead to the fake.
	const rewired: typeof fetch = async (input, init) => {
		const asked = String(input)
			.replace(`${cloud}/organizations/v2.0`, provider.issuer)
			.replace(cloud, provider.issuer);
		const answer = await fetch(asked, init);
		if (!asked.endsWith('openid-configuration')) return answer;
		const { authorization_response_iss_parameter_supported: _, ...document } =
			(await answer.json()) as Json;
		const text = JSON.stringify(document).replaceAll(provider.issuer, cloud);
		return Response.json({ ...(JSON.parse(text) as Json), issuer: `${cloud}/{tenantid}/v2.0` });
	};
	const registration = {
		openIdIssuer: `${cloud}/common/v2.0`,
		clientId: provider.clientId,
		clientSecretSettingName: 'CORP_SECRET',
	};
	for (const extra of [
		registration,
		{ ...registration, openIdIssuer: `${cloud}/organizations/v2.0` },
	]) {
		const network: typeof fetch = (input, init) =>
			rewired(String(input).replace('/common/', '/organizations/'), init);
		await using own = await Harness.start({
			provider,
			fetch: network,
			config: { identityProviders: { azureActiveDirectory: { registration: extra } } },
		});
		const login = async () => {
			const begun = await own.navigate('/.auth/login/aad?post_login_redirect_uri=/app');
			assert.equal(begun.status, 302, begun.body);
			const back = provider.authorize(begun.header('location')!);
			back.searchParams.delete('iss');
			return own.navigate(back.pathname + back.search, begun.setCookies().map(pair).join('; '));
		};
		const person = { sub: 's', oid: 'o', tid: 'tenant-1', preferred_username: 'eve@corp.example' };
		provider.claims = { ...person, iss: `${cloud}/tenant-1/v2.0` };
		const good = await login();
		assert.equal(good.status, 302, good.body);
		assert.equal(
			(await own.clientLogin({ id_token: await provider.sign(provider.claims) }, 'aad')).status,
			200,
		);
		provider.claims = { ...person, iss: `${cloud}/tenant-2/v2.0` };
		assert.equal((await login()).status, 401);
		assert.equal(
			(await own.clientLogin({ id_token: await provider.sign(provider.claims) }, 'aad')).status,
			401,
		);
	}
});

test('a provider that does not answer is 502 and says when to try again', async () => {
	const { FakeProvider } = await import('./support/fakeProvider.ts');
	const dead = new FakeProvider();
	await dead.listen();
	await using own = await Harness.start({ provider: dead });
	await dead[Symbol.asyncDispose]();
	const answer = await own.navigate('/.auth/login/corp');
	assert.equal(answer.status, 502);
	assert.ok(answer.header('retry-after'));
	assert.match(answer.body, /cannot be reached/);
	assert.equal((await own.get('/health')).status, 200);
});

test('the OAuth 1.0a signature is the one of the published examples (RFC 5849, 1.2; OAuth Core 1.0, A.5)', () => {
	const common = { oauth_consumer_key: 'dpf43f3p2l4k3l03', oauth_signature_method: 'HMAC-SHA1' };
	const photo = {
		...common,
		oauth_token: 'nnch734d00sl2jdk',
		oauth_timestamp: '137131202',
		oauth_nonce: 'chapoH',
		file: 'vacation.jpg',
		size: 'original',
	};
	const secrets = { consumerSecret: 'kd94hf93k423kf44', tokenSecret: 'pfkkdhi9sl3r4s00' };
	assert.equal(
		oauth1Signature('get', 'http://photos.example.net/photos', photo, secrets),
		'MdpQcU8iPSUjWoN/UDMsK2sui9I=',
	);
	const header = oauth1Header(
		'GET',
		'http://photos.example.net/photos',
		{ file: "a'b c*" },
		{ ...secrets, consumerKey: 'k', token: 't' },
		{ nonce: 'n', timestampS: 1 },
	);
	const expected = oauth1Signature(
		'GET',
		'http://photos.example.net/photos',
		{
			file: "a'b c*",
			oauth_consumer_key: 'k',
			oauth_nonce: 'n',
			oauth_signature_method: 'HMAC-SHA1',
			oauth_timestamp: '1',
			oauth_version: '1.0',
			oauth_token: 't',
		},
		secrets,
	);
	assert.ok(
		header.includes(`oauth_signature="${encodeURIComponent(expected)}"`) &&
			!header.includes('file='),
		header,
	);
});
