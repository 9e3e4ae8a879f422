/** Keys that people were given: what they open, how much they may use, and what is said when that is used up. */

import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { memberRole, roleHeader } from '../../server/protocol/index.ts';
import type { KeyScope, UsageLimits } from '../../server/protocol/limitTypes.ts';
import { routeName } from '../../server/protocol/routes/route.ts';
import { routes } from '../../server/protocol/routes/routes.ts';
import { openRealtime } from '../support/realtimeClient.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { allRoutes, callRoute } from './allRoutes.ts';

let server: TestServer;

before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

function keyFor(scopes: readonly KeyScope[], limits: UsageLimits = {}, name = 'anna') {
	const { key, entry } = server.backend.people.keys.create({ name, scopes, limits });
	return { key, entry, headers: { authorization: `Bearer ${key}` } };
}

const chat = (more: object = {}) => ({
	model: 'starter-chat',
	messages: [{ role: 'user', content: 'say one two three' }],
	...more,
});

test('a key opens the routes of its scopes and no others, whichever way it is shown', async () => {
	const { key } = keyFor(['chat']);
	for (const headers of [
		{ authorization: `Bearer ${key}` },
		{ 'x-api-key': key },
		{ 'api-key': key },
	] as Record<string, string>[]) {
		const told = await server.post('/v1/chat/completions', chat({ max_tokens: 4 }), { headers });
		assert.equal(told.status, 200, await told.text());
		const other = await server.post('/v1/embeddings', { model: 'm', input: 'a' }, { headers });
		assert.equal(other.status, 403);
		assert.match(await other.text(), /This key is for chat only/);
		assert.equal((await fetch(`${server.url}/v1/models`, { headers })).status, 200);
		assert.equal((await fetch(`${server.url}/nearglot/runners`, { headers })).status, 403);
	}
});

test('no key opens a route that has not said what a key for it must be for', async () => {
	const declared = new Map(routes.map((route) => [routeName(route), route]));
	const { headers } = keyFor(['chat', 'embeddings', 'rerank', 'speech', 'translate']);
	for (const route of allRoutes(server.backend)) {
		const { who, scope } = declared.get(routeName(route)) ?? {};
		if (who === 'anyone' || scope !== undefined) continue;
		const { status } = await callRoute(server, route, headers);
		assert.equal(status, 403, routeName(route));
	}
	for (const route of routes)
		if (route.who === 'member') assert.ok(route.scope, `${routeName(route)} says no scope`);
});

test('a key that was revoked or never made is refused, also to programs that need none', async () => {
	const { headers, entry } = keyFor(['chat']);
	server.backend.people.keys.revoke(entry.id);
	for (const shown of [headers, { authorization: `Bearer ngk_${'A'.repeat(43)}` }]) {
		const answer = await server.post('/v1/chat/completions', chat(), { headers: shown });
		assert.equal(answer.status, 401);
	}
});

const refusals: readonly (readonly [
	path: string,
	body: object,
	check: (body: Record<string, unknown>) => void,
])[] = [
	[
		'/v1/chat/completions',
		chat({ max_tokens: 20 }),
		({ error }) => {
			const { type, code, message } = error as Record<string, string>;
			assert.equal(code, 'rate_limited');
			assert.ok(type);
			assert.match(message ?? '', /may use 30 tokens a minute.*Try again in \d+ s/);
		},
	],
	[
		'/v1/messages',
		{ model: 'starter-chat', max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] },
		({ type, error }) => {
			assert.equal(type, 'error');
			assert.equal((error as { type: string }).type, 'rate_limit_error');
		},
	],
	[
		'/api/chat',
		{ ...chat(), options: { num_predict: 20 } },
		({ error }) => assert.match(String(error), /30 tokens a minute/),
	],
	[
		'/v1/completions',
		{ model: 'starter-chat', prompt: 'one', max_tokens: 20 },
		({ error }) => assert.equal((error as { code: string }).code, 'rate_limited'),
	],
	[
		'/v1/responses',
		{ model: 'starter-chat', input: 'one', max_output_tokens: 20 },
		({ error }) => assert.equal((error as { code: string }).code, 'rate_limited'),
	],
];

