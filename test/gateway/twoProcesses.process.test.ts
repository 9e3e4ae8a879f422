/** Two processes of the layer with one store: what is signed out at one lives on at neither. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeKeyFile } from '../../server/gateway/keys/keyFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
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
import { type RawAnswer, rawCall, rawUpgrade, requestText } from './support/rawHttp.ts';
import { RedisServer, redisMissing } from './support/redisServer.ts';

const kinds = ['sqlite', 'redis'] as const;
const app = new TestApp();
const provider = new FakeProvider();
let redis: RedisServer | undefined;
const folder = temporaryFolder('two');

before(async () => {
	writeKeyFile(join(folder, 'gateway-keys.json'), 1);
	await app.listen();
	await provider.listen();
	if (!redisMissing) redis = await RedisServer.start();
});
after(async () => {
	for (const item of [app, provider, redis]) await item?.[Symbol.asyncDispose]();
});

function start(kind: (typeof kinds)[number]): Promise<GatewayProcess> {
	const store: Json =
		kind === 'redis' ? { kind, url: redis?.url } : { kind, path: join(folder, 'sessions.db') };
	const own = { 'x-gateway': { store, keysFile: join(folder, 'gateway-keys.json') } };
	const file = join(folder, `${kind}.json`);
	writeFileSync(file, JSON.stringify(merge(baseConfig(provider), own)));
	return startProcess(file, app.url);
}

const get = ({ port }: GatewayProcess, target: string, headers: readonly string[]) =>
	rawCall(port, { target, headers });

async function signIn(at: GatewayProcess): Promise<string> {
	const login = '/.auth/login/corp?post_login_redirect_uri=/app';
	const begun: RawAnswer = await get(at, login, browserHeaders);
	const back = provider.authorize(begun.header('location') ?? '');
	const kept = `Cookie: ${begun.setCookies().map(pair).join('; ')}`;
	const done = await get(at, back.pathname + back.search, [...browserHeaders, kept]);
	return `Cookie: ${sessionOf(done)}`;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

for (const kind of kinds)
	test(`${kind}: a sign-out at one process outlasts the renewal under way at the other, and ends what is open there`, {
		skip: kind === 'redis' && redisMissing,
		timeout: 60_000,
	}, async () => {
		await using one = await start(kind);
		await using two = await start(kind);
		const cookie = await signIn(one);
		assert.equal((await get(two, '/x', [cookie])).status, 200);

		const socket = await rawUpgrade(one.port, { target: '/ws', headers: [cookie] });
		assert.equal(socket.answer.status, 101);
		const streams: ServerResponse[] = [];
		app.handler = (_request, response) => {
			response.writeHead(200, { 'Content-Type': 'text/event-stream' });
			response.write('data: first\n\n');
			streams.push(response);
		};
		const stream = connect(one.port, '127.0.0.1', () =>
			stream.write(requestText({ target: '/events', headers: [cookie] })),
		);
		stream.on('error', () => {});
		await once(stream, 'data');
		app.handler = undefined;

		let release = () => {};
		provider.tokenHold = new Promise((resolve) => {
			release = resolve;
		});
		const asked = provider.refreshCalls;
		const renewal = get(one, '/.auth/refresh', [cookie]);
		while (provider.refreshCalls === asked) await turn();

		const ends = Promise.all([once(socket.socket, 'close'), once(stream.resume(), 'close')]);
		const out = await get(two, '/.auth/logout', [...browserHeaders, cookie]);
		assert.equal(out.status, 302);
		provider.tokenHold = undefined;
		release();
		const renewed = await renewal;
		assert.equal(renewed.status, 401);
		assert.deepEqual(renewed.setCookies(), []);
		await ends;
		assert.equal(streams[0]?.writableEnded, false, 'the app had not ended its stream');
		for (const at of [one, two]) {
			assert.equal((await get(at, '/x', [cookie])).status, 401);
			assert.equal((await get(at, '/.auth/refresh', [cookie])).status, 401);
			assert.deepEqual((await get(at, '/.auth/me', [cookie])).json(), []);
		}
	});
