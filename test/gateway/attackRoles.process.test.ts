/** The real sign-in layer in front of the real model server: every route with every caller, and the credential. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readPerson, signPerson } from '../../server/gateway/identity/signedPerson.ts';
import { declarations, mayCall } from '../../server/http/callerRoles.ts';
import { allRoutes, pathOf } from '../http/allRoutes.ts';
import { gatewaySecret, startTestServer, type TestServer } from '../support/testServer.ts';
import { bothWays } from './support/bothWays.ts';
import { Harness } from './support/harness.ts';

let models: TestServer;
before(async () => {
	models = await startTestServer({
		fakeRunner: true,
		env: { HF_ENDPOINT: 'http://127.0.0.1:1' },
		listen: { requireKey: true },
	});
});
after(() => models.close());

test('every route through the layer is open to members and to nobody in particular as the table says', async () => {
	await using open = await Harness.start({
		upstream: models.url,
		env: { NEARGLOT_GATEWAY_SECRET: gatewaySecret },
		config: {
			globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' },
			'x-gateway': { closedPaths: [] },
		},
	});
	const refusals = { member: /for the owner of the model server/, anonymous: /Sign in first/ };
	const member = [`X-ZUMO-AUTH: ${await open.token()}`];
	const key = [`X-Api-Key: ${models.key}`];
	const callers = [
		['member', member],
		['anonymous', []],
		// The owner's key makes nobody an owner here.
		['member', [...member, ...key]],
		['anonymous', key],
	] as const;
	for (const route of allRoutes(models.backend)) {
		const method = route.method === 'ALL' ? 'POST' : route.method;
		const name = `${route.method} ${route.path}`;
		assert.ok(Object.hasOwn(declarations, name), name);
		for (const [caller, headers] of callers) {
			const withBody = method !== 'GET';
			const answer = await open.call({
				method,
				target: pathOf(route),
				headers: [...headers, ...(withBody ? ['Content-Type: application/json'] : [])],
				...(withBody ? { body: '{}' } : {}),
			});
			const what = `${caller}: ${name}: ${answer.status} ${answer.body.slice(0, 200)}`;
			assert.equal(refusals[caller].test(answer.body), !mayCall(caller, name), what);
		}
	}
	assert.deepEqual(models.stopped, []);
});

test('what others behind the layer see of its credential is a person’s opaque name, signed, or nothing', async () => {
	await using layer = await Harness.start({
		env: { NEARGLOT_GATEWAY_SECRET: gatewaySecret, NEARGLOT_KEY: 'the key of the owner' },
		config: {
			globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' },
			'x-gateway': { upstreamSecret: { header: 'X-Api-Key', settingName: 'NEARGLOT_KEY' } },
		},
	});
	const forged = `X-Nearglot-Person: ${signPerson(gatewaySecret, `sid:${'f'.repeat(32)}`, Date.now())}`;
	const spelled = ['x_nearglot_person: a', 'X.Nearglot.Person: a', 'X-Nearglot-Person: a'];
	const token = `X-ZUMO-AUTH: ${await layer.token()}`;
	const people = new Set<string | undefined>();
	for (const line of [forged, ...spelled, 'Connection: close, X-Nearglot-Person']) {
		for (const { seen } of await bothWays(layer, { target: '/x', headers: [line] })) {
			const lines = JSON.stringify(seen!.rawHeaders);
			assert.doesNotMatch(lines, /nearglot.person/i, line);
			assert.ok(!lines.includes('key of the owner') && !/x-api-key/i.test(lines), line);
		}
		for (const { seen } of await bothWays(layer, { target: '/x', headers: [line, token] })) {
			const [word = '', ...more] = seen!.values('x-nearglot-person');
			assert.deepEqual(more, []);
			assert.equal(seen!.rawHeaders.filter((name) => /nearglot.person/i.test(name)).length, 1);
			people.add(readPerson(gatewaySecret, word, Date.now()));
			assert.ok(!/x-api-key/i.test(JSON.stringify(seen!.rawHeaders)));
		}
	}
	const [person, ...others] = people;
	assert.match(person ?? '', /^person:[0-9a-f]{32}$/);
	assert.notEqual(person, `person:${'f'.repeat(32)}`);
	assert.deepEqual(others, [], 'the same for one person every time');
});

test('a layer of another version, or with another secret, makes nobody a member, and says what to do', async () => {
	for (const [env, status, words] of [
		// One that names nobody, as before there were signatures.
		[{}, 401, /the same version and the same NEARGLOT_GATEWAY_SECRET/],
		[
			{ NEARGLOT_GATEWAY_SECRET: 'a secret of somebody else' },
			403,
			/the same NEARGLOT_GATEWAY_SECRET/,
		],
	] as const) {
		await using layer = await Harness.start({ upstream: models.url, env });
		const headers = [`X-ZUMO-AUTH: ${await layer.token()}`, `Authorization: Bearer ${models.key}`];
		const answer = await layer.call({ target: '/v1/models', headers });
		assert.equal(answer.status, status);
		assert.match(answer.body, words);
	}
});

test('settings from before, which lent the owner’s key, make members of the signed in and nobody else', async () => {
	for (const upstreamSecret of [
		{ header: 'X-Api-Key', settingName: 'NEARGLOT_KEY' },
		{ header: 'Authorization', settingName: 'WITH_SCHEME' },
		{ header: 'api-key', settingName: 'OTHER_NAME' },
	]) {
		const { key } = models;
		await using layer = await Harness.start({
			upstream: models.url,
			env: { NEARGLOT_KEY: key, OTHER_NAME: key, WITH_SCHEME: `Bearer ${key}` },
			config: {
				globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' },
				'x-gateway': { closedPaths: [], upstreamSecret },
			},
		});
		const token = `X-ZUMO-AUTH: ${await layer.token()}`;
		for (const [target, member, anonymous] of [
			['/v1/models', 200, 401],
			['/nearglot/secrets/names', 403, 401],
			['/metrics', 403, 401],
			['/health', 200, 200],
		] as const) {
			assert.equal((await layer.call({ target, headers: [token] })).status, member, target);
			assert.equal((await layer.call({ target })).status, anonymous, target);
		}
	}
});
