/** Two replicas that keep keys, systems and orders alike through a Redis that comes, stands still, goes and loses all. */

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { peopleFiles } from '../../../server/daemon/peopleBackend.ts';
import { translateFiles } from '../../../server/daemon/translateBackend.ts';
import { listenOps } from '../../../server/http/opsServer.ts';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { KeyStore } from '../../../server/services/limits/keyStore.ts';
import { RedisLink } from '../../../server/services/shared/redisLink.ts';
import { SharedOrders } from '../../../server/services/shared/sharedOrders.ts';
import {
	changeSystem,
	createCustomSystems,
	removeSystem,
} from '../../../server/services/translate/translateSystems.ts';
import { RedisServer, redisMissing } from '../../gateway/support/redisServer.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
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

const newKey = (server: TestServer, name: string) =>
	server.backend.people.keys.create({ name, scopes: ['chat'], limits: { tokensPerDay: 1000 } });

async function chat(server: TestServer, key: string, text = 'hi'): Promise<number> {
	const body = {
		model: 'starter-chat',
		messages: [{ role: 'user', content: text }],
		max_tokens: 4,
	};
	const headers = { authorization: `Bearer ${key}` };
	const answer = await server.post('/v1/chat/completions', body, { headers });
	await answer.text();
	return answer.status;
}

const untilKey = (what: string, server: TestServer, key: string, status: number) =>
	until(what, async () => (await chat(server, key)) === status, patienceMs);

test('a key that is made, rotated and revoked at one replica is so at the other', {
	skip,
}, async () => {
	const { key, entry } = newKey(one, 'build');
	await untilKey('the other knows it', two, key, 200);
	assert.deepEqual(two.backend.people.keys.byId(entry.id), entry);
	const rotated = two.backend.people.keys.rotate('build');
	await untilKey('the secret before holds no longer', one, key, 401);
	assert.equal(await chat(one, rotated.key), 200);
	// As the command does it: in the file, beside the server.
	const file = new KeyStore(peopleFiles(one.dataDir).keys, forwardClock(Date.now));
	file.revoke('build');
	file.close();
	await untilKey('it is revoked there', two, rotated.key, 401);
	assert.deepEqual(
		two.backend.people.keys.revoked().map(({ id }) => id),
		[entry.id],
		'its name is known for the usage',
	);
});

test('limits of people who sign in are those of all replicas', { skip }, async () => {
	one.backend.people.keys.setPeopleLimits({ tokensPerDay: 77, charactersPerDay: 9 });
	await until(
		'the other has them',
		() => two.backend.people.limits.tokensPerDay === 77,
		patienceMs,
	);
	two.backend.people.keys.setPeopleLimits({});
	await until(
		'they are gone',
		() => one.backend.people.limits.tokensPerDay === undefined,
		patienceMs,
	);
});

test('a person who is forgotten at one replica ends at the other', { skip }, async () => {
	const person = 'person:0123456789abcdef0123456789abcdef';
	const held = two.backend.people.live.hold(person);
	const answer = await one.post('/nearglot/people/forget', { person }, { headers: one.keyed });
	assert.equal(answer.status, 200);
	await until('the work there has ended', () => held.signal.aborted, patienceMs);
	held.release();
});

test('systems with their glossaries come to the other replica, change and go there', {
	skip,
}, async () => {
	const [from, to] = [translateFiles(one.dataDir).systems, translateFiles(two.dataDir).systems];
	const glossary = join(one.dataDir, 'terms of the team.tsv');
	await writeFile(glossary, 'widget\tZeug\n');
	const pair = { from: 'en', to: 'de', glossaries: [glossary], memories: [] };
	await changeSystem(from, 'legal', () => [pair]);
	const there = createCustomSystems(to);
	const target = async () => (await there.terms('en', 'de'))[0]?.target;
	await until('the term is there', async () => (await target()) === 'Zeug', patienceMs);
	await writeFile(glossary, 'widget\tDings\n');
	await until('the changed term is there', async () => (await target()) === 'Dings', patienceMs);
	await changeSystem(to, 'legal', (pairs) =>
		pairs.map((each) => ({ ...each, guidance: { tone: 'formal' as const } })),
	);
	const guidance = async () => {
		const [system] = await createCustomSystems(from).list();
		return system?.pairs[0]?.guidance?.tone;
	};
	await until('a change there comes back', async () => (await guidance()) === 'formal', patienceMs);
	await removeSystem(to, 'legal');
	await until(
		'it is gone',
		async () => (await createCustomSystems(from).list()).length === 0,
		patienceMs,
	);
});