for (const [path, body, check] of refusals)
	test(`${path} says in its own shape which limit is reached, and when it ends`, async () => {
		const { headers, entry } = keyFor(['chat'], { tokensPerMinute: 30 });
		await server.backend.people.counts.settle(`key:${entry.id}`, undefined, { tokens: 25 });
		const answer = await server.post(path, body, { headers });
		assert.equal(answer.status, 429);
		assert.ok(Number(answer.headers.get('retry-after')) > 0);
		assert.equal(answer.headers.get('x-ratelimit-limit-tokens'), '30');
		assert.equal(answer.headers.get('x-ratelimit-remaining-tokens'), '5');
		const wait = answer.headers.get('retry-after');
		assert.equal(answer.headers.get('x-ratelimit-reset-tokens'), `${wait}s`);
		check((await answer.json()) as Record<string, unknown>);
		const [standing] = await server.backend.people.counts.standings(`key:${entry.id}`, [
			{ unit: 'tokens', period: 'minute', size: 30 },
		]);
		assert.equal(standing?.taken, 25, 'what is refused costs nothing');
	});

test('200 requests at once cannot have more than the limit, and what they use is written down', async () => {
	const { headers, entry } = keyFor(['chat'], { tokensPerDay: 400 });
	const answers = await Promise.all(
		Array.from({ length: 200 }, () =>
			server.post('/v1/chat/completions', chat({ max_tokens: 8 }), { headers }),
		),
	);
	const bodies = await Promise.all(
		answers.map(async (answer) => ({
			status: answer.status,
			...((await answer.json()) as { usage?: { total_tokens: number } }),
		})),
	);
	const done = bodies.filter(({ status }) => status === 200);
	assert.ok(done.length > 0);
	assert.ok(bodies.every(({ status }) => status === 200 || status === 429 || status === 503));
	const total = done.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
	assert.ok(total <= 400, String(total));
	const rows = await server.backend.people.book.rows('0000', '9999');
	const own = rows.filter(({ person }) => person === `key:${entry.id}`);
	assert.equal(own.length, 1);
	assert.equal((own[0]?.promptTokens ?? 0) + (own[0]?.completionTokens ?? 0), total);
	assert.equal(own[0]?.requests, done.length);
	assert.equal(own[0]?.kind, 'chat');
});

test('who goes away in mid-stream pays for what was made', async () => {
	const { headers, entry } = keyFor(['chat'], { tokensPerDay: 100_000 });
	const stop = new AbortController();
	const answer = await server.post(
		'/v1/chat/completions',
		chat({ stream: true, messages: [{ role: 'user', content: 'slow' }] }),
		{ headers, signal: stop.signal },
	);
	const reader = answer.body?.getReader();
	for (let pieces = 0; pieces < 3; pieces++) await reader?.read();
	stop.abort();
	const perDay = [{ unit: 'tokens', period: 'day', size: 100_000 }] as const;
	await until('what was reserved and not made is free', async () => {
		const [standing] = await server.backend.people.counts.standings(`key:${entry.id}`, perDay);
		const taken = standing?.taken ?? 0;
		return taken > 3 && taken < 500;
	});
});

test('a person of a sign-in layer has the limits of all people, each for themselves; the owner has none', async () => {
	server.backend.people.keys.setPeopleLimits({ tokensPerMinute: 30 });
	const [anna, bert] = [server.member('a'.repeat(32)), server.member('b'.repeat(32))];
	const ask = async (headers: Readonly<Record<string, string>>) =>
		(await server.post('/v1/chat/completions', chat({ max_tokens: 10 }), { headers })).status;
	const first: number[] = [];
	for (let tries = 0; tries < 4; tries++) first.push(await ask(anna));
	assert.ok(first.includes(429), String(first));
	assert.equal(await ask(bert), 200);
	for (let tries = 0; tries < 4; tries++) assert.equal(await ask(server.keyed), 200);
	server.backend.people.keys.setPeopleLimits({});
	assert.equal(await ask(anna), 200, 'a limit that is taken away holds no longer');
});

test('a response with state and one in the background are paid by who asked for them', async () => {
	const { headers, entry } = keyFor(['chat'], { tokensPerDay: 1000 });
	const used = async () => {
		const rows = await server.backend.people.book.rows('0000', '9999');
		return rows.find(({ person }) => person === `key:${entry.id}`)?.requests ?? 0;
	};
	const body = { model: 'starter-chat', input: 'hi', max_output_tokens: 5 };
	await (await server.post('/v1/responses', body, { headers })).text();
	assert.equal(await used(), 1);
	await (await server.post('/v1/responses', { ...body, background: true }, { headers })).text();
	await until('the one in the background is paid', async () => (await used()) === 2);
});

