/** Responses and conversations that two replicas keep in one Redis. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnswerLimits } from '../../../server/services/responses/answerStore.ts';
import { RedisAnswers } from '../../../server/services/responses/redisAnswers.ts';
import { RedisLink } from '../../../server/services/shared/redisLink.ts';
import { RedisServer, redisMissing } from '../../gateway/support/redisServer.ts';
import { startTestServer, type TestServer } from '../../support/testServer.ts';
import { until } from '../../support/until.ts';

const skip = redisMissing;
const patienceMs = 30_000;
let redis: RedisServer;
let one: TestServer;
let two: TestServer;

before(async () => {
	if (skip) return;
	redis = await RedisServer.start();
	const start = () => startTestServer({ fakeRunner: true, settings: { shared: redis.url } });
	[one, two] = await Promise.all([start(), start()]);
});
after(async () => {
	await one?.close();
	await two?.close();
	await redis?.[Symbol.asyncDispose]();
});

interface Answer {
	readonly status: number;
	readonly body: {
		readonly id: string;
		readonly status: string;
		readonly store: boolean;
		readonly data: readonly { readonly type: string }[];
		readonly output: readonly unknown[];
	};
}

async function call(
	server: TestServer,
	method: string,
	path: string,
	body?: object,
	person = 'a',
): Promise<Answer> {
	const response = await fetch(server.url + path, {
		method,
		headers: { 'content-type': 'application/json', ...server.member(person.repeat(32)) },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const ask = (server: TestServer, input: string, more: object = {}) =>
	call(server, 'POST', '/v1/responses', { model: 'starter-chat', input, ...more });
const read = (server: TestServer, id: string, person?: string) =>
	call(server, 'GET', `/v1/responses/${id}`, undefined, person);

test('a response of one replica is read, continued and deleted through the other', {
	skip,
}, async () => {
	const first = await ask(one, 'hi');
	assert.equal(first.status, 200);
	assert.equal(first.body.store, true);
	const there = await read(two, first.body.id);
	assert.deepEqual(there.body, first.body);
	assert.equal((await read(two, first.body.id, 'b')).status, 404, 'of one person');
	const second = await ask(two, 'and?', { previous_response_id: first.body.id });
	assert.equal(second.status, 200);
	const items = `/v1/responses/${second.body.id}/input_items?order=asc`;
	const listed = (await call(one, 'GET', items)).body.data;
	assert.equal(listed.length, 3, 'question, answer, question');
	const third = await ask(one, 'and?', { previous_response_id: second.body.id });
	assert.equal(third.status, 200);
	assert.equal((await call(one, 'DELETE', `/v1/responses/${second.body.id}`)).status, 200);
	assert.equal((await read(two, second.body.id)).status, 404);
	const broken = await ask(two, 'and?', { previous_response_id: third.body.id });
	assert.equal(broken.status, 404, 'one that it goes back to is gone');
});

test('a conversation goes on at either replica, by one response at a time', { skip }, async () => {
	const made = await call(one, 'POST', '/v1/conversations', { metadata: { a: 'b' } });
	const conversation = made.body.id;
	const slow = ask(one, 'slow', { conversation });
	await until('it is being added to', async () => {
		const { status } = await ask(two, 'hi', { conversation });
		return status === 409;
	});
	assert.equal((await slow).status, 200);
	await until(
		'it is free again',
		async () => (await ask(two, 'hi', { conversation })).status === 200,
		patienceMs,
	);
	const path = `/v1/conversations/${conversation}`;
	const [here, there] = [
		await call(one, 'GET', `${path}/items?limit=100`),
		await call(two, 'GET', `${path}/items?limit=100`),
	];
	assert.ok(here.body.data.length >= 4);
	assert.deepEqual(here.body, there.body);
	assert.equal((await call(two, 'DELETE', path)).status, 200);
	assert.equal((await call(one, 'GET', path)).status, 404);
});

test('a response in the background is read and cancelled through the other replica', {
	skip,
}, async () => {
	const { body } = await ask(one, 'slow', { background: true, max_output_tokens: 500 });
	await until(
		'it is under way',
		async () => (await read(two, body.id)).body.status === 'in_progress',
		patienceMs,
	);
	const cancelled = await call(two, 'POST', `/v1/responses/${body.id}/cancel`, {});
	assert.equal(cancelled.body.status, 'cancelled');
	assert.equal((await read(one, body.id)).body.status, 'cancelled');
	const next = await ask(one, 'slow', { background: true, max_output_tokens: 500 });
	assert.equal((await call(two, 'DELETE', `/v1/responses/${next.body.id}`)).status, 200);
	await until('the work for it has ended', () => one.backend.activity.idle(), patienceMs);
	assert.equal((await read(one, next.body.id)).status, 404);
	const done = await ask(two, 'hi', { background: true });
	await until(
		'it has ended',
		async () => (await read(one, done.body.id)).body.status === 'completed',
		patienceMs,
	);
});

/** The events of a response, as far as they come. */
async function events(server: TestServer, path: string, body?: object) {
	const response = await fetch(server.url + path, {
		method: body === undefined ? 'GET' : 'POST',
		headers: { 'content-type': 'application/json', ...server.member('a'.repeat(32)) },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	const found = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
	return { status: response.status, text, found };
}

test('the events of a response in the background are read at the other replica, while it is made and after', {
	skip,
}, async () => {
	const more = { background: true, stream: true };
	const whole = events(one, '/v1/responses', { model: 'starter-chat', input: 'hi', ...more });
	const slow = await fetch(`${one.url}/v1/responses`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...one.member('a'.repeat(32)) },
		body: JSON.stringify({ model: 'starter-chat', input: 'slow', max_output_tokens: 40, ...more }),
	});
	const made = await whole;
	const first = made.found[0].response.id as string;
	const readAt = (id: string, query = '') => `/v1/responses/${id}?stream=true${query}`;
	assert.deepEqual((await events(two, readAt(first))).found, made.found, 'after its end');
	const later = await events(two, readAt(first, '&starting_after=2'));
	assert.deepEqual(later.found, made.found.slice(3));
	const reader = slow.body?.getReader();
	const begun = new TextDecoder().decode((await reader?.read())?.value);
	const id = /"id":"(resp_\w+)"/.exec(begun)?.[1] ?? '';
	const beside = events(two, readAt(id));
	await reader?.cancel();
	assert.deepEqual((await beside).found, (await events(one, readAt(id))).found, 'while it is made');
	const quiet = await ask(one, 'hi', { background: true });
	assert.match(
		(await events(two, readAt(quiet.body.id))).text,
		/events of the response .* are not there/,
	);
	assert.match((await events(two, readAt('resp_none'))).text, /not_found|is not there/);
});

