/** A key that is taken away ends what is under way with it, in every interface and whoever took it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { KeyScope } from '../../server/protocol/limitTypes.ts';
import { forwardClock } from '../../server/services/limits/forwardClock.ts';
import { KeyStore } from '../../server/services/limits/keyStore.ts';
import { openRealtime } from '../support/realtimeClient.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

function keyFor(scope: KeyScope) {
	const { key, entry } = server.backend.people.keys.create({
		...{ name: 'anna', scopes: [scope], limits: {} },
	});
	return { entry, headers: { authorization: `Bearer ${key}` } };
}

const revoke = async (key: string) => {
	const answer = await server.post('/nearglot/keys/revoke', { key }, { headers: server.keyed });
	assert.equal(answer.status, 200, await answer.text());
};

const messages = [{ role: 'user', content: 'slow' }];
const model = 'starter-chat';
const streams: readonly (readonly [path: string, body: object])[] = [
	['/v1/chat/completions', { model, messages, stream: true }],
	['/v1/completions', { model, prompt: 'slow', stream: true }],
	['/v1/responses', { model, input: 'slow', stream: true }],
	['/v1/messages', { model, messages, max_tokens: 500, stream: true }],
	['/api/chat', { model, messages }],
	['/api/generate', { model, prompt: 'slow' }],
];

/** Reads what has begun, has the key taken away, and reads to the end. */
async function readBeyond(answer: Response, takeAway: () => unknown): Promise<string> {
	assert.equal(answer.status, 200);
	const decoder = new TextDecoder();
	let text = '';
	for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
		text += decoder.decode(piece);
		if (takeAway === nothing || !/w1\b/.test(text)) continue;
		await takeAway();
		takeAway = nothing;
	}
	return text;
}
const nothing = () => {};

for (const [path, body] of streams)
	test(`a stream of ${path} ends when its key is revoked, and says why`, async () => {
		const { headers, entry } = keyFor('chat');
		const answer = await server.post(path, body, { headers });
		const text = await readBeyond(answer, () => revoke(entry.id));
		assert.match(text.slice(-600), /was revoked or has expired/);
		assert.doesNotMatch(text, /w499/);
	});

test('an answer that is waited for is a 401 when its key is revoked', async () => {
	const { headers, entry } = keyFor('chat');
	const asked = server.post('/v1/chat/completions', { model, messages }, { headers });
	const body = { model, messages, stream: true };
	const beside = await server.post('/v1/chat/completions', body, { headers });
	await readBeyond(beside, () => revoke(entry.id));
	const answer = await asked;
	assert.equal(answer.status, 401);
	assert.equal(
		((await answer.json()) as { error: { code: string } }).error.code,
		'invalid_api_key',
	);
});

test('a key that another process takes away, or that gets another secret, ends its streams; others go on', async () => {
	const [first, second, other] = [keyFor('chat'), keyFor('chat'), keyFor('chat')];
	const ask = ({ headers }: typeof first) =>
		server.post('/v1/chat/completions', { model, messages, stream: true }, { headers });
	const clock = forwardClock(Date.now);
	const elsewhere = new KeyStore(join(server.dataDir, 'keys.db'), clock);
	try {
		const [revoked, rotated] = await Promise.all([
			readBeyond(await ask(first), () => elsewhere.revoke(first.entry.id)),
			readBeyond(await ask(second), () => elsewhere.rotate(second.entry.id)),
		]);
		for (const text of [revoked, rotated]) assert.match(text, /was revoked or has expired/);
		assert.match(await readBeyond(await ask(other), nothing), /w499/);
	} finally {
		elsewhere.close();
	}
});

test('a live session is closed when its key is revoked', async () => {
	const { headers, entry } = keyFor('speech');
	const client = await openRealtime(server.url, { headers });
	await revoke(entry.id);
	const { error } = await client.next('error');
	assert.equal((error as { code: string }).code, 'invalid_api_key');
	await until('it is closed', () => client.closed.code !== undefined);
	assert.equal(client.closed.code, 1008);
});

test('a response in the background has failed when its key is revoked', async () => {
	const { headers, entry } = keyFor('chat');
	const asked = { model, input: 'slow', background: true };
	const answer = await server.post('/v1/responses', asked, { headers });
	const { id } = (await answer.json()) as { id: string };
	const person = `key:${entry.id}`;
	await until('it is under way', async () => {
		const { status } = await server.backend.responses.read(person, id);
		return status === 'in_progress';
	});
	await revoke(entry.id);
	await until('it has ended', async () => {
		const { status } = await server.backend.responses.read(person, id);
		return status === 'failed';
	});
	const { error } = await server.backend.responses.read(person, id);
	assert.equal((error as { code: string }).code, 'invalid_api_key');
});
