/** Emulated providers: a form says who signs in; on this computer only. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnsecuredJWT } from 'jose';
import { emulatedProviders } from '../../server/gateway/emulate/emulatedProvider.ts';
import { emulatedSettings } from '../../server/gateway/emulate/emulatedSettings.ts';
import { browserHeaders, Harness, pair, sessionOf } from './support/harness.ts';
import type { RawCall } from './support/rawHttp.ts';

const fill = async (h: Harness, fields: Record<string, string>, provider = 'corp') => {
	const begun = await h.navigate(`/.auth/login/${provider}?post_login_redirect_uri=/app`);
	assert.equal(begun.status, 302, begun.body);
	const page = new URL(begun.header('location') ?? '');
	assert.equal(page.pathname, '/.auth/emulate');
	const form = await h.navigate(page.pathname + page.search);
	assert.equal(form.status, 200, form.body);
	assert.match(form.body, /emulated/);
	const state = /name="state" value="([^"]+)"/.exec(form.body)?.[1] ?? '';
	const action = /action="([^"]+)"/.exec(form.body)?.[1] ?? '';
	return h.call({
		method: 'POST',
		target: action,
		headers: [
			'Content-Type: application/x-www-form-urlencoded',
			`Cookie: ${begun.setCookies().map(pair).join('; ')}`,
			...browserHeaders,
		],
		body: new URLSearchParams({ state, ...fields }).toString(),
	});
};

test('whoever fills the form is that person with those roles and claims', async () => {
	await using h = await Harness.start({ providers: emulatedProviders(Date.now) });
	const done = await fill(h, {
		userId: 'u-7',
		userDetails: 'ann@example.com',
		userRoles: 'admin, reader',
		claims: '[{"typ":"department","val":"Sales"},{"typ":"groups","val":"g-1"}]',
	});
	assert.equal(done.status, 302, done.body);
	assert.equal(done.header('location'), '/app');
	const cookie = sessionOf(done) ?? '';
	await h.navigate('/app', cookie);
	const header = (name: string) => h.app.last.values(`x-ms-client-principal${name}`)[0] ?? '';
	assert.equal(header('-name'), 'ann@example.com');
	assert.equal(header('-id'), 'u-7');
	assert.equal(header('-idp'), 'corp');
	const { claims, role_typ } = JSON.parse(Buffer.from(header(''), 'base64').toString()) as {
		claims: { typ: string; val: string }[];
		role_typ: string;
	};
	const values = (typ: string) => claims.filter((one) => one.typ === typ).map(({ val }) => val);
	assert.deepEqual(values(role_typ), ['admin', 'reader']);
	assert.deepEqual(values('department'), ['Sales']);
	const me = (await h.get('/.auth/me', [`Cookie: ${cookie}`])).json() as { user_id: string }[];
	assert.equal(me[0]?.user_id, 'ann@example.com');
});

const principalOf = (h: Harness) =>
	JSON.parse(
		Buffer.from(h.app.last.values('x-ms-client-principal')[0] ?? '', 'base64').toString(),
	) as { claims: { typ: string; val: string }[]; role_typ: string };

for (const [form, claims] of [
	['an object', { roles: ['admin'], groups: ['g-1', 'g-2'], level: 3 }],
	[
		'entries',
		[
			{ typ: 'roles', val: ['admin'] },
			{ typ: 'groups', val: 'g-1' },
			{ typ: 'groups', val: ['g-2'] },
			{ typ: 'level', val: 3 },
		],
	],
] as const)
	test(`lists among the claims, given as ${form}, are several claims, and groups let people in`, async () => {
		await using h = await Harness.start({
			providers: emulatedProviders(Date.now),
			config: {
				identityProviders: {
					customOpenIdConnectProviders: { corp: { 'x-allowedPrincipals': { groups: ['g-2'] } } },
				},
			},
		});
		const stranger = await fill(h, { userId: 'u', claims: '{"groups":["g-3"]}' });
		assert.equal(stranger.status, 403, stranger.body);
		const done = await fill(h, {
			userId: 'u',
			userRoles: 'reader',
			claims: JSON.stringify(claims),
		});
		assert.equal(done.status, 302, done.body);
		await h.navigate('/app', sessionOf(done));
		const principal = principalOf(h);
		const values = (typ: string) =>
			principal.claims.filter((one) => one.typ === typ).map(({ val }) => val);
		assert.deepEqual(values(principal.role_typ), ['reader', 'admin']);
		assert.deepEqual(values('groups'), ['g-1', 'g-2']);
		assert.deepEqual(values('level'), ['3']);
	});

test('every route answers as it does in front of a real provider', async () => {
	await using real = await Harness.start();
	await using made = await Harness.start({ providers: emulatedProviders(Date.now) });
	const cookies = [await real.signIn(), sessionOf(await fill(made, { userId: 'u' })) ?? ''];
	const person = { sub: 'alice', email: 'alice@corp.example', exp: 4e9 };
	const tokens = [
		await real.provider.sign(real.provider.claims),
		new UnsecuredJWT(person).encode(),
	];
	const calls = (which: 0 | 1): RawCall[] => {
		const cookie = [`Cookie: ${cookies[which]}`];
		const post = (target: string, body: unknown): RawCall => ({
			method: 'POST',
			target,
			headers: ['Content-Type: application/json'],
			body: JSON.stringify(body),
		});
		return [
			...['x', 'X', 'nobody', 'corp', 'CORP', 'azureactivedirectory'].map((name) => ({
				target: `/.auth/login/${name}`,
			})),
			{ target: '/.auth/login/nobody', headers: browserHeaders },
			{ target: '/.auth/login/corp/callback?state=none' },
			{ target: '/.auth/login' },
			{ target: '/.auth/providers' },
			{ target: '/.auth/me' },
			{ target: '/.auth/me', headers: cookie },
			{ target: '/.auth/refresh', headers: cookie },
			{ target: '/app' },
			{ target: '/app', headers: browserHeaders },
			{ target: '/app', headers: ['X-ZUMO-AUTH: none'] },
			post('/.auth/login/corp', {}),
			post('/.auth/login/corp', { id_token: 'none' }),
			post('/.auth/login/corp', { id_token: tokens[which] }),
			post('/.auth/login/nobody', { id_token: tokens[which] }),
			{ target: '/.auth/logout', headers: [...cookie, ...browserHeaders] },
			{ target: '/app', headers: cookie },
		];
	};
	const answers: string[][] = [[], []];
	for (const [which, h] of [real, made].entries())
		for (const call of calls(which as 0 | 1)) {
			const { status, body, header } = await h.call(call);
			const json = header('content-type')?.includes('json') ? (JSON.parse(body) as unknown) : '';
			answers[which]!.push(
				`${call.method ?? 'GET'} ${call.target}: ${status} ${header('content-type')} ${keysOf(json)}`,
			);
		}
	assert.deepEqual(answers[1], answers[0]);
});

/** Names of the fields, of the first entry where it is a list. */
function keysOf(value: unknown): string {
	return Object.keys(Object(Array.isArray(value) ? value[0] : value)).join();
}

