/** An administrator lists who is signed in and signs one person out everywhere, beside gateways that run. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { writeKeyFile } from '../../server/gateway/keys/keyFile.ts';
import { programArgs } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { gatewaySecret, startTestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { TestApp } from './support/app.ts';
import { FakeProvider } from './support/fakeProvider.ts';
import { type GatewayProcess, startProcess } from './support/gatewayProcess.ts';
import {
	baseConfig,
	browserHeaders,
	type Json,
	merge,
	pair,
	sessionOf,
} from './support/harness.ts';
import { rawCall, rawUpgrade } from './support/rawHttp.ts';
import { RedisServer, redisMissing } from './support/redisServer.ts';

const kinds = ['sqlite', 'redis'] as const;
const app = new TestApp();
const provider = new FakeProvider();
let redis: RedisServer | undefined;
const folder = temporaryFolder('end sessions');

before(async () => {
	writeKeyFile(join(folder, 'gateway-keys.json'), 1);
	await app.listen();
	await provider.listen();
	if (!redisMissing) redis = await RedisServer.start();
});
after(async () => {
	for (const item of [app, provider, redis]) await item?.[Symbol.asyncDispose]();
});

/** Writes the settings of a gateway; returns their file. */
function configure(kind: (typeof kinds)[number], name = kind as string): string {
	const store: Json =
		kind === 'redis' ? { kind, url: redis?.url } : { kind, path: join(folder, `${name}.db`) };
	const keysFile = join(folder, 'gateway-keys.json');
	const own = { 'x-gateway': { store, keysFile, auditFile: join(folder, `${name}.log`) } };
	const file = join(folder, `${name}.json`);
	writeFileSync(file, JSON.stringify(merge(baseConfig(provider), own)));
	return file;
}

/** What the command says and how it ends. */
function gateway(config: string, ...args: readonly string[]) {
	return spawnSync(process.execPath, programArgs('gateway', '--config', config, ...args), {
		encoding: 'utf8',
		env: { ...process.env, CORP_SECRET: 'corp-secret', NEARGLOT_HOME: join(folder, 'home') },
	});
}

const get = ({ port }: GatewayProcess, target: string, headers: readonly string[]) =>
	rawCall(port, { target, headers });

async function signIn(at: GatewayProcess): Promise<string> {
	const begun = await get(at, '/.auth/login/corp?post_login_redirect_uri=/app', browserHeaders);
	const back = provider.authorize(begun.header('location') ?? '');
	const kept = `Cookie: ${begun.setCookies().map(pair).join('; ')}`;
	const done = await get(at, back.pathname + back.search, [...browserHeaders, kept]);
	return `Cookie: ${sessionOf(done)}`;
}

interface Row {
	readonly person: string;
	readonly name: string;
	readonly sessions: number;
}

const listed = (config: string) =>
	JSON.parse(gateway(config, '--sessions', '--json').stdout) as readonly Row[];

for (const kind of kinds)
	test(`${kind}: every session of one person ends, open ones too, and those of others stay`, {
		skip: kind === 'redis' && redisMissing,
		timeout: 120_000,
	}, async () => {
		const config = configure(kind);
		await using running = await startProcess(config, app.url);
		const { claims } = provider;
		provider.claims = { ...claims, sub: 'alice', email: 'alice\u001b[31m@corp.example' };
		const hers = [await signIn(running), await signIn(running)];
		provider.claims = { ...claims, sub: 'bob', email: 'bob@corp.example' };
		const his = await signIn(running);
		provider.claims = claims;

		const people = listed(config);
		assert.deepEqual(people.map(({ sessions }) => sessions).sort(), [1, 2]);
		const alice = people.find(({ sessions }) => sessions === 2)!.person;
		assert.match(alice, /^sid:[0-9a-f]{32}$/);
		const table = gateway(config, '--sessions').stdout;
		assert.match(table, /^PERSON +PROVIDER +SESSIONS/);
		assert.ok(table.includes('alice') && !table.includes('\u001b'), table);

		const socket = await rawUpgrade(running.port, { target: '/ws', headers: [hers[0]!] });
		assert.equal(socket.answer.status, 101);
		const closed = once(socket.socket, 'close');
		const ended = gateway(config, '--end-sessions', alice.replace('sid:', 'person:'));
		assert.equal(ended.status, 0, ended.stderr);
		assert.equal(ended.stdout, `Ended 2 sessions of ${alice}.\n`);
		await closed;
		for (const cookie of hers) {
			let { status } = await get(running, '/x', [cookie]);
			// Another process remembers a session of Redis for a second.
			for (const end = Date.now() + 20_000; status === 200 && Date.now() < end; )
				({ status } = await get(running, '/x', [cookie]));
			assert.equal(status, 401);
			assert.equal((await get(running, '/.auth/refresh', [cookie])).status, 401);
		}
		assert.equal((await get(running, '/x', [his])).status, 200);
		assert.deepEqual(
			listed(config).map(({ name }) => name),
			['bob@corp.example'],
		);
		const log = readFileSync(join(folder, `${kind}.log`), 'utf8');
		assert.match(log, new RegExp(`"event":"sessions_ended".*"userId":"${alice}".*"count":2`));

		const again = gateway(config, '--end-sessions', alice);
		assert.equal(again.status, 1);
		assert.equal(again.stdout, `${alice} has no sessions.\n`);
	});

