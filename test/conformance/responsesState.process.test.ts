/** Responses that are kept, through the npm openai client: continued, read, listed, deleted, in the background, in conversations. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

let server: TestServer;
let openai: OpenAI;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
	openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
after(() => server.close());

const model = 'starter-chat';

const clientOf = (id: string) =>
	new OpenAI({
		baseURL: `${server.url}/v1`,
		apiKey: server.key,
		maxRetries: 0,
		defaultHeaders: server.member(id),
	});

test('a response is kept unless it asks not to be, and is read again as it was', async () => {
	const made = await openai.responses.create({ model, input: 'hello' });
	assert.equal(made.status, 'completed');
	assert.equal((made as { store?: boolean }).store, true);
	const { output_text: _, ...again } = await openai.responses.retrieve(made.id);
	const { output_text: text, ...first } = made;
	assert.deepEqual(again, first);
	assert.equal(text, 'Hello there.');
	const loose = await openai.responses.create({ model, input: 'hello', store: false });
	await assert.rejects(openai.responses.retrieve(loose.id), NotFoundError);
	assert.deepEqual(await openai.responses.delete(made.id), {
		id: made.id,
		object: 'response',
		deleted: true,
	});
	await assert.rejects(openai.responses.retrieve(made.id), NotFoundError);
});

test('what is continued is read with what came before it, and listed from either end', async () => {
	const first = await openai.responses.create({ model, input: 'one', instructions: 'Be brief.' });
	const second = await openai.responses.create({
		model,
		input: [{ role: 'user', content: 'two' }],
		previous_response_id: first.id,
	});
	assert.equal(second.previous_response_id, first.id);
	assert.equal(second.instructions, null, 'instructions are of one response');
	const texts: string[] = [];
	for await (const item of openai.responses.inputItems.list(second.id, { order: 'asc', limit: 1 }))
		if (item.type === 'message')
			texts.push(item.content.map((part) => ('text' in part ? part.text : '')).join(''));
	assert.deepEqual(texts, ['one', 'Hello there.', 'two']);
	const page = await openai.responses.inputItems.list(second.id, { limit: 2 });
	assert.equal(page.data.length, 2);
	assert.equal(page.has_more, true);
	const referred = await openai.responses.create({
		model,
		input: [
			{ type: 'item_reference', id: first.output[0]?.id ?? '' },
			{ role: 'user', content: 'three' },
		],
	});
	assert.equal(referred.status, 'completed');
	await openai.responses.delete(first.id);
	await assert.rejects(
		openai.responses.create({ model, input: 'x', previous_response_id: second.id }),
		(error) => error instanceof NotFoundError && error.param === 'previous_response_id',
	);
	await assert.rejects(
		openai.responses.create({ model, input: 'x', previous_response_id: 'resp_1' }),
		(error) => error instanceof NotFoundError && error.param === 'previous_response_id',
	);
});

test('a streamed response can be continued as soon as its last event is there', async () => {
	let id = '';
	for await (const event of await openai.responses.create({ model, input: 'a', stream: true }))
		if (event.type === 'response.completed') {
			id = event.response.id;
			const next = await openai.responses.create({
				model,
				input: 'b',
				previous_response_id: id,
			});
			assert.equal(next.status, 'completed');
		}
	assert.notEqual(id, '');
});

test('a response in the background is read while it is made, followed, and cancelled', async () => {
	const queued = await openai.responses.create({ model, input: 'slow', background: true });
	assert.ok(queued.status === 'queued' || queued.status === 'in_progress');
	await until(
		'it stands so',
		async () => (await openai.responses.retrieve(queued.id)).status === 'in_progress',
	);
	const cancelled = await openai.responses.cancel(queued.id);
	assert.equal(cancelled.status, 'cancelled');
	assert.equal((await openai.responses.retrieve(queued.id)).status, 'cancelled');

	const streamed = await openai.responses.create({
		model,
		input: 'hello',
		background: true,
		stream: true,
	});
	const events: { type: string; sequence_number: number }[] = [];
	let id = '';
	for await (const event of streamed) {
		events.push(event);
		if (event.type === 'response.created') id = event.response.id;
	}
	assert.equal(events.at(-1)?.type, 'response.completed');
	const again: { type: string; sequence_number: number }[] = [];
	for await (const event of await openai.responses.retrieve(id, {
		stream: true,
		starting_after: 2,
	}))
		again.push(event);
	assert.deepEqual(again, events.slice(3));
	await assert.rejects(
		openai.responses.create({ model: 'no such model', input: 'a', background: true }),
		NotFoundError,
	);
	await assert.rejects(
		openai.responses.create({ model, input: 'a', background: true, store: false }),
		BadRequestError,
	);
	const plain = await openai.responses.create({ model, input: 'hello' });
	await assert.rejects(openai.responses.cancel(plain.id), BadRequestError);
});

test('one person has sixteen responses in the background at a time, however fast they are asked for', async () => {
	const asked = await Promise.all(
		Array.from({ length: 40 }, () =>
			server.post('/v1/responses', { model, input: 'slow', background: true }),
		),
	);
	assert.equal(asked.filter(({ status }) => status === 200).length, 16);
	const refused = asked.filter(({ status }) => status === 503);
	assert.equal(refused.length, 24);
	for (const { headers } of refused) assert.ok(Number(headers.get('retry-after')) > 0);
	for (const response of asked.filter(({ status }) => status === 200))
		await openai.responses.cancel(((await response.json()) as { id: string }).id);
	const after = await openai.responses.create({ model, input: 'hello', background: true });
	assert.ok(after.id);
});

test('a conversation gathers items, gives them to responses, and is deleted with them', async () => {
	const made = await openai.conversations.create({
		metadata: { topic: 'tests' },
		items: [{ type: 'message', role: 'user', content: 'before' }],
	});
	assert.equal((await openai.conversations.retrieve(made.id)).object, 'conversation');
	const changed = await openai.conversations.update(made.id, { metadata: { topic: 'more' } });
	assert.deepEqual(changed.metadata, { topic: 'more' });
	const answer = await openai.responses.create({ model, input: 'now', conversation: made.id });
	assert.deepEqual(answer.conversation, { id: made.id });
	const added = await openai.conversations.items.create(made.id, {
		items: [{ type: 'message', role: 'user', content: 'later' }],
	});
	assert.equal(added.data.length, 1);
	const kept: { id?: string; type: string }[] = [];
	for await (const item of openai.conversations.items.list(made.id, { order: 'asc', limit: 2 }))
		kept.push(item as { id: string; type: string });
	assert.equal(kept.length, 4);
	const [first] = kept;
	const one = await openai.conversations.items.retrieve(first?.id ?? '', {
		conversation_id: made.id,
	});
	assert.deepEqual(one, first);
	await openai.conversations.items.delete(first?.id ?? '', { conversation_id: made.id });
	assert.equal((await openai.conversations.items.list(made.id)).data.length, 3);
	const both = { conversation: made.id, previous_response_id: answer.id };
	await assert.rejects(
		openai.responses.create({ model, input: 'x', ...both }),
		(error) => error instanceof BadRequestError && error.param === 'conversation',
	);
	await openai.conversations.delete(made.id);
	await assert.rejects(openai.conversations.retrieve(made.id), NotFoundError);
	await assert.rejects(openai.responses.create({ model, input: 'x', conversation: made.id }), {
		status: 404,
	});
});

test('a conversation takes one response at a time', async () => {
	const { id } = await openai.conversations.create({});
	const stop = new AbortController();
	const slow = await openai.responses.create(
		{ model, input: 'slow', conversation: id, stream: true },
		{ signal: stop.signal },
	);
	const events = slow[Symbol.asyncIterator]();
	await events.next();
	await assert.rejects(openai.responses.create({ model, input: 'x', conversation: id }), {
		status: 409,
	});
	stop.abort();
	await events.return?.();
	await until('it stands so', async () => {
		const { status } = await server.post('/v1/responses', { model, input: 'x', conversation: id });
		return status === 200;
	});
});

test('what one person keeps does not exist for another', async () => {
	const mine = clientOf('a'.repeat(32));
	const other = clientOf('b'.repeat(32));
	const { id, output } = await mine.responses.create({ model, input: 'secret' });
	const conversation = await mine.conversations.create({
		items: [{ type: 'message', role: 'user', content: 'secret' }],
	});
	const [item] = (await mine.conversations.items.list(conversation.id)).data;
	const itemId = (item as { id: string }).id;
	const background = await mine.responses.create({ model, input: 'slow', background: true });
	const place = { conversation_id: conversation.id };
	const items = [{ type: 'message' as const, role: 'user' as const, content: 'x' }];
	const reference = { type: 'item_reference' as const, id: output[0]?.id ?? '' };
	for (const person of [other, openai]) {
		const tries: (() => Promise<unknown>)[] = [
			() => person.responses.retrieve(id),
			() => person.responses.delete(id),
			() => person.responses.cancel(background.id),
			() => person.responses.retrieve(background.id),
			() => person.responses.inputItems.list(id),
			() => person.responses.create({ model, input: 'x', previous_response_id: id }),
			() => person.responses.create({ model, input: 'x', conversation: conversation.id }),
			() => person.responses.create({ model, input: [reference] }),
			() => person.conversations.retrieve(conversation.id),
			() => person.conversations.update(conversation.id, { metadata: {} }),
			() => person.conversations.delete(conversation.id),
			() => person.conversations.items.list(conversation.id),
			() => person.conversations.items.create(conversation.id, { items }),
			() => person.conversations.items.retrieve(itemId, place),
			() => person.conversations.items.delete(itemId, place),
		];
		for (const [index, attempt] of tries.entries())
			await assert.rejects(attempt(), NotFoundError, `try ${index}`);
	}
	assert.equal((await mine.responses.retrieve(id)).id, id);
	assert.equal((await mine.responses.cancel(background.id)).status, 'cancelled');
});

test("the tokens of a request are counted with what it continues, and with nobody else's", async () => {
	const count = async (body: OpenAI.Responses.InputTokenCountParams, client = openai) => {
		const counted = await client.responses.inputTokens.count({ model, ...body });
		assert.equal(counted.object, 'response.input_tokens');
		return counted.input_tokens;
	};
	const alone = await count({ input: 'two' });
	assert.ok(alone > 0);
	assert.ok((await count({ input: 'two', instructions: 'Be brief and kind.' })) > alone);
	const first = await openai.responses.create({ model, input: 'one' });
	const continued = { input: 'two', previous_response_id: first.id };
	// This model's prompt has the last turn alone, and a turn before it that was read is one that was left out.
	const omitted = async (body: object) =>
		(await server.post('/v1/responses/input_tokens', { model, ...body })).headers.get(
			'x-omitted-turns',
		);
	assert.equal(await omitted({ input: 'two' }), null);
	assert.equal(await omitted(continued), '1');
	await assert.rejects(count(continued, clientOf('b'.repeat(32))), NotFoundError);
	await assert.rejects(count({ input: 'a', conversation: 'conv_none' }), NotFoundError);
});

test('the owner sees how much is kept, and deletes all of it', async () => {
	const counts = async () =>
		(await (await fetch(`${server.url}/nearglot/responses`, { headers: server.keyed })).json()) as {
			responses: number;
			people: number;
		};
	assert.ok((await counts()).people >= 2);
	const member = await fetch(`${server.url}/nearglot/responses`, {
		method: 'DELETE',
		headers: { ...server.keyed, ...server.member() },
	});
	assert.equal(member.status, 403);
	const done = await fetch(`${server.url}/nearglot/responses`, {
		method: 'DELETE',
		headers: server.keyed,
	});
	assert.ok(((await done.json()) as { deleted: number }).deleted > 5);
	assert.equal((await counts()).responses, 0);
	const made = await openai.responses.create({ model, input: 'hello' });
	assert.equal((await openai.responses.retrieve(made.id)).id, made.id);
});

test('while the store cannot be written, what did not ask to be kept is answered and says so', async () => {
	const db = new DatabaseSync(join(server.backend.settings.dataDir, 'responses.db'));
	db.exec('BEGIN IMMEDIATE');
	const ask = async (more: object) => {
		const response = await server.post('/v1/responses', { model, input: 'hello', ...more });
		return { response, body: await response.json() } as {
			response: Response;
			body: { status: string; store: boolean; error: { code: string } };
		};
	};
	for (const stream of [false, false, true]) {
		const response = await server.post('/v1/responses', { model, input: 'hello', stream });
		const text = await response.text();
		assert.match(text, /"status":"completed"/);
		assert.match(text, /"store":false/);
		// Those after the first one are spared the wait, and told as well.
		assert.equal(response.headers.get('x-not-stored'), 'store_unavailable');
	}
	assert.equal((await ask({ store: false })).body.status, 'completed');
	const asked = await ask({ store: true });
	assert.equal(asked.response.status, 503);
	assert.equal(asked.body.error.code, 'store_unavailable');
	db.exec('ROLLBACK');
	db.close();
	assert.equal((await ask({ store: true })).body.store, true);
});