test('a system whose glossary cannot be read at the moment is not taken for removed', {
	skip,
}, async () => {
	const [from, to] = [translateFiles(one.dataDir).systems, translateFiles(two.dataDir).systems];
	await mkdir(join(from, 'half'), { recursive: true });
	await writeFile(join(from, 'half', 'terms.tsv'), 'a\tb\n');
	const pair = { from: 'en', to: 'fr', glossaries: ['terms.tsv'], memories: [] };
	await changeSystem(from, 'half', () => [pair]);
	const listed = async () => (await createCustomSystems(to).list()).map(({ category }) => category);
	await until('it is there', async () => (await listed()).includes('half'), patienceMs);
	await changeSystem(from, 'half', () => [{ ...pair, glossaries: ['lost.tsv'] }]);
	const { key } = newKey(one, 'later');
	await untilKey('what came after it is there', two, key, 200);
	assert.deepEqual(await listed(), ['half']);
	assert.match(await readFile(join(to, 'half', 'system.json'), 'utf8'), /terms\.tsv/);
});

test('without Redis each goes on with what it knows, says so, and changes meet when it is back', {
	skip,
}, async (t) => {
	const { key } = newKey(one, 'before');
	await untilKey('the other knows it', two, key, 200);
	await redis.stop();
	await until('it is known that Redis is away', () => !two.backend.shared?.isThere, patienceMs);
	assert.equal(await chat(two, key), 200, 'work goes on');
	const ops = await listenOps(two.backend, { port: 0, host: '127.0.0.1', names: 'nearglot' });
	t.after(() => ops.close());
	const text = async (path: string) => (await fetch(`${ops.url}${path}`)).text();
	assert.match(await text('/readyz'), /^ready\nlimits: counted by this replica alone/);
	assert.match(await text('/metrics'), /^nearglot_shared_store_up 0$/m);
	const meanwhile = newKey(two, 'meanwhile');
	one.backend.people.keys.revoke('before');
	assert.equal(await chat(two, key), 200, 'the other cannot know yet');
	const forget = { person: 'person:00000000000000000000000000000000' };
	const refused = await one.post('/nearglot/people/forget', forget, { headers: one.keyed });
	assert.equal(refused.status, 503, 'what cannot be done everywhere is not said to be done');
	await redis.run();
	await untilKey('it is revoked there, too', two, key, 401);
	await untilKey('the new one came over', one, meanwhile.key, 200);
	await until('it says so', async () => (await text('/readyz')) === 'ready\n', patienceMs);
	assert.match(await text('/metrics'), /^nearglot_shared_store_up 1$/m);
});

test('a Redis that stands still holds nobody up, and what comes late does no harm', {
	skip,
}, async () => {
	const { key, entry } = newKey(one, 'still');
	await untilKey('the other knows it', two, key, 200);
	redis.signal('SIGSTOP');
	try {
		const statuses = await Promise.all([chat(one, key), chat(two, key), chat(two, key)]);
		assert.deepEqual(statuses, [200, 200, 200]);
		await until('it is known', () => one.backend.shared?.isThere === false, patienceMs);
		await one.backend.people.book.flush();
		await two.backend.people.book.flush();
	} finally {
		redis.signal('SIGCONT');
	}
	const requests = async () => {
		await two.backend.people.book.flush();
		const rows = await one.backend.people.book.rows('0000', '9999');
		const own = rows.filter(({ person }) => person === `key:${entry.id}`);
		return own.reduce((sum, row) => sum + row.requests, 0);
	};
	await until('it is back', () => two.backend.shared?.isThere === true, patienceMs);
	await until('what was used is all there', async () => (await requests()) >= 4, patienceMs);
	assert.equal(await requests(), 4, 'and not counted twice');
	one.backend.people.keys.revoke('still');
	await untilKey('changes go on', two, key, 401);
});

