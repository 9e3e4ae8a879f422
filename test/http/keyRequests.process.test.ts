/** What a request with somebody's key may not do to others, and what its refusals and its usage say. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KeyScope, UsageLimits } from '../../server/protocol/limitTypes.ts';
import type { TranslatorFields } from '../../server/services/limits/keyStore.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

function keyFor(scope: KeyScope, limits: UsageLimits = {}, translator: TranslatorFields = {}) {
	const { key, entry } = server.backend.people.keys.create({
		...{ name: 'anna', scopes: [scope], limits, translator },
	});
	return { key, entry, headers: { authorization: `Bearer ${key}` } };
}

const model = 'starter-chat';
const messages = [{ role: 'user', content: 'hi' }];

test('who has a key cannot say how long the model of all stays loaded; the owner can', async () => {
	const { headers } = keyFor('chat');
	const isLoaded = async () => {
		const answer = await fetch(`${server.url}/api/ps`, { headers: server.keyed });
		return (await answer.text()).includes(model);
	};
	await (await server.post('/api/chat', { model, messages }, { headers })).text();
	for (const [path, body] of [
		['/api/chat', { model, keep_alive: 0 }],
		['/api/chat', { model, messages, keep_alive: 0 }],
		['/api/generate', { model, keep_alive: 0 }],
		['/api/generate', { model, prompt: 'hi', keep_alive: -1 }],
		['/v1/chat/completions', { model, messages, ttl: 1 }],
		['/v1/completions', { model, prompt: 'hi', ttl: 1 }],
		['/v1/responses', { model, input: 'hi', ttl: 1 }],
		['/v1/messages', { model, messages, max_tokens: 4, ttl: 1 }],
	] as const) {
		const answer = await server.post(path, body, { headers });
		assert.equal(answer.status, 200, await answer.text());
		const name = 'ttl' in body ? 'ttl' : 'keep_alive';
		assert.match(answer.headers.get('x-ignored-parameters') ?? '', new RegExp(name), path);
		assert.ok(await isLoaded(), path);
	}
	const own = { model, keep_alive: 0 };
	const answer = await server.post('/api/chat', own, { headers: server.keyed });
	assert.equal(answer.headers.get('x-ignored-parameters'), null);
	await answer.text();
	assert.equal(await isLoaded(), false);
});

const long = 'Good morning to everybody who is here today.';
for (const [name, limits, fields] of [
	['a day', { charactersPerDay: 10 }, {}],
	['an hour', {}, { charactersPerHour: 600 }],
] as const)
	test(`a text that the share of ${name} can never hold is refused for good by every translate interface`, async () => {
		const { key } = keyFor('translate', limits, fields);
		const subscription = { 'Ocp-Apim-Subscription-Key': key };
		const query = 'from=en&to=de';
		const answers = await Promise.all([
			server.post(`/translate?api-version=3.0&${query}`, [{ Text: long }], {
				headers: subscription,
			}),
			server.post('/libretranslate/translate', {
				...{ q: long, source: 'en', target: 'de', api_key: key },
			}),
			server.post(
				'/documents/translate',
				{ fileName: 'a.txt', text: long, from: 'en', to: 'de' },
				{ headers: subscription },
			),
			...[`/translate?api-version=3.0&${query}`, '/documents/translate'].map((path) =>
				server.post(
					path,
					path.startsWith('/documents')
						? { fileName: 'a.txt', text: long, from: 'en', to: 'de' }
						: [{ Text: long }],
					{ headers: { authorization: `Bearer ${key}` } },
				),
			),
		]);
		for (const answer of answers) {
			assert.equal(answer.status, 429, answer.url);
			assert.match(await answer.text(), /this request alone/, answer.url);
			assert.equal(answer.headers.get('retry-after'), null, answer.url);
			assert.equal(answer.headers.get('x-should-retry'), 'false', answer.url);
		}
	});

test('the usage of a translation names each model that translated once', async () => {
	const { entry, headers } = keyFor('translate');
	const answer = await server.post(
		'/translate?api-version=3.0&from=en&to=de&to=de',
		[{ Text: 'Hello.' }, { Text: 'World.' }],
		{ headers },
	);
	assert.equal(answer.status, 200, await answer.text());
	const models = answer.headers.get('x-nearglot-models') ?? '';
	assert.notEqual(models, '');
	const rows = await server.backend.people.book.rows('0000', '9999');
	const own = rows.filter(({ person }) => person === `key:${entry.id}`);
	assert.deepEqual(
		own.map((row) => row.model),
		[models],
	);
});
