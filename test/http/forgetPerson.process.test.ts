/** Everything that is stored of one person is deleted by one call of the owner, and nothing of others. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import OpenAI, { NotFoundError, toFile } from 'openai';
import { carryOut } from '../../server/daemon/personOrders.ts';
import { forgetPerson } from '../../server/protocol/routeAddresses.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({
		fakeRunner: true,
		settings: { jobs: { tickMs: 30, width: 1 } },
	});
});
after(() => server.close());

const line = (content: string) =>
	JSON.stringify({
		custom_id: 'one',
		method: 'POST',
		url: '/v1/chat/completions',
		body: { model: 'starter-chat', messages: [{ role: 'user', content }] },
	});

/** What a person leaves: a response, a conversation, a batch that runs, one that has ended, a file. */
async function work(id: string, secret: string) {
	const client = new OpenAI({
		...{ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 },
		defaultHeaders: server.member(id),
	});
	const response = await client.responses.create({ model: 'starter-chat', input: secret });
	const conversation = await client.conversations.create({
		items: [{ type: 'message', role: 'user', content: secret }],
	});
	const file = await client.files.create({
		file: await toFile(Buffer.from(`${line('slow')}\n${line(secret)}`), `${secret}.jsonl`),
		purpose: 'batch',
	});
	const batch = await client.batches.create(
		{
			input_file_id: file.id,
			endpoint: '/v1/chat/completions',
			completion_window: '24h',
		},
		{ headers: { 'Idempotency-Key': secret } },
	);
	return { client, response, conversation, file, batch };
}

/** Files of the data folder that hold a text. */
const holding = (folder: string, text: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => readFileSync(path).includes(text));

test('a person is forgotten: responses, conversations, files, running batches and usage, and nobody else', async () => {
	const [anna, ben] = ['a'.repeat(32), 'b'.repeat(32)];
	const [hers, his] = [await work(anna, 'lighthouse'), await work(ben, 'windmill')];
	const folder = server.dataDir;
	assert.ok(holding(folder, 'lighthouse').length > 1);
	const body = { person: `person:${anna}` };
	const gone = await server.client.call(forgetPerson, { body });
	assert.equal(gone.responses, 2);
	assert.equal(gone.batches, 1);
	// The file of requests, and what the cancelled batch has made of it.
	assert.ok(gone.files >= 1, `${gone.files} files`);
	assert.ok(gone.usage >= 1, `${gone.usage} rows`);
	await assert.rejects(hers.client.responses.retrieve(hers.response.id), NotFoundError);
	await assert.rejects(hers.client.conversations.retrieve(hers.conversation.id), NotFoundError);
	await assert.rejects(hers.client.files.content(hers.file.id), NotFoundError);
	await assert.rejects(hers.client.batches.retrieve(hers.batch.id), NotFoundError);
	assert.deepEqual(holding(folder, 'lighthouse'), []);
	assert.deepEqual(await server.client.call(forgetPerson, { body }), {
		...{ responses: 0, batches: 0, files: 0, usage: 0 },
	});

	assert.equal((await his.client.responses.retrieve(his.response.id)).id, his.response.id);
	assert.equal(
		(await his.client.conversations.retrieve(his.conversation.id)).object,
		'conversation',
	);
	assert.match(await (await his.client.files.content(his.file.id)).text(), /windmill/);
	assert.equal((await his.client.batches.retrieve(his.batch.id)).id, his.batch.id);
	await his.client.batches.cancel(his.batch.id);
});

