/** Files and batches through the npm openai client: uploaded, run, watched, cancelled, paused, tried again, each person's own. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI, { type APIError, NotFoundError, toFile } from 'openai';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

let server: TestServer;
let openai: OpenAI;
before(async () => {
	server = await startTestServer({
		fakeRunner: true,
		settings: { jobs: { tickMs: 30, width: 1 } },
	});
	openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
after(() => server.close());

const chat = (id: string, content: string, more: object = {}) =>
	JSON.stringify({
		custom_id: id,
		method: 'POST',
		url: '/v1/chat/completions',
		body: { model: 'starter-chat', messages: [{ role: 'user', content }], ...more },
	});

const upload = async (lines: readonly string[], client = openai) =>
	client.files.create({
		file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'),
		purpose: 'batch',
	});

const begin = async (lines: readonly string[], client = openai) =>
	client.batches.create({
		input_file_id: (await upload(lines, client)).id,
		endpoint: '/v1/chat/completions',
		completion_window: '24h',
		metadata: { of: 'a test' },
		output_expires_after: { anchor: 'created_at', seconds: 7200 },
	});

const ended = async (id: string, client = openai) => {
	let batch = await client.batches.retrieve(id);
	await until(`the batch ${id} ends`, async () => {
		batch = await client.batches.retrieve(id);
		return ['completed', 'failed', 'cancelled', 'expired'].includes(batch.status);
	});
	return batch;
};

interface Row {
	custom_id: string | null;
	response: { status_code: number; body: { error?: { code: string; param?: string } } } | null;
	error: { code: string } | null;
}
const rows = async (id: string | null | undefined, client = openai): Promise<Row[]> =>
	id == null
		? []
		: (await (await client.files.content(id)).text())
				.split('\n')
				.filter((line) => line !== '')
				.map((line) => JSON.parse(line) as Row);

test('a file is kept as it was sent, listed, and deleted', async () => {
	const text = `${chat('a', 'x')}\n`;
	const file = await upload([text]);
	assert.equal(file.bytes, Buffer.byteLength(text));
	assert.equal(await (await openai.files.content(file.id)).text(), text);
	const second = await upload([chat('b', 'y')]);
	const ids: string[] = [];
	for await (const one of openai.files.list({ limit: 1, order: 'asc' })) ids.push(one.id);
	assert.deepEqual(ids, [file.id, second.id]);
	assert.deepEqual(await openai.files.delete(file.id), {
		...{ id: file.id, object: 'file', deleted: true },
	});
	await assert.rejects(openai.files.retrieve(file.id), NotFoundError);
	await assert.rejects(
		openai.files.create({ file: await toFile(Buffer.from('x'), 'x'), purpose: 'vision' }),
		/'purpose' must be one of batch, user_data/,
	);
});

test('a list goes on after what was deleted meanwhile', async () => {
	for (let count = 0; count < 5; count++)
		await openai.files.create({
			file: await toFile(Buffer.from(`${count}`), 'x'),
			purpose: 'user_data',
		});
	for (const order of ['desc', 'asc'] as const) {
		let deleted = 0;
		const range = { limit: 2, purpose: 'user_data', order };
		for await (const { id } of openai.files.list(range)) {
			if (order === 'asc' || deleted < 3) await openai.files.delete(id);
			deleted++;
		}
		assert.equal(deleted, order === 'desc' ? 5 : 2, order);
	}
	await assert.rejects(openai.files.list({ after: 'file-none' }), NotFoundError);
	await assert.rejects(openai.batches.list({ after: 'batch_none' }), NotFoundError);
});

test('a batch reads a file that is for batches', async () => {
	for (const purpose of ['user_data', 'batch'] as const) {
		const file = await toFile(Buffer.from(chat('a', 'hello')), 'in.jsonl');
		const { id } = await openai.files.create({ file, purpose });
		const made = openai.batches.create({
			...{ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
		});
		if (purpose === 'batch') await ended((await made).id);
		else
			await assert.rejects(made, (error: APIError) => {
				assert.deepEqual([error.status, error.param], [400, 'input_file_id']);
				return true;
			});
	}
});

test('every line of a batch has one row, whatever is wrong with it, and the others are done', async () => {
	const lines = [
		chat('one', 'hello'),
		'',
		'{ no json',
		chat('two', 'overflow'),
		chat('one', 'hello again'),
		chat('three', 'hello', { stream: true }),
		chat('four', 'hello', { model: 'no-such-model' }),
		chat('five', 'hello').replace('/v1/chat/completions', '/v1/embeddings'),
		chat('six', 'hello'),
	];
	const made = await begin(lines);
	assert.equal(made.object, 'batch');
	assert.ok(['validating', 'in_progress'].includes(made.status), made.status);
	const done = await ended(made.id);
	assert.equal(done.status, 'completed');
	assert.deepEqual(done.request_counts, { total: 8, completed: 2, failed: 6 });
	assert.deepEqual(done.metadata, { of: 'a test' });
	const output = await rows(done.output_file_id);
	assert.deepEqual(
		output.map((row) => [row.custom_id, row.response?.status_code]),
		[
			['one', 200],
			['six', 200],
		],
	);
	const errors = await rows(done.error_file_id);
	assert.deepEqual(
		errors.map(({ custom_id, response }) => [
			custom_id,
			response?.status_code,
			response?.body.error?.code,
		]),
		[
			[null, 400, 'invalid_json'],
			['two', 400, 'context_length_exceeded'],
			['one', 400, 'invalid_request'],
			['three', 400, 'invalid_request'],
			['four', 404, 'model_not_found'],
			['five', 400, 'invalid_request'],
		],
	);
	assert.equal(done.usage?.total_tokens, 2 * 6);
	assert.deepEqual(done.usage?.input_tokens_details, { cached_tokens: 0 });
	for (const id of [done.output_file_id, done.error_file_id]) {
		const { created_at: at, expires_at: end = 0 } = await openai.files.retrieve(id ?? '');
		assert.equal(end - at, 7200);
	}
});

test('an item that ends the process of its model is found, tried twice alone and given up; the others are done', async () => {
	const lines = Array.from({ length: 12 }, (_, n) => chat(`${n}`, n === 5 ? 'crash' : 'hello'));
	const done = await ended((await begin(lines)).id);
	assert.deepEqual(done.request_counts, { total: 12, completed: 11, failed: 1 });
	const [row] = await rows(done.error_file_id);
	assert.deepEqual([row?.custom_id, row?.response?.body.error?.code], ['5', 'runner_crashed']);
	const again = await fetch(`${server.url}/v1/batches/${done.id}/retry`, { method: 'POST' });
	const retried = await ended(((await again.json()) as { id: string }).id);
	assert.deepEqual(retried.request_counts, { total: 1, completed: 0, failed: 1 });
	assert.equal(retried.metadata?.['retry_of'], done.id);
});

test('what no line of is a request fails, and says why', async () => {
	const done = await ended((await begin(['this is', 'no list'])).id);
	assert.equal(done.status, 'failed');
	assert.equal(done.errors?.data?.[0]?.code, 'invalid_json_lines');
});

test('a cancelled batch keeps what was done; a paused one rests and goes on', async () => {
	// The first shard is done, the second takes ten seconds.
	const lines = [
		...Array.from({ length: 50 }, (_, n) => chat(`quick ${n}`, 'hello')),
		chat('slow', 'slow'),
	];
	const { id } = await begin(lines);
	await until('the first part is done', async () => {
		const { request_counts: counts } = await openai.batches.retrieve(id);
		return counts?.completed === 50;
	});
	const paused = await (
		await fetch(`${server.url}/v1/batches/${id}/pause`, { method: 'POST' })
	).json();
	assert.equal((paused as { paused: boolean }).paused, true);
	const small = await ended((await begin([chat('beside', 'hello')])).id);
	assert.equal(small.request_counts?.completed, 1, 'another batch is done meanwhile');
	await fetch(`${server.url}/v1/batches/${id}/resume`, { method: 'POST' });
	const cancelling = await openai.batches.cancel(id);
	assert.ok(['cancelling', 'cancelled'].includes(cancelling.status), cancelling.status);
	const done = await ended(id);
	assert.equal(done.status, 'cancelled');
	assert.equal((await rows(done.output_file_id)).length, 50);
	await assert.rejects(openai.batches.cancel(id), /cannot be cancelled any more/);
});

test('a batch whose file is deleted ends, keeps what was done and says why', async () => {
	const lines = [
		...Array.from({ length: 50 }, (_, n) => chat(`quick ${n}`, 'hello')),
		chat('slow', 'slow'),
		chat('last', 'hello'),
	];
	const { id, input_file_id: file } = await begin(lines);
	await until('the first part is done', async () => {
		const { request_counts: counts } = await openai.batches.retrieve(id);
		return counts?.completed === 50;
	});
	await openai.files.delete(file);
	const done = await ended(id);
	assert.equal(done.status, 'failed');
	assert.equal(done.errors?.data?.[0]?.code, 'file_not_found');
	assert.deepEqual(done.request_counts, { total: 52, completed: 50, failed: 2 });
	assert.equal((await rows(done.output_file_id)).length, 50);
	assert.equal(done.error_file_id, null);
	const again = await fetch(`${server.url}/v1/batches/${id}/retry`, { method: 'POST' });
	assert.equal(again.status, 409);
});

test('the same Idempotency-Key makes one batch', async () => {
	const file = await upload([chat('a', 'hello')]);
	const body = {
		...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
	} as const;
	const send = (asked: object) =>
		server.post('/v1/batches', asked, { headers: { 'idempotency-key': 'k1' } });
	const all = await Promise.all([send(body), send(body), send(body)]);
	const ids = await Promise.all(all.map(async (one) => ((await one.json()) as { id: string }).id));
	assert.equal(new Set(ids).size, 1);
	assert.equal((await send({ ...body, completion_window: '48h' })).status, 409);
});

test('what is noted on a batch has short keys, and not many', async () => {
	const { id } = await upload([chat('a', 'hello')]);
	const post = (metadata: object) =>
		server.post('/v1/batches', {
			...{
				input_file_id: id,
				endpoint: '/v1/chat/completions',
				completion_window: '24h',
				metadata,
			},
		});
	for (const [metadata, why] of [
		[{ ['k'.repeat(65)]: 'v' }, /metadata.*at most 64 characters/],
		[{ k: 'v'.repeat(513) }, /metadata.*512/],
		[Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])), /metadata.*16/],
	] as const) {
		const refused = await post(metadata);
		assert.equal(refused.status, 400);
		assert.match(await refused.text(), why);
	}
	assert.equal((await post({ ['k'.repeat(64)]: 'v' })).status, 200);
});

test('events tell how far a batch is until it ends', async () => {
	const { id } = await begin([chat('a', 'hello')]);
	const response = await fetch(`${server.url}/v1/batches/${id}/events`);
	const text = await response.text();
	const states = [...text.matchAll(/"status":"(\w+)"/g)].map(([, state]) => state);
	assert.equal(states.at(-1), 'completed');
	assert.match(text, /data: \[DONE\]\s*$/);
});

test('files and batches are of one person; whoever may do nothing else may not do it in a batch', async () => {
	const clientOf = (id: string) =>
		new OpenAI({
			...{ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 },
			defaultHeaders: server.member(id),
		});
	const [anna, ben] = [clientOf('a'.repeat(32)), clientOf('b'.repeat(32))];
	const made = await begin([chat('a', 'hello')], anna);
	const done = await ended(made.id, anna);
	assert.equal((await rows(done.output_file_id, anna)).length, 1);
	await assert.rejects(ben.batches.retrieve(made.id), NotFoundError);
	await assert.rejects(ben.files.content(done.output_file_id ?? ''), NotFoundError);
	await assert.rejects(ben.batches.cancel(made.id), NotFoundError);
	assert.deepEqual((await ben.batches.list()).data, []);
	const { key } = server.backend.people.keys.create({
		...{ name: 'translator', scopes: ['translate'], limits: {} },
	});
	const keyed = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: key, maxRetries: 0 });
	await assert.rejects(begin([chat('a', 'hello')], keyed), /for translate only/);
});

test('whoever has guessed the ids and the Idempotency-Key of somebody else gets at nothing of theirs', async () => {
	const personOf = (name: string) => {
		const scopes = ['chat', 'speech'] as const;
		const { key } = server.backend.people.keys.create({ name, scopes: [...scopes], limits: {} });
		const options = { baseURL: `${server.url}/v1`, apiKey: key, maxRetries: 0 };
		const call = (method: 'GET' | 'POST', path: string) =>
			fetch(server.url + path, { method, headers: { authorization: `Bearer ${key}` } });
		return { client: new OpenAI(options), call };
	};
	const [anna, ben] = [personOf('anna'), personOf('ben')];
	const input = await upload([chat('a', 'hello')], anna.client);
	const sameKey = { headers: { 'Idempotency-Key': 'the same' } };
	const asked = (id: string) =>
		({
			input_file_id: id,
			endpoint: '/v1/chat/completions',
			completion_window: '24h',
		}) as const;
	const resting = await anna.client.batches.create(asked(input.id), sameKey);
	await anna.call('POST', `/v1/batches/${resting.id}/pause`);
	const done = await ended((await begin([chat('a', 'hello')], anna.client)).id, anna.client);
	const state = async () => {
		const { status, paused } = (await anna.client.batches.retrieve(resting.id)) as OpenAI.Batch & {
			paused: boolean;
		};
		return { status, paused };
	};
	const before = await state();
	for (const { id } of [resting, done]) {
		for (const action of ['cancel', 'pause', 'resume', 'retry'])
			assert.equal((await ben.call('POST', `/v1/batches/${id}/${action}`)).status, 404, action);
		assert.equal((await ben.call('GET', `/v1/batches/${id}/events`)).status, 404);
		await assert.rejects(ben.client.batches.retrieve(id), NotFoundError);
		assert.deepEqual((await ben.client.batches.list({ after: id })).data, []);
	}
	for (const id of [input.id, done.input_file_id, done.output_file_id ?? '']) {
		await assert.rejects(ben.client.files.retrieve(id), NotFoundError);
		await assert.rejects(ben.client.files.content(id), NotFoundError);
		await assert.rejects(ben.client.files.delete(id), NotFoundError);
		assert.deepEqual((await ben.client.files.list({ after: id })).data, []);
		await assert.rejects(ben.client.batches.create(asked(id)), NotFoundError);
		await assert.rejects(ben.client.batches.create(asked(id), sameKey), NotFoundError);
	}
	const own = await upload([chat('b', 'hello')], ben.client);
	const other = await ben.client.batches.create(asked(own.id), sameKey);
	assert.notEqual(other.id, resting.id);
	assert.equal((await ben.client.batches.create(asked(own.id), sameKey)).id, other.id);
	const line = { custom_id: 'r', method: 'POST', url: '/v1/audio/transcriptions' };
	const heard = await ben.client.batches.create({
		...asked(
			(
				await upload(
					[JSON.stringify({ ...line, body: { model: 'starter-speech', file: input.id } })],
					ben.client,
				)
			).id,
		),
		endpoint: '/v1/audio/transcriptions' as '/v1/chat/completions',
	});
	const [row] = await rows((await ended(heard.id, ben.client)).error_file_id, ben.client);
	assert.equal(row?.response?.body.error?.code, 'not_found');
	assert.deepEqual(await state(), before);
	assert.equal((await anna.client.files.retrieve(input.id)).id, input.id);
});