test('while Redis is away answers come, and are not kept; what was kept is there again', {
	skip,
}, async () => {
	const before = await ask(one, 'hi');
	const background = await ask(two, 'slow', { background: true });
	await redis.stop();
	const meanwhile = await ask(one, 'hi');
	assert.equal(meanwhile.status, 200);
	assert.equal(meanwhile.body.store, false);
	assert.equal((await ask(one, 'hi', { store: true })).status, 503, 'who asked for it is told');
	assert.equal((await read(two, before.body.id)).status, 503);
	await until('the work has ended', () => two.backend.activity.idle(), patienceMs);
	await redis.run();
	await until('it is back', () => one.backend.shared?.isThere === true, patienceMs);
	assert.equal((await read(one, before.body.id)).body.status, 'completed');
	await until(
		'what ended in the background meanwhile is kept',
		async () => (await read(one, background.body.id)).body.status === 'completed',
		patienceMs,
	);
});

const limits: AnswerLimits = {
	...{ days: 30, personBytes: 3000, personEntries: 5 },
	...{ allBytes: 6000, entryBytes: 2000 },
};
const item = (id: string, text = 'x') => ({ id, json: JSON.stringify({ text }) });
const begun = (id: string, text?: string) =>
	({
		person: 'a/b é:',
		id,
		status: 'in_progress',
		json: '{}',
		input: [item(`m${id}`, text)],
	}) as const;
const ended = (id: string, status = 'completed') =>
	({ person: 'a/b é:', id, status, json: '{"a":1}', output: [item(`o${id}`)] }) as const as never;