test('an emptied Redis gets back what replicas have, and what was revoked stays so', {
	skip,
}, async () => {
	const kept = newKey(one, 'kept');
	const revoked = newKey(one, 'revoked');
	await untilKey('the other knows it', two, kept.key, 200);
	await untilKey('and the second', two, revoked.key, 200);
	two.backend.people.keys.revoke('revoked');
	await untilKey('it is revoked', one, revoked.key, 401);
	await redis.tell('FLUSHALL');
	const third = await startTestServer({ fakeRunner: true, settings: { shared: redis.url } });
	try {
		await untilKey('a new replica has the keys', third, kept.key, 200);
		assert.equal(await chat(third, revoked.key), 401);
		assert.equal(await chat(one, revoked.key), 401);
		const systems = createCustomSystems(translateFiles(third.dataDir).systems);
		await until('and the systems', async () => (await systems.list()).length === 1, patienceMs);
	} finally {
		await third.close();
	}
});

test('a new replica is not ready, and says of no key that it is none, before it has those of the others', {
	skip,
}, async (t) => {
	const { key, entry } = newKey(one, 'known to others');
	await untilKey('the other knows it', two, key, 200);
	await redis.stop();
	const dataDir = temporaryFolder('replica');
	const fresh = async () => {
		const server = await startTestServer({
			fakeRunner: true,
			settings: { shared: redis.url, dataDir },
		});
		const ops = await listenOps(server.backend, { port: 0, host: '127.0.0.1', names: 'nearglot' });
		let closing: Promise<void> | undefined;
		const close = () => {
			closing ??= ops.close().then(() => server.close());
			return closing;
		};
		t.after(close);
		const ready = async () => {
			const answer = await fetch(`${ops.url}/readyz`);
			return { status: answer.status, text: await answer.text() };
		};
		return { server, ready, close };
	};
	const { server, ready, close } = await fresh();
	assert.equal((await ready()).status, 503);
	assert.match((await ready()).text, /^not ready\nkeys: those of the other replicas/);
	const body = {
		model: 'starter-chat',
		messages: [{ role: 'user', content: 'hi' }],
		max_tokens: 4,
	};
	const headers = { authorization: `Bearer ${key}` };
	const refused = await server.post('/v1/chat/completions', body, { headers });
	assert.equal(refused.status, 503, 'the key may be one of the others');
	assert.equal(refused.headers.get('retry-after'), '2');
	const translator = await server.post('/translate?api-version=3.0&to=de', [{ text: 'Hi' }], {
		headers: { 'ocp-apim-subscription-key': key },
	});
	assert.equal(translator.status, 503);
	assert.equal(
		(await server.post('/v1/chat/completions', body, { headers: server.keyed })).status,
		200,
	);
	await redis.run();
	await until('it is ready', async () => (await ready()).status === 200, patienceMs);
	assert.equal(await chat(server, key), 200);
	assert.equal(await chat(server, `ngk_${'x'.repeat(43)}`), 401);
	const stateFile = join(dataDir, 'shared.json');
	await until(
		'it has kept that',
		async () => (await readFile(stateFile, 'utf8')).includes('"hasKeys": true'),
		patienceMs,
	);
	await close();
	await redis.stop();
	const again = await fresh();
	await until('what it has kept is enough', async () => (await again.ready()).status === 200);
	assert.equal(await chat(again.server, key), 200);
	assert.equal(await chat(again.server, `ngk_${'x'.repeat(43)}`), 401);
	await redis.run();
	one.backend.people.keys.revoke(entry.id);
	await untilKey('it is revoked', again.server, key, 401);
});

test('an order in an emptied Redis has a number beyond those of all orders before', {
	skip,
}, async () => {
	const link = new RedisLink(redis.url);
	const [giver, hearer] = [new SharedOrders(link), new SharedOrders(link)];
	await giver.add({ kind: 'end', person: 'a' });
	await giver.add({ kind: 'end', person: 'b' });
	const seen = await hearer.last();
	await redis.tell('FLUSHALL');
	await giver.add({ kind: 'forget', person: 'c' });
	const orders = await hearer.after(seen);
	await link.close();
	assert.deepEqual(
		orders.map(({ person }) => person),
		['c'],
	);
});