test('the rules of a settings file hold in an emulation, whatever it is wrapped in', () => {
	const rules = {
		globalValidation: { excludedPaths: ['/open'] },
		identityProviders: {
			gitHub: { enabled: false, 'x-allowedPrincipals': { identities: ['ann'] } },
			customOpenIdConnectProviders: {
				corp: { login: { nameClaimType: 'nick' }, registration: { clientId: 'theirs' } },
			},
		},
		'x-gateway': { vendor: 'ACME', store: { kind: 'redis', url: 'redis://elsewhere' } },
	};
	for (const file of [rules, { properties: rules }]) {
		const here = { host: 'localhost', port: 1 };
		const { settings } = emulatedSettings(file, here, 'http://localhost:9');
		const of = (name: string) => settings.providers.find((row) => row.name === name);
		assert.deepEqual(settings.access.excludedPaths, ['/open']);
		assert.deepEqual(of('github')?.allowed.identities, ['ann']);
		assert.deepEqual([of('corp')?.nameClaimType, of('corp')?.clientId], ['nick', 'emulated']);
		assert.equal(settings.headers.vendor, 'ACME');
		assert.deepEqual(settings.store, { kind: 'sqlite', path: ':memory:' });
	}
});

test('a form that says nothing, or claims that are none, sign nobody in', async () => {
	await using h = await Harness.start({ providers: emulatedProviders(Date.now) });
	for (const fields of [
		{ userId: '', userDetails: ' ' },
		{ userId: 'u', claims: 'not JSON' },
		{ userId: 'u', claims: '[{"typ":5}]' },
		{ userId: 'u', claims: '[{"typ":"a","val":null}]' },
		{ userId: 'u', claims: '"text"' },
		{ userId: 'u', claims: `{"groups":${JSON.stringify(Array(201).fill('g'))}}` },
	]) {
		const answer = await fill(h, fields);
		assert.equal(answer.status, 403, JSON.stringify(fields));
		assert.equal(sessionOf(answer), undefined);
	}
});

test('a layer with real providers has no such page', async () => {
	await using h = await Harness.start();
	assert.equal((await h.navigate('/.auth/emulate?provider=corp&state=x')).status, 404);
});

test('every provider is there, and nothing of it can be reached from elsewhere', () => {
	const here = { host: '127.0.0.1', port: 4281 };
	const file = { globalValidation: { excludedPaths: ['/open'] } };
	const { settings } = emulatedSettings(file, here, 'http://localhost:9000');
	assert.deepEqual(settings.providers.map(({ name }) => name).sort(), [
		'aad',
		'apple',
		'facebook',
		'github',
		'google',
		'microsoftaccount',
		'twitter',
	]);
	const { find } = emulatedProviders(Date.now)(settings);
	for (const [name, kind] of [
		['x', 'twitter'],
		['AzureActiveDirectory', 'aad'],
		['nobody', undefined],
	] as const)
		assert.equal(find(name)?.settings.kind, kind, name);
	assert.deepEqual(settings.access.excludedPaths, ['/open']);
	assert.equal(settings.publicUrl.origin, 'http://localhost:4281');
	assert.deepEqual(settings.otherHosts, []);
	assert.throws(
		() => emulatedSettings({}, { host: '0.0.0.0', port: 1 }, 'http://localhost:9'),
		/--host/,
	);
	for (const upstream of ['http://team.example', 'https://10.0.0.5:443', 'nonsense'])
		assert.throws(() => emulatedSettings({}, here, upstream), /--upstream/, upstream);
});

test('a model server behind it is told who is signed in with the secret that both were given', () => {
	const shared = 'a1b2c3d4e5f60718293a4b5c6d7e8f90f1e2d3c4b5a697887766554433221100';
	const secretOf = (given?: string) =>
		emulatedSettings({}, { host: '127.0.0.1', port: 1 }, 'http://localhost:9', given).settings
			.headers.personSecret;
	assert.equal(secretOf(shared), shared);
	assert.equal(secretOf(), undefined);
	assert.throws(() => secretOf('secret'), /NEARGLOT_GATEWAY_SECRET/);
});