test('what a person has made since they were forgotten elsewhere outlives the order, however late it comes', async () => {
	const id = 'c'.repeat(32);
	const before = await work(id, 'harbour');
	const at = Date.now();
	// Responses tell the second in which they were begun.
	await until('a second is over', () => Math.floor(Date.now() / 1000) > Math.floor(at / 1000));
	const since = await work(id, 'meadow');
	const order = { kind: 'forget', person: `person:${id}`, seq: 1, at } as const;
	const held = server.backend.people.live.hold(order.person);
	await carryOut(server.backend, order, true, AbortSignal.timeout(60_000));
	assert.equal(held.signal.aborted, false, 'they work again');
	held.release();
	await assert.rejects(before.client.responses.retrieve(before.response.id), NotFoundError);
	await assert.rejects(before.client.files.content(before.file.id), NotFoundError);
	await assert.rejects(before.client.batches.retrieve(before.batch.id), NotFoundError);
	const { client, response, conversation, file, batch } = since;
	assert.equal((await client.responses.retrieve(response.id)).id, response.id);
	assert.equal((await client.conversations.retrieve(conversation.id)).id, conversation.id);
	assert.match(await (await client.files.content(file.id)).text(), /meadow/);
	assert.equal((await client.batches.retrieve(batch.id)).id, batch.id);
	await client.batches.cancel(batch.id);
});

test('only the owner forgets people', async () => {
	const answer = await fetch(`${server.url}/nearglot/people/forget`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...server.member('a'.repeat(32)) },
		body: JSON.stringify({ person: `person:${'b'.repeat(32)}` }),
	});
	assert.ok([401, 403].includes(answer.status), String(answer.status));
});

test('what is under way for a person ends when the person is removed, and others go on', async () => {
	const body = {
		model: 'starter-chat',
		messages: [{ role: 'user', content: 'slow' }],
		stream: true,
	};
	const [gone, other] = ['c'.repeat(32), 'd'.repeat(32)];
	const ask = (id: string) =>
		server.post('/v1/chat/completions', body, { headers: server.member(id) });
	const [stream, beside] = await Promise.all([ask(gone), ask(other)]);
	const asked = { model: 'starter-chat', input: 'slow', background: true };
	const queued = await server.post('/v1/responses', asked, { headers: server.member(gone) });
	const { id } = (await queued.json()) as { id: string };
	const reader = stream.body?.getReader();
	await reader?.read();
	const answer = await server.post(
		'/nearglot/people/forget',
		{ person: `person:${gone}` },
		{ headers: server.keyed },
	);
	assert.equal(answer.status, 200, await answer.text());
	let text = '';
	for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
		text += new TextDecoder().decode(part.value);
	assert.match(text.slice(-600), /has removed this person/);
	const read = await fetch(`${server.url}/v1/responses/${id}`, { headers: server.member(gone) });
	assert.equal(read.status, 404, 'nothing of it is kept');
	await read.text();
	assert.match(await beside.text(), /w499/);
});

test('a person ends what goes on in the background for them: responses and batches, and nothing of others', async () => {
	const [hers, his] = [await work('e'.repeat(32), 'harbour'), await work('f'.repeat(32), 'garden')];
	const asked = { model: 'starter-chat', input: 'slow', background: true };
	const response = await hers.client.responses.create(asked);
	const other = await his.client.responses.create(asked);
	const end = async (headers: Readonly<Record<string, string>>) => {
		const answer = await server.post('/nearglot/work/end', {}, { headers });
		return [answer.status, await answer.json()];
	};
	assert.deepEqual(await end(server.member('e'.repeat(32))), [200, { responses: 1, batches: 1 }]);
	assert.equal((await hers.client.responses.retrieve(response.id)).status, 'cancelled');
	assert.match((await hers.client.batches.retrieve(hers.batch.id)).status, /^cancel/);
	assert.equal((await hers.client.responses.retrieve(hers.response.id)).status, 'completed');
	assert.notEqual((await his.client.responses.retrieve(other.id)).status, 'cancelled');
	assert.doesNotMatch((await his.client.batches.retrieve(his.batch.id)).status, /^cancel/);
	assert.deepEqual(await end(server.member('e'.repeat(32))), [200, { responses: 0, batches: 0 }]);
	assert.deepEqual(await end(server.member('f'.repeat(32))), [200, { responses: 1, batches: 1 }]);
});