test('entries go by number and bytes, of one person and of all, and nothing is left of them', {
	skip,
}, async () => {
	await redis.tell('FLUSHALL');
	const link = new RedisLink(redis.url);
	const answers = new RedisAnswers(link, limits);
	const has = (id: string, person = 'a/b é:') =>
		answers.answer(person, id).then(
			() => true,
			() => false,
		);
	for (let n = 0; n < 5; n++) {
		await answers.begin(begun(`r${n}`));
		await answers.end(ended(`r${n}`));
	}
	await answers.context('a/b é:', 'r0');
	await answers.begin(begun('r5'));
	assert.deepEqual([await has('r0'), await has('r1'), await has('r5')], [true, false, true]);
	assert.deepEqual(await answers.itemsById('a/b é:', ['or2', 'mr0']), [item('or2'), item('mr0')]);
	await assert.rejects(answers.itemsById('a/b é:', ['mr1']), { code: 'not_found' });
	await answers.begin(begun('long', 'y'.repeat(1900)));
	await answers.begin(begun('longer', 'y'.repeat(1900)));
	assert.deepEqual([await has('long'), await has('longer')], [false, true], 'bytes of a person');
	for (const person of ['p1', 'p2', 'p3'])
		await answers.begin({ ...begun('r', 'y'.repeat(1900)), person });
	assert.deepEqual(
		[await has('longer'), await has('r', 'p1'), await has('r', 'p3')],
		[false, true, true],
	);
	const counts = await answers.counts();
	assert.deepEqual([counts.responses, counts.people], [3, 3]);
	assert.ok(counts.bytes <= limits.allBytes);
	await assert.rejects(answers.begin(begun('r', 'y'.repeat(3000))), { code: 'payload_too_large' });
	assert.equal(await answers.deleteAll(), 3);
	const left = await link.run((client) => client.keys('nearglot:shared:answers:*'));
	assert.deepEqual(left, []);
	await answers.close();
	await link.close();
});

test('what a replica writes late does not undo what others have done, and one that is gone has failed', {
	skip,
}, async () => {
	const link = new RedisLink(redis.url);
	const [here, there] = [new RedisAnswers(link, limits), new RedisAnswers(link, limits)];
	const status = async (id: string) =>
		(JSON.parse(await there.answer('a/b é:', id)) as { readonly status?: string }).status;
	await here.begin(begun('deleted'));
	await there.deleteAnswer('a/b é:', 'deleted');
	await here.end(ended('deleted'));
	await assert.rejects(there.answer('a/b é:', 'deleted'), { code: 'not_found' });
	await here.begin(begun('foreign'));
	await there.end(ended('foreign', 'failed'));
	assert.equal(await there.answer('a/b é:', 'foreign'), '{}', 'only its replica ends it');
	// As if it had not been said for a minute that it lives.
	const silence = (id: string) =>
		redis.tell(
			'HSET',
			`nearglot:shared:answers:${encodeURIComponent('a/b é:')}:e:${id}`,
			'alive',
			'1',
		);
	await here.begin(begun('lost'));
	await here.close();
	await silence('lost');
	assert.equal(await status('lost'), 'failed');
	await here.end(ended('lost'));
	assert.equal(await there.answer('a/b é:', 'lost'), '{"a":1}', 'it was only slow');
	await here.begin(begun('ended'));
	await here.close();
	await silence('ended');
	await there.stop('a/b é:', 'ended');
	assert.equal(await status('ended'), 'cancelled');
	await here.end(ended('ended'));
	assert.equal(await status('ended'), 'cancelled', 'cancelled stays cancelled');
	const release = await here.hold('a/b é:', 'c');
	assert.equal(await there.hold('a/b é:', 'c'), undefined);
	release?.();
	await until('it is free', async () => (await there.hold('a/b é:', 'c')) !== undefined);
	await Promise.all([here.close(), there.close()]);
	await link.close();
});

test('no response is given up because Redis was away for longer than it may be silent', {
	skip,
}, async () => {
	const links = [new RedisLink(redis.url), new RedisLink(redis.url)] as const;
	const [here, there] = links.map((link) => new RedisAnswers(link, limits));
	assert.ok(here && there);
	await here.begin(begun('long'));
	await here.close();
	await until('both have found it', async () => (await there.answer('a/b é:', 'long')) === '{}');
	await redis.stop();
	await until('it is away', () => links.every(({ isThere }) => !isThere), patienceMs);
	await redis.run();
	await until('it is back', () => links.every(({ isThere }) => isThere), patienceMs);
	const key = `nearglot:shared:answers:${encodeURIComponent('a/b é:')}:e:long`;
	await redis.tell('HSET', key, 'alive', '1');
	assert.equal(await there.answer('a/b é:', 'long'), '{}', 'whoever makes it could not say so');
	const fresh = new RedisLink(redis.url);
	const third = new RedisAnswers(fresh, limits);
	assert.match(await third.answer('a/b é:', 'long'), /"failed"/, 'who knows of no break');
	await Promise.all([
		there.close(),
		third.close(),
		fresh.close(),
		...links.map((link) => link.close()),
	]);
});