test('a limit of characters is refused in the shape of each translate interface, and counts in all of them', async () => {
	const { key, entry } = keyFor(['translate'], { charactersPerDay: 10 });
	const subscription = { 'Ocp-Apim-Subscription-Key': key };
	const texts = [{ Text: 'Hello.' }];
	const address = '/translate?api-version=3.0&from=en&to=de';
	const first = await server.post(address, texts, { headers: subscription });
	assert.equal(first.status, 200, await first.text());
	assert.equal(first.headers.get('x-ratelimit-limit-characters'), '10');
	const second = await server.post(address, texts, { headers: subscription });
	assert.equal(second.status, 429);
	assert.ok(Number(second.headers.get('retry-after')) > 0);
	const { error } = (await second.json()) as { error: { code: number; message: string } };
	assert.equal(error.code, 429000);
	assert.match(error.message, /10 characters a day/);
	const libre = await server.post('/libretranslate/translate', {
		...{ q: 'Hello.', source: 'en', target: 'de', api_key: key },
	});
	assert.equal(libre.status, 429);
	assert.match(String(((await libre.json()) as { error: unknown }).error), /10 characters a day/);
	const document = await server.post(
		'/documents/translate',
		{ fileName: 'a.txt', text: 'Good morning to all.', from: 'en', to: 'de' },
		{ headers: { authorization: `Bearer ${key}` } },
	);
	assert.equal(document.status, 429, await document.text());
	const [standing] = await server.backend.people.counts.standings(`key:${entry.id}`, [
		{ unit: 'characters', period: 'day', size: 10 },
	]);
	assert.equal(standing?.taken, 6);
});

test('while the keys are lost, probes and the owner are answered as ever, and members hear that nobody knows their limits', async () => {
	const { keys } = server.backend.people;
	keyFor(['chat'], {}, 'last');
	keys.close();
	const path = join(server.backend.settings.dataDir, 'keys.db');
	await rename(path, `${path}.away`);
	try {
		const layer = { [roleHeader]: memberRole };
		assert.equal((await fetch(`${server.url}/health`, { headers: layer })).status, 200);
		assert.equal((await fetch(`${server.url}/health`)).status, 200);
		const ask = async (headers: Readonly<Record<string, string>>) =>
			(await server.post('/v1/chat/completions', chat({ max_tokens: 4 }), { headers })).status;
		assert.equal(await ask(server.keyed), 200);
		assert.equal(await ask(server.member()), 503);
	} finally {
		await rename(`${path}.away`, path);
	}
});

test('a live session wants a key for speech, and ends its turns where the seconds of the key do', async () => {
	const manual = { type: 'transcription', audio: { input: { turn_detection: null } } };
	await assert.rejects(
		openRealtime(server.url, { headers: keyFor(['chat']).headers }),
		/403 .*for chat only/,
	);
	const { key } = keyFor(['speech'], { secondsPerDay: 1 });
	const client = await openRealtime(server.url, {
		protocols: ['realtime', `openai-insecure-api-key.${key}`],
	});
	client.send({ type: 'session.update', session: manual });
	client.say(new Float32Array(24_000 * 3), 24_000, 1);
	client.send({ type: 'input_audio_buffer.commit' });
	const { error } = await client.next('conversation.item.input_audio_transcription.failed');
	assert.equal((error as { readonly code: string }).code, 'rate_limited', JSON.stringify(error));
	// While it was spoken the reason was told, once.
	const told = client.seen.filter(({ type }) => type === 'error');
	assert.ok(told.length <= 1, JSON.stringify(told));
	assert.match(JSON.stringify(told.length === 0 ? error : told[0]), /1 seconds? a day/);
	client.socket.close();
});

test('one person cannot take all live sessions, and has room again when one is closed', async () => {
	const [anna, ben] = [keyFor(['speech']), keyFor(['speech'], {}, 'ben')];
	const open = ({ headers }: typeof anna) => openRealtime(server.url, { headers });
	const mine = await Promise.all(Array.from({ length: 8 }, () => open(anna)));
	try {
		await assert.rejects(open(anna), /503 .*as many as one person may/);
		mine.push(await open(ben));
		mine[0]?.socket.terminate();
		await until('a session is free again', async () => {
			const again = await open(anna).catch(() => undefined);
			again?.socket.terminate();
			return again !== undefined;
		});
	} finally {
		for (const { socket } of mine) socket.terminate();
	}
});

