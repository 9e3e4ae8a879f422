/** Which of several credentials in one request counts. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KeyScope } from '../../server/protocol/limitTypes.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

const keyFor = (scope: KeyScope): string =>
	server.backend.people.keys.create({ name: scope, scopes: [scope], limits: {} }).key;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const unknown = `ngk_${'A'.repeat(43)}`;

async function statusOf(path: string, headers: Record<string, string>): Promise<number> {
	const answer = await fetch(server.url + path, { headers });
	await answer.text();
	return answer.status;
}

async function embeddingStatus(headers: Record<string, string>): Promise<number> {
	const answer = await server.post('/v1/embeddings', { model: 'm', input: 'a' }, { headers });
	await answer.text();
	return answer.status;
}

test('Authorization counts before X-Api-Key, that before api-key, and none makes up for another', async () => {
	const [chat, embeddings] = [keyFor('chat'), keyFor('embeddings')];
	const [allowed, refused] = [404, 403];
	for (const [headers, expected] of [
		[{ ...bearer(chat), 'x-api-key': embeddings, 'api-key': embeddings }, refused],
		[{ ...bearer(embeddings), 'x-api-key': chat, 'api-key': chat }, allowed],
		[{ 'x-api-key': chat, 'api-key': embeddings }, refused],
		[{ 'x-api-key': embeddings, 'api-key': chat }, allowed],
		[{ authorization: 'Basic YTpi', 'x-api-key': chat }, refused],
		[{ ...bearer(unknown), 'x-api-key': embeddings }, 401],
		[{ 'x-api-key': unknown, 'api-key': embeddings }, 401],
		[{ ...bearer(chat), 'x-api-key': server.key }, refused],
		[{ cookie: `AppServiceAuthSession=${server.key}`, ...bearer(chat) }, refused],
	] as [Record<string, string>, number][])
		assert.equal(await embeddingStatus(headers), expected, JSON.stringify(headers));
});

test('a key beside another is not what opens a route of the owner, and a cookie is no credential', async () => {
	const chat = keyFor('chat');
	const path = '/nearglot/runners';
	assert.equal(await statusOf(path, { ...bearer(server.key), 'x-api-key': chat }), 200);
	assert.equal(await statusOf(path, { ...bearer(chat), 'x-api-key': server.key }), 403);
	assert.equal(await statusOf(path, { ...bearer('none'), 'x-api-key': server.key }), 401);
	for (const name of ['key', 'authorization', 'x-api-key', 'AppServiceAuthSession'])
		assert.equal(await statusOf(path, { cookie: `${name}=${server.key}` }), 401);
	const member = server.member('a'.repeat(32));
	assert.equal(await statusOf(path, { ...bearer(server.key), ...member }), 403);
});

test('on the translator routes a subscription key counts, and a key beside it has to be for them too', async () => {
	const [chat, translate, other] = [keyFor('chat'), keyFor('translate'), keyFor('translate')];
	const ask = async (headers: Record<string, string>) => {
		const path = '/translate?api-version=3.0&from=en&to=en';
		const answer = await server.post(path, [{ Text: 'a' }], { headers });
		return [answer.status, await answer.text()].join(' ');
	};
	const subscription = (key: string) => ({ 'ocp-apim-subscription-key': key });
	const chatOnly = /^403 .*this key is for chat only/i;
	assert.match(await ask({ ...bearer(chat), ...subscription(translate) }), chatOnly);
	assert.match(await ask({ ...bearer(translate), ...subscription(chat) }), chatOnly);
	assert.doesNotMatch(await ask({ ...bearer(translate), ...subscription(other) }), /^40[13]/);
	assert.match(await ask({ ...bearer(translate), ...subscription('x'.repeat(32)) }), /^401/);
});
