/** Keys, tokens, directories, limits and the virtual network mode of the translate interface. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import {
	type Credentials,
	createTranslateAccess,
} from '../../server/services/translate/translateAccess.ts';
import type {
	AccessSettings,
	TranslateKeyStore,
} from '../../server/services/translate/translateKeys.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

let server: TranslateServer;
before(async () => {
	server = await startTranslateServer({ requireKey: true });
});
after(() => server.close());

const path = '/translate?api-version=3.0&from=en&to=de';
const body = [{ Text: 'x'.repeat(40) }];

async function code(headers: Record<string, string>, query = path): Promise<number> {
	const response = await server.post(query, body, { headers });
	const value = (await response.json()) as { error?: { code: number } };
	return value.error?.code ?? response.status;
}

const key = (text: string, region?: string): Record<string, string> => ({
	'Ocp-Apim-Subscription-Key': text,
	...(region === undefined ? {} : { 'Ocp-Apim-Subscription-Region': region }),
});

test('without credentials nothing is answered but the list of languages', async () => {
	assert.equal(await code({}), 401000);
	assert.equal(await code(key('wrong')), 401000);
	assert.equal(await code({ authorization: 'Bearer nonsense' }), 401000);
	assert.equal((await fetch(new URL('/languages?api-version=3.0', server.url))).status, 200);
	assert.equal((await fetch(new URL('/v1/models', server.url))).status, 401);
});

test("the daemon's own key is a subscription key, in every place a key may stand", async () => {
	assert.equal(await code(key(server.key)), 200);
	assert.equal(await code({}, `${path}&Subscription-Key=${server.key}`), 200);
	assert.equal(await code({ authorization: `Bearer ${server.key}` }), 200);
});

test('keys may demand their region; the word "undefined" is no region', async () => {
	const { key: single } = await server.store.create(
		{ label: 'single', multiService: false, region: 'westeurope' },
		new Date(),
	);
	assert.equal(await code(key(single)), 200);
	assert.equal(await code(key(single, 'undefined')), 200);
	assert.equal(await code(key(single, 'West Europe')), 200);
	assert.equal(await code(key(single, 'eastus')), 401000);
	const { key: multi } = await server.store.create(
		{ label: 'multi', multiService: true, region: 'eastus' },
		new Date(),
	);
	assert.equal(await code(key(multi)), 401000);
	assert.equal(await code(key(multi, 'undefined')), 401000);
	assert.equal(await code(key(multi, 'eastus')), 200);
	assert.equal(await code({}, `${path}&Subscription-Key=${multi}&Subscription-Region=eastus`), 200);
});

test('tokens last ten minutes and die with their key', async () => {
	const { key: own, entry } = await server.store.create(
		{ label: 'tokens', multiService: false },
		new Date(),
	);
	const issue = (headers: Record<string, string>) =>
		fetch(new URL('/sts/v1.0/issueToken', server.url), { method: 'POST', headers });
	assert.equal((await issue({})).status, 401);
	const response = await issue(key(own));
	assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
	const token = await response.text();
	assert.equal(await code({ authorization: `Bearer ${token}` }), 200);
	server.advance(9 * 60_000);
	assert.equal(await code({ authorization: `Bearer ${token}` }), 200);
	server.advance(2 * 60_000);
	assert.equal(await code({ authorization: `Bearer ${token}` }), 401001);
	const second = await (await issue(key(own))).text();
	assert.equal(await code({ authorization: `Bearer ${second}` }), 200);
	await server.store.revoke(entry.id);
	assert.equal(await code({ authorization: `Bearer ${second}` }), 401001);
	assert.equal(await code(key(own)), 401000);
});

test('characters a minute and an hour slide, and the answer says when to come back', async () => {
	const { key: own } = await server.store.create(
		{ label: 'limited', multiService: false, charactersPerMinute: 100, charactersPerHour: 200 },
		new Date(),
	);
	assert.equal(await code(key(own)), 200);
	assert.equal(await code(key(own)), 200);
	const response = await server.post(path, body, { headers: key(own) });
	assert.equal(response.status, 429);
	assert.equal(((await response.json()) as { error: { code: number } }).error.code, 429001);
	const wait = Number(response.headers.get('retry-after'));
	assert.ok(wait > 0 && wait <= 61, `Retry-After ${wait}`);
	server.advance(wait * 1000);
	assert.equal(await code(key(own)), 200);
	server.advance(60_000);
	assert.equal(await code(key(own)), 200);
	server.advance(60_000);
	assert.equal(await code(key(own)), 200);
	server.advance(60_000);
	assert.equal(await code(key(own)), 429001);
	server.advance(3_600_000);
	assert.equal(await code(key(own)), 200);
});

test('a used-up quota is 403001', async () => {
	const { key: own } = await server.store.create(
		{ label: 'quota', multiService: false, quota: 50 },
		new Date(),
	);
	assert.equal(await code(key(own)), 200);
	assert.equal(await code(key(own)), 403001);
});

test('keys are kept as hashes and every one is listed by id', async () => {
	const { key: own, entry } = await server.store.create(
		{ label: 'hashed', multiService: false },
		new Date(),
	);
	const file = JSON.stringify(await server.store.read());
	assert.ok(!file.includes(own));
	assert.ok(file.includes(entry.id) && file.includes('hashed'));
	await assert.rejects(server.store.revoke('nobody'), /no key 'nobody'.*hashed/s);
});

const bare: Credentials = { customPath: false, isOwner: false, keyRequired: true };

async function directoryAccess(access: AccessSettings) {
	const { publicKey, privateKey } = await generateKeyPair('RS256');
	const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
	const store = {
		read: async () => ({ keys: [], tokenSecret: 'c2VjcmV0', access }),
	} as unknown as TranslateKeyStore;
	const keySet = createLocalJWKSet({ keys: [jwk] });
	const service = createTranslateAccess({
		store,
		now: () => new Date(),
		keySet: async () =>
			keySet as unknown as Awaited<
				ReturnType<NonNullable<Parameters<typeof createTranslateAccess>[0]['keySet']>>
			>,
	});
	const token = (
		claims: Record<string, unknown>,
		audience = 'api://nearglot',
		issuer = 'https://login.example',
	) =>
		new SignJWT(claims)
			.setProtectedHeader({ alg: 'RS256', kid: 'one' })
			.setIssuer(issuer)
			.setAudience(audience)
			.setSubject('ann')
			.setExpirationTime('5m')
			.sign(privateKey);
	return { service, token };
}

const refusal = (expected: number) => (error: { data?: { translatorCode?: number } }) =>
	error.data?.translatorCode === expected;

test('tokens of the configured directory are accepted with audience, role and resource', async () => {
	const directory = {
		issuer: 'https://login.example',
		audience: 'api://nearglot',
		role: 'Translator.User',
		resourceId: '/resource/1',
	};
	const { service, token } = await directoryAccess({ virtualNetwork: false, directory });
	const bearer = await token({ roles: ['Translator.User'] });
	const caller = await service.authenticate({ ...bare, bearer, resourceId: '/resource/1' });
	assert.equal(caller.id, 'directory:ann');
	assert.equal(
		(await service.authenticate({ ...bare, bearer, customPath: true })).id,
		'directory:ann',
	);
	await assert.rejects(service.authenticate({ ...bare, bearer }), refusal(401000));
	await assert.rejects(
		service.authenticate({ ...bare, bearer, resourceId: '/other' }),
		refusal(401000),
	);
	await assert.rejects(
		service.authenticate({ ...bare, bearer: await token({}), customPath: true }),
		refusal(403000),
	);
	await assert.rejects(
		service.authenticate({
			...bare,
			bearer: await token({ roles: ['Translator.User'] }, 'api://else'),
			customPath: true,
		}),
		refusal(401001),
	);
	await assert.rejects(
		service.authenticate({
			...bare,
			bearer: await token({ roles: ['Translator.User'] }, 'api://nearglot', 'https://evil.example'),
			customPath: true,
		}),
		refusal(401001),
	);
});

test('inside a virtual network only the custom path with key and region is answered', async () => {
	await server.store.changeAccess(() => ({ virtualNetwork: true }));
	try {
		const { key: own } = await server.store.create(
			{ label: 'inside', multiService: false, region: 'westeurope' },
			new Date(),
		);
		const custom = `/translator/text/v3.0${path}`;
		assert.equal(await code(key(own, 'westeurope')), 403000);
		assert.equal(await code(key(own, 'westeurope'), custom), 200);
		assert.equal(await code(key(own), custom), 401000);
		assert.equal(await code({ authorization: `Bearer ${server.key}` }, custom), 401000);
		const issue = await fetch(new URL('/sts/v1.0/issueToken', server.url), {
			method: 'POST',
			headers: key(own, 'westeurope'),
		});
		assert.equal(issue.status, 403);
		// The user's own programs are not callers from elsewhere: they have a path of their own.
		const privately = `/nearglot/translator${path}`;
		assert.equal(await code({ authorization: `Bearer ${server.key}` }, privately), 200);
		assert.equal(await code({ authorization: `Bearer ${server.key}` }), 403000);
	} finally {
		await server.store.changeAccess(() => ({ virtualNetwork: false }));
	}
});

test("the private path opens with the daemon's own bearer key and nothing else", async () => {
	const privately = `/nearglot/translator${path}`;
	const { key: made } = await server.store.create(
		{ label: 'outside', multiService: false },
		new Date(),
	);
	const open = await startTranslateServer();
	try {
		for (const [at, headers] of [
			[server, key(made)],
			[server, key(server.key)],
			[server, { authorization: 'Bearer wrong' }],
			[open, {}],
			[open, { authorization: 'Bearer wrong' }],
		] as const) {
			const response = await at.post(privately, body, { headers });
			assert.equal(response.status, 401, JSON.stringify(headers));
		}
		const owner = { authorization: `Bearer ${open.key}` };
		const detect = '/nearglot/translator/detect?api-version=3.0';
		assert.equal((await open.post(detect, body, { headers: owner })).status, 200);
	} finally {
		await open.close();
	}
});