/** As {@link gateway}, while this process serves others. */
async function gatewayBeside(config: string, ...args: readonly string[]) {
	const child = spawn(process.execPath, programArgs('gateway', '--config', config, ...args), {
		env: {
			...process.env,
			CORP_SECRET: 'corp-secret',
			NEARGLOT_HOME: join(folder, 'home'),
			NEARGLOT_GATEWAY_SECRET: gatewaySecret,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const [stdout, stderr, [status]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, 'close'),
	]);
	return { status, stdout, stderr };
}

test('what a model server does in the background for the person ends with the sessions, and nothing of others', {
	timeout: 240_000,
}, async () => {
	await using models = await openModels();
	const config = configure('sqlite', 'background');
	const secret = { NEARGLOT_GATEWAY_SECRET: gatewaySecret };
	await using running = await startProcess(config, models.url, [], secret);
	const { claims } = provider;
	const asked = JSON.stringify({ model: 'starter-chat', input: 'slow', background: true });
	/** Asks for one response in the background, which there may be no room for; how it was answered. */
	const ask = async (cookie: string, ids: string[]): Promise<number> => {
		const headers = [cookie, 'Content-Type: application/json'];
		const request = { method: 'POST', target: '/v1/responses', headers, body: asked };
		const answer = await rawCall(running.port, request);
		if (answer.status === 200) ids.push((answer.json() as { readonly id: string }).id);
		return answer.status;
	};
	const signInAs = (sub: string) => {
		provider.claims = { ...claims, sub, email: `${sub}@corp.example` };
		return signIn(running);
	};
	const [anna, ben] = [await signInAs('anna'), await signInAs('ben')];
	provider.claims = claims;
	const people = listed(config);
	const idOf = (name: string) =>
		people.find((row) => row.name.startsWith(name))!.person.replace('sid:', 'person:');
	const [hers, his]: [string[], string[]] = [[], []];
	assert.equal(await ask(ben, his), 200);
	const asking = until('she is signed out', async () => (await ask(anna, hers)) === 401);
	const ended = await gatewayBeside(
		config,
		...['--end-sessions', idOf('anna'), '--upstream', models.url],
	);
	assert.equal(ended.status, 0, ended.stderr);
	assert.match(
		ended.stdout,
		/^Ended 1 session of .*\nCancelled at the model server: [1-9]\d* responses? in the background, 0 batches\.\n$/,
	);
	await asking;
	const stateOf = async (owner: string, id = '') =>
		(await models.backend.responses.read(owner, id)).status;
	const states = await Promise.all(hers.map((id) => stateOf(idOf('anna'), id)));
	assert.equal(states.at(-1), 'cancelled');
	assert.deepEqual(
		states.filter((state) => state !== 'cancelled' && state !== 'completed'),
		[],
	);
	assert.notEqual(await stateOf(idOf('ben'), his[0]), 'cancelled');
	const without = await gatewayBeside(config, '--end-sessions', idOf('anna'));
	assert.match(without.stderr, /in the background for this person goes on; with --upstream/);

	const again = await gatewayBeside(
		config,
		...['--end-sessions', idOf('anna'), '--upstream', models.url, '--json'],
	);
	assert.equal(again.status, 1);
	assert.deepEqual(JSON.parse(again.stdout), {
		...{ person: idOf('anna').replace('person:', 'sid:'), ended: 0, responses: 0, batches: 0 },
	});
	const other = await gatewayBeside(
		config,
		...['--end-sessions', idOf('ben'), '--upstream', 'http://127.0.0.1:1'],
	);
	assert.equal(other.status, 1);
	assert.match(
		other.stderr,
		/model server at http:\/\/127\.0\.0\.1:1 .* goes on: .*run the command again/,
	);
	assert.deepEqual(listed(config), [], 'the session has ended all the same');
});

async function openModels() {
	const server = await startTestServer({ fakeRunner: true, listen: { requireKey: true } });
	return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

test('a store that is not there is named and not made, and what is no person is refused', () => {
	const config = configure('sqlite', 'never');
	const missing = gateway(config, '--sessions');
	assert.equal(missing.status, 1);
	assert.match(missing.stderr, /There is no session store at .*never\.db/);
	assert.match(gateway(config, '--sessions').stderr, /There is no session store/, 'none was made');
	const wrong = gateway(config, '--end-sessions', 'key:0123456789');
	assert.equal(wrong.status, 2);
	assert.match(wrong.stderr, /'key:0123456789' is no person of a gateway/);
	assert.equal(gateway(config, '--check', '--sessions').status, 2);
});
