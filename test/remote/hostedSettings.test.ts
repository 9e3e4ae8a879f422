/** Settings and directory tokens of the hosted client: parsing, renewal, and the whole way from secrets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemoteTranslators } from '../../server/daemon/remoteTranslators.ts';
import { Secrets } from '../../server/daemon/secrets.ts';
import { createDirectoryTokens } from '../../server/remote/directoryToken.ts';
import { parseHostedSettings } from '../../server/remote/hostedSettings.ts';
import type { HostedDeps } from '../../server/remote/hostedTranslator.ts';

test('settings are read, and every fault names its field', () => {
	assert.deepEqual(parseHostedSettings(undefined), { signIn: 'key' });
	assert.deepEqual(parseHostedSettings('{}'), { signIn: 'key' });
	assert.deepEqual(parseHostedSettings('{"region":" westeurope ","category":""}'), {
		region: 'westeurope',
		signIn: 'key',
	});
	for (const [json, words] of [
		['{', /not valid JSON/],
		['[]', /an object/],
		['{"regoin":"x"}', /'regoin'/],
		['{"region":1}', /region must be a text/],
		['{"endpoint":"http://example.com"}', /endpoint .*https/],
		['{"endpoint":"nowhere"}', /endpoint .*https/],
		['{"signIn":"password"}', /key, token or directory/],
		['{"signIn":"directory","issuer":"https://login.example"}', /issuer and clientId/],
	] as const)
		assert.throws(() => parseHostedSettings(json), words, json);
});

interface Asked {
	readonly url: URL;
	readonly headers: Headers;
	readonly body: string;
}

/** A directory and a translator that answer from this process. */
function world(refusing: { grant?: boolean; translate?: number } = {}) {
	const asked: Asked[] = [];
	let nowMs = 0;
	let tokens = 0;
	const answer: typeof fetch = async (input, init) => {
		const request = new Request(input, init);
		const url = new URL(request.url);
		const body = await request.text();
		asked.push({ url, headers: request.headers, body });
		if (url.pathname.endsWith('/.well-known/openid-configuration'))
			return Response.json({
				issuer: 'https://login.example/tenant/v2.0',
				token_endpoint: 'https://login.example/tenant/oauth2/v2.0/token',
				jwks_uri: 'https://login.example/keys',
				response_types_supported: ['code'],
				subject_types_supported: ['public'],
				id_token_signing_alg_values_supported: ['RS256'],
			});
		if (url.pathname.endsWith('/token'))
			return refusing.grant
				? Response.json(
						{ error: 'invalid_client', error_description: 'The secret has expired.' },
						{ status: 401 },
					)
				: Response.json({
						access_token: `dir-${++tokens}`,
						token_type: 'Bearer',
						expires_in: 3600,
					});
		if (url.pathname.endsWith('/issueToken')) return new Response(`short-${++tokens}`);
		if (refusing.translate !== undefined && refusing.translate-- > 0)
			return Response.json({ error: { code: 401001, message: 'Expired.' } }, { status: 401 });
		const items = JSON.parse(body) as { Text: string }[];
		return Response.json(
			items.map(({ Text }) => ({ translations: [{ text: Text.toUpperCase(), to: 'de' }] })),
			{ headers: { 'x-mt-system': 'Custom' } },
		);
	};
	const deps: HostedDeps = {
		fetch: answer,
		now: () => nowMs,
		random: () => 0,
		sleep: async () => {},
	};
	return {
		asked,
		deps,
		advance: (minutes: number) => {
			nowMs += minutes * 60_000;
		},
		tokenRequests: () => asked.filter(({ url }) => /\/token$|issueToken$/.test(url.pathname)),
		translations: () => asked.filter(({ url }) => url.pathname.endsWith('/translate')),
	};
}

const directory = {
	issuer: 'https://login.example/tenant/v2.0',
	clientId: 'client',
	clientSecret: 'secret',
};

test('a directory token is asked for once by all who wait and renewed before it ends', async () => {
	const { deps, advance, tokenRequests } = world();
	const tokens = createDirectoryTokens(directory, deps);
	const first = await Promise.all([tokens.token(), tokens.token(), tokens.token()]);
	assert.deepEqual(first, ['dir-1', 'dir-1', 'dir-1']);
	const [request] = tokenRequests();
	const form = new URLSearchParams(request?.body);
	assert.equal(form.get('grant_type'), 'client_credentials');
	assert.equal(form.get('client_id'), 'client');
	assert.equal(form.get('client_secret'), 'secret');
	assert.equal(form.get('scope'), 'https://cognitiveservices.azure.com/.default');
	advance(57);
	assert.equal(await tokens.token(), 'dir-1');
	advance(2);
	assert.equal(await tokens.token(), 'dir-2');
	tokens.reset();
	assert.equal(await tokens.token(), 'dir-3');
});

