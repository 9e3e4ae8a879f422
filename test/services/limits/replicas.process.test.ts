/** Two replicas and a Redis that comes and goes. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listenOps } from '../../../server/http/opsServer.ts';
import { countedUnits } from '../../../server/protocol/limitTypes.ts';
import type { Account } from '../../../server/services/limits/account.ts';
import { RedisServer, redisMissing } from '../../gateway/support/redisServer.ts';
import { startTestServer, type TestServer } from '../../support/testServer.ts';
import { until } from '../../support/until.ts';

let redis: RedisServer;
let replicas: TestServer[] = [];

before(async () => {
	if (redisMissing) return;
	redis = await RedisServer.start();
	const people = {
		...{ tokensPerDay: 40, tokensPerMinute: 40, secondsPerMinute: 9, secondsPerDay: 9 },
		...{ charactersPerMinute: 9, charactersPerDay: 9 },
	};
	const settings = { shared: redis.url, limits: { people } };
	replicas = await Promise.all([1, 2].map(() => startTestServer({ fakeRunner: true, settings })));
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

for (const unit of countedUnits)
	test(`${unit} of a minute and of a day are counted together, reserved ones and used ones`, {
		skip: redisMissing,
	}, async () => {
		const accounts = replicas.map(({ backend }) =>
			backend.people.accountOf({ caller: 'member', person: unit }),
		);
		const [one, two] = accounts as [Account, Account];
		const size = unit === 'tokens' ? 40 : 9;
		const all = { kind: 'chat', model: 'm', amounts: { [unit]: size } } as const;
		const refused = (period: string) => ({
			code: 'rate_limited',
			message: new RegExp(`may use ${size} ${unit} a ${period}`),
		});
		{
			await using held = await one.open(all);
			await assert.rejects(two.open(all), refused('(minute|day)'), 'what is reserved there');
			held.total(unit === 'tokens' ? { promptTokens: size } : { [unit]: size });
		}
		await assert.rejects(two.open(all), refused('day'), 'what was used there');
		for (const { resetMs, taken, limit } of two.standings) {
			assert.equal(taken, size);
			const most = limit.period === 'minute' ? 60_000 : 86_400_000;
			assert.ok(resetMs > 0 && resetMs <= most, `${limit.period}: ${resetMs} ms`);
		}
		assert.deepEqual(
			two.standings.map(({ limit }) => limit.period),
			['day'],
			'the limit that has refused',
		);
		const [first, second] = replicas as [TestServer, TestServer];
		await first.backend.people.book.flush();
		const rows = await second.backend.people.book.rows('0000', '9999');
		const own = rows.filter(({ person }) => person === unit);
		assert.equal(own[0]?.requests, 1, 'the usage is in the other, too');
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
