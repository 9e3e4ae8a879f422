/** Two people through the real layer into the real model server: what one does shows nowhere to the other. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signPerson } from '../../server/gateway/identity/signedPerson.ts';
import { type TinyModels, tinyModels } from '../conformance/tinyModels.ts';
import { gatewaySecret, startTestServer, type TestServer } from '../support/testServer.ts';
import { Harness } from './support/harness.ts';
import type { RawAnswer } from './support/rawHttp.ts';

interface Person {
	readonly header: string;
	readonly userId: string;
}

let models: TinyModels;
let server: TestServer;
let layer: Harness;
let ann: Person;
let ben: Person;

before(async () => {
	models = await tinyModels();
	server = await startTestServer({ modelsDir: models.dir, listen: { requireKey: true } });
	layer = await Harness.start({
		upstream: server.url,
		env: { NEARGLOT_GATEWAY_SECRET: gatewaySecret },
		config: { 'x-gateway': { closedPaths: [] } },
	});
	[ann, ben] = [await signIn('ann'), await signIn('ben')];
});
after(async () => {
	await layer?.[Symbol.asyncDispose]();
	await server?.close();
	await models?.remove();
});

async function signIn(name: string): Promise<Person> {
	layer.provider.claims = { sub: name, email: `${name}@corp.example` };
	const token = await layer.token();
	const { sub } = JSON.parse(atob(token.split('.')[1]!)) as { sub: string };
	return { header: `X-ZUMO-AUTH: ${token}`, userId: sub };
}

function ask(
	{ header }: Person,
	method: string,
	target: string,
	body: unknown = {},
	extra: readonly string[] = [],
): Promise<RawAnswer> {
	const headers = [header, ...extra];
	if (method === 'GET') return layer.call({ target, headers });
	return layer.call({
		method,
		target,
		headers: [...headers, 'Content-Type: application/json'],
		body: JSON.stringify(body),
	});
}

/** Tokens of the prompt that were known when a person asked. */
async function cached(person: Person, content: string, extra?: readonly string[]): Promise<number> {
	const body = {
		model: 'tiny',
		max_tokens: 1,
		temperature: 0,
		messages: [{ role: 'user', content }],
	};
	const answer = await ask(person, 'POST', '/v1/chat/completions', body, extra);
	assert.equal(answer.status, 200, answer.body);
	const { usage, timings } = answer.json() as {
		usage: { prompt_tokens_details: { cached_tokens: number } };
		timings: { cache_n: number };
	};
	assert.equal(timings.cache_n, usage.prompt_tokens_details.cached_tokens);
	return usage.prompt_tokens_details.cached_tokens;
}

test('counts of known prompts tell a person of their own prompts alone', async () => {
	const text = 'The plan that nobody else must know of begins on Monday at seven in the old mill.';
	assert.equal(await cached(ann, text), 0);
	const own = await cached(ann, text);
	assert.ok(own > 10, `${own}`);
	assert.equal(await cached(ben, text), 0, 'a guess of what she asked tells nothing');
	assert.equal(await cached(ben, text), own);
	// Whoever writes another's name on a request is still who signed in.
	const names = [
		`X-Nearglot-Person: ${signPerson(gatewaySecret, ann.userId, Date.now())}`,
		`X-MS-CLIENT-PRINCIPAL-ID: ${ann.userId}`,
	];
	for (const name of names) {
		const other = `${name.slice(2, 12)} is in another plan of hers, which somebody would like to read before.`;
		await cached(ann, other);
		const known = await cached(ann, other);
		// What all his prompts begin with is his own.
		assert.ok((await cached(ben, other, [name])) < known / 2, name);
	}
});

test('recordings, models, jobs and settings of the owner are nobody’s who came through the layer', async () => {
	const opened = await fetch(new URL('/nearglot/recorder', server.url), {
		method: 'POST',
		headers: { ...server.keyed, 'content-type': 'application/json' },
		body: '{}',
	});
	const reader = opened.body?.getReader();
	const first = new TextDecoder().decode((await reader?.read())?.value);
	const session = /"token":"([^"]+)"/.exec(first)?.[1];
	await reader?.cancel();
	const token = `X-Recorder-Token: ${session ?? 'none'}`;
	for (const person of [ann, ben])
		for (const [method, path] of [
			['GET', '/recorder/events'],
			['POST', '/recorder/state'],
			['POST', '/nearglot/recorder'],
			['GET', '/nearglot/models/list'],
			['GET', '/nearglot/secrets/names'],
			['GET', '/metrics'],
		] as const) {
			const answer = await ask(person, method, path, {}, [token]);
			assert.equal(answer.status, 403, `${path} ${answer.body}`);
			assert.doesNotMatch(answer.body, /ann|ben@|recording-/);
		}
	// What is not kept cannot be asked for by its number.
	for (const path of [
		'/v1/responses/resp_1',
		'/v1/files/file-1',
		'/documents/1',
		'/v1/batches/batch_1',
	])
		assert.ok([404, 405].includes((await ask(ben, 'GET', path)).status), path);
	for (const path of ['/v1/files', '/v1/batches']) {
		const { status, body } = await ask(ben, 'GET', path);
		assert.equal(status, 200, body);
		assert.deepEqual((JSON.parse(body) as { data: unknown }).data, [], path);
	}
});

test('the lists that both may read are the same for both and name neither', async () => {
	for (const path of ['/v1/models', '/openai/loadedmodels', '/health']) {
		const [one, two] = [await ask(ann, 'GET', path), await ask(ben, 'GET', path)];
		assert.equal(one.status, 200, one.body);
		assert.equal(one.body, two.body);
		assert.ok(![ann, ben].some(({ userId }) => one.body.includes(userId)), path);
	}
});
