/** Two replicas and a Redis that comes and goes. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listenOps } from '../../../server/http/opsServer.ts';
import { RedisServer, redisMissing } from '../../gateway/support/redisServer.ts';
import { startTestServer, type TestServer } from '../../support/testServer.ts';
import { until } from '../../support/until.ts';

let redis: RedisServer;
let replicas: TestServer[] = [];

before(async () => {
	if (redisMissing) return;
	redis = await RedisServer.start();
	const limits = { shared: redis.url, people: { tokensPerDay: 40 } };
	replicas = await Promise.all(
		[1, 2].map(() => startTestServer({ fakeRunner: true, settings: { limits } })),
	);
});
after(async () => {
	for (const replica of replicas) {
		await replica.close();
		await replica.backend.save();
	}
	await redis?.[Symbol.asyncDispose]();
});

const ask = async (replica: TestServer | undefined, person: string) =>
	(
		await replica?.post(
			'/v1/chat/completions',
			{ model: 'starter-chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 4 },
			{ headers: replica.member(person.repeat(32)) },
		)
	)?.status;

test('what a person uses of one replica counts in the other, also in the usage', {
	skip: redisMissing,
}, async () => {
	const [one, two] = replicas;
	const statuses: (number | undefined)[] = [];
	for (let tries = 0; tries < 16; tries++)
		statuses.push(await ask(tries % 2 === 0 ? one : two, 'a'));
	const answered = statuses.filter((status) => status === 200).length;
	// A request is 6 tokens of the model, and reserves a little more.
	assert.ok(answered >= 1 && answered <= 6, String(statuses));
	assert.equal(statuses.at(-1), 429);
	assert.equal(await ask(two, 'b'), 200, 'others go on');
	await two?.backend.people.book.flush();
	const rows = (await one?.backend.people.book.rows('0000', '9999')) ?? [];
	const requests = rows.reduce((sum, row) => sum + row.requests, 0);
	assert.equal(requests, answered + 1);
});

test('without the store work goes on, each replica counts alone, and says so', {
	skip: redisMissing,
}, async () => {
	const [one] = replicas;
	await redis.stop();
	assert.equal(await ask(one, 'c'), 200);
	await until(
		'it is known that the store is away',
		() => one?.backend.people.counts.isShared === false,
	);
	assert.equal(await ask(one, 'a'), 429, 'what was known counts');
	assert.ok(one);
	const ops = await listenOps(one.backend, { port: 0, host: '127.0.0.1', names: 'nearglot' });
	const probe = await fetch(`${ops.url}/readyz`);
	assert.equal(probe.status, 200);
	assert.match(await probe.text(), /^ready\nlimits: counted by this replica alone/);
	await ops.close();
	const statuses: (number | undefined)[] = [];
	for (let tries = 0; tries < 12; tries++) statuses.push(await ask(one, 'c'));
	assert.ok(statuses.includes(429), String(statuses));
	await redis.run();
	await until(
		'replicas count together again',
		async () => {
			await ask(one, 'd');
			return one?.backend.people.counts.isShared === true;
		},
		20_000,
	);
	await ask(one, 'c');
	assert.equal(await ask(replicas[1], 'c'), 429, 'what was used meanwhile counts in the other');
	await until(
		'usage is written down again',
		async () => {
			await one?.backend.people.book.flush();
			return one?.backend.people.book.isKept === true;
		},
		20_000,
	);
});