test('a limit in a place where nobody reads it makes no key without limits', async () => {
	const names = server.backend.people.keys.list().length;
	for (const body of [
		{ name: 'loose', scopes: ['chat'], limits: { tokensPerDay: 5 } },
		{ name: 'loose', scopes: ['chat'], tokensPerHour: 5 },
	]) {
		const response = await server.post('/nearglot/keys/create', body, { headers: server.keyed });
		assert.equal(response.status, 400);
		assert.match(await response.text(), /is no field of this route, so nothing was changed/);
	}
	const people = { tokens_per_day: 5 };
	const set = await server.post('/nearglot/keys/people', people, { headers: server.keyed });
	assert.equal(set.status, 400);
	assert.equal(server.backend.people.keys.list().length, names);
});

test('a key that was cut or broken on its way makes nobody a program of this computer', async () => {
	const { key } = keyFor(['chat']);
	const broken: Record<string, string>[] = [
		{ authorization: `Bearer ${key.slice(0, -1)}` },
		{ authorization: `Bearer ${key} ${key}` },
		{ authorization: key },
		{ authorization: `Bearer "${key}"` },
		{ 'x-api-key': `${key}!` },
		{ 'api-key': 'ngk_' },
	];
	for (const headers of broken) {
		const answer = await fetch(`${server.url}/v1/models`, { headers });
		assert.equal(answer.status, 401, JSON.stringify(headers));
		await answer.text();
	}
	const headers = { authorization: 'Bearer none' };
	assert.equal((await fetch(`${server.url}/v1/models`, { headers })).status, 200);
});

test('a key of another scope is refused by translate routes in the shape of each', async () => {
	const { headers } = keyFor(['chat']);
	const ask = async (path: string) => {
		const answer = await server.post(path, [{ Text: 'a' }], { headers });
		assert.equal(answer.status, 403, path);
		return ((await answer.json()) as { error: unknown }).error;
	};
	const codeOf = async (path: string) => ((await ask(path)) as { code: unknown }).code;
	assert.equal(await codeOf('/translate?api-version=3.0&to=de'), 403000);
	assert.equal(await codeOf('/translator/text/v3.0/detect'), 403000);
	assert.equal(await codeOf('/translate?api-version=2026-06-06'), '403000');
	assert.equal(await codeOf('/translator/document/batches'), 'Unauthorized');
	assert.equal(await codeOf('/documents/translate'), 'forbidden');
	assert.match(String(await ask('/libretranslate/translate')), /for chat only/);
});

test('counting tokens uses none, and says how many are left as every answer does', async () => {
	const { headers } = keyFor(['chat'], { tokensPerMinute: 30 });
	const messages = [{ role: 'user', content: 'hi' }];
	for (const path of [
		'/tokenize',
		'/v1/messages/count_tokens',
		'/v1/responses/input_tokens',
		'/v1/chat/completions/tokenizer/encode/count',
	]) {
		const asked = path.includes('/responses/') ? { input: messages } : { messages };
		const answer = await server.post(path, { model: 'starter-chat', ...asked }, { headers });
		assert.equal(answer.status, 200, await answer.text());
		assert.equal(answer.headers.get('x-ratelimit-limit-tokens'), '30', path);
		assert.equal(answer.headers.get('x-ratelimit-remaining-tokens'), '30', path);
	}
});

test('who is over the limit gets no place in the background', async () => {
	const { headers, entry } = keyFor(['chat'], { tokensPerDay: 60 });
	const person = `key:${entry.id}`;
	const ask = (more: object) =>
		server.post(
			'/v1/responses',
			{ model: 'starter-chat', input: 'slow', background: true, ...more },
			{ headers },
		);
	const large = await ask({ max_output_tokens: 100 });
	assert.equal(large.status, 429, await large.text());
	const { id } = (await (await ask({ max_output_tokens: 40 })).json()) as { id: string };
	await until('it is under way', async () => {
		const { status } = await server.backend.responses.read(person, id);
		return status === 'in_progress';
	});
	const second = await ask({ max_output_tokens: 40 });
	assert.equal(second.status, 429);
	assert.match(await second.text(), /60 tokens a day/);
	await server.backend.responses.cancel(person, id);
	const kept = await server.backend.answers.counts();
	assert.ok(kept.responses >= 1);
});

test('who has a key cannot have a model loaded in another way for everybody', async () => {
	const { headers } = keyFor(['chat']);
	const body = chat({ max_tokens: 2, ep: 'cpu', exact: true });
	const answer = await server.post('/v1/chat/completions', body, { headers });
	assert.equal(answer.status, 200, await answer.text());
	assert.equal(answer.headers.get('x-ignored-parameters'), 'ep, exact');
});