test('a directory that refuses is quoted, one that is down is asked again', async () => {
	const { deps } = world({ grant: true });
	await assert.rejects(
		createDirectoryTokens(directory, deps).token(),
		/login\.example.*invalid_client.*secret has expired/,
	);
	let down = true;
	const up = world();
	const tokens = createDirectoryTokens(directory, {
		...up.deps,
		fetch: (...args) =>
			down ? Promise.reject(new TypeError('fetch failed')) : up.deps.fetch(...args),
	});
	await assert.rejects(tokens.token(), /cannot be asked.*issuer/);
	down = false;
	assert.equal(await tokens.token(), 'dir-1');
});

const plain = { texts: ['a'], to: ['de'], parameters: {} };

function userOf(
	settings: object,
	values: Partial<Record<'translatorKey' | 'translatorClientSecret' | 'translatorRegion', string>>,
) {
	const secrets = new Secrets();
	secrets.set('translatorSettings', JSON.stringify(settings));
	for (const [name, value] of Object.entries(values)) secrets.set(name as 'translatorKey', value);
	return secrets;
}

test('the settings of the editor decide how the hosted service is addressed', async () => {
	const { deps, translations, asked } = world();
	const secrets = userOf(
		{
			...directory,
			clientSecret: undefined,
			signIn: 'directory',
			resourceId: '/r',
			category: 'own',
		},
		{ translatorClientSecret: 'secret' },
	);
	const translators = createRemoteTranslators({}, secrets, deps);
	await translators('hosted').translate(plain);
	await translators('hosted').translate({ ...plain, parameters: { category: 'other' } });
	const [first, second] = translations();
	assert.equal(first?.headers.get('authorization'), 'Bearer dir-1');
	assert.equal(first?.headers.get('ocp-apim-resourceid'), '/r');
	assert.equal(first?.url.searchParams.get('category'), 'own');
	assert.equal(second?.url.searchParams.get('category'), 'other');
	assert.equal(second?.headers.get('authorization'), 'Bearer dir-1', 'the token is kept');
	// A private network: the custom path under a name of one's own, key and region, no token.
	secrets.set(
		'translatorSettings',
		'{"endpoint":"https://translate.corp.example/translator/text/v3.0/","region":"westeurope"}',
	);
	secrets.set('translatorKey', 'k');
	await translators('hosted').translate(plain);
	const last = asked.at(-1);
	assert.equal(
		last?.url.host + (last?.url.pathname ?? ''),
		'translate.corp.example/translator/text/v3.0/translate',
	);
	assert.equal(last?.headers.get('ocp-apim-subscription-key'), 'k');
	assert.equal(last?.headers.get('ocp-apim-subscription-region'), 'westeurope');
	assert.equal(last?.headers.get('authorization'), null);
});

test('keys are exchanged for tokens where that is chosen, renewed after eight minutes by one request', async () => {
	const { deps, advance, tokenRequests, translations } = world();
	const secrets = userOf({ signIn: 'token', region: 'West Europe' }, { translatorKey: 'k' });
	const translators = createRemoteTranslators({}, secrets, deps);
	await Promise.all([1, 2, 3].map(() => translators('hosted').translate(plain)));
	assert.equal(tokenRequests().length, 1);
	assert.equal(tokenRequests()[0]?.url.host, 'westeurope.api.cognitive.microsoft.com');
	advance(8.1);
	await Promise.all([1, 2, 3].map(() => translators('hosted').translate(plain)));
	assert.equal(tokenRequests().length, 2);
	assert.equal(translations().at(-1)?.headers.get('authorization'), 'Bearer short-2');
});

test('a directory token that the service refuses is replaced once', async () => {
	const { deps, translations } = world({ translate: 1 });
	const secrets = userOf(
		{ issuer: directory.issuer, clientId: 'client', signIn: 'directory' },
		{ translatorClientSecret: 'secret' },
	);
	const { rows } = await createRemoteTranslators({}, secrets, deps)('hosted').translate(plain);
	assert.equal(rows[0]?.translations[0]?.text, 'A');
	assert.deepEqual(
		translations().map(({ headers }) => headers.get('authorization')),
		['Bearer dir-1', 'Bearer dir-2'],
	);
});

test('what is missing is named: the key, the client secret, the team server', async () => {
	const { deps } = world();
	const secrets = userOf({ issuer: directory.issuer, clientId: 'c', signIn: 'directory' }, {});
	const translators = createRemoteTranslators({}, secrets, deps);
	assert.throws(() => translators('hosted'), /client secret .*Manage Keys/);
	assert.throws(() => translators('team'), /NEARGLOT_TEAM_URL/);
	secrets.set('translatorSettings', undefined);
	await assert.rejects(translators('hosted').translate(plain), /needs a key.*Manage Keys/);
	const fromEnv = createRemoteTranslators(
		{ NEARGLOT_HOSTED: '{"signIn":"nobody"}' },
		secrets,
		deps,
	);
	assert.throws(() => fromEnv('hosted'), /key, token or directory/);
});
