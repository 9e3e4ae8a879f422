/** Who may call which route of the daemon, and that a forgotten one is the owner's. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { signPerson } from '../../server/gateway/identity/signedPerson.ts';
import { createApp } from '../../server/http/app.ts';
import {
	type CallerRole,
	checkRole,
	declarations,
	isStep,
	mayCall,
} from '../../server/http/callerRoles.ts';
import { AppError } from '../../server/protocol/index.ts';
import { shownPath } from '../../server/protocol/routes/route.ts';
import { gatewaySecret, startTestServer, type TestServer } from '../support/testServer.ts';
import { allRoutes, callRoute } from './allRoutes.ts';

let open: TestServer;
let locked: TestServer;
/** Everybody who calls it is another user. */
let foreign: TestServer;
before(async () => {
	const env = { HF_ENDPOINT: 'http://127.0.0.1:1' };
	open = await startTestServer({ fakeRunner: true, env });
	const peers = { of: async () => 'other' as const };
	foreign = await startTestServer({ fakeRunner: true, env, listen: { peers } });
	locked = await startTestServer({ fakeRunner: true, env, listen: { requireKey: true } });
});
after(() => Promise.all([open.close(), foreign.close(), locked.close()]));

const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test('every route that exists declares who may call it, and what is declared exists', () => {
	const exist = new Set(allRoutes(open.backend).map(name));
	assert.ok(exist.size > 90);
	assert.deepEqual(
		[...exist].filter((route) => !Object.hasOwn(declarations, route)),
		[],
		'declared nowhere; write it into server/protocol/routes',
	);
	assert.deepEqual(
		Object.keys(declarations).filter((route) => !exist.has(route)),
		[],
		'there is no such route',
	);
});

test('every GET that changes something is known as such', () => {
	const changing = allRoutes(open.backend)
		.map(name)
		.filter((route) => /^GET .*\/(?:un)?load(?:all)?(?:\/|$)|^GET .*\/set/.test(route));
	assert.equal(changing.length, 6);
	for (const route of changing) assert.equal(declarations[route]?.changes, true, route);
});

test('what stands for every request is known one by one: nothing else escapes the lists', () => {
	const app = createApp(open.backend, {
		key: 'k',
		requireKey: false,
		allowedOrigins: [],
		allowedHosts: [],
		port: () => undefined,
	});
	assert.equal(app.routes.filter(isStep).length, 4);
});

test('what members may do is what docs/team-server.md says', () => {
	const text = readFileSync(new URL('../../docs/team-server.md', import.meta.url), 'utf8');
	const [, table = ''] = /<!-- routes: members -->(.*?)<!-- \/routes -->/s.exec(text) ?? [];
	const said = [...table.matchAll(/`(\/[^`]*)`/g)].map(([, path = '']) => path);
	const customEndpoint = /^\/(?::endpoint|translator\/text)/;
	const paths = Object.keys(declarations)
		.filter((route) => mayCall('member', route))
		.map((route) => route.replace(/^\w+ /, ''))
		.filter((path) => !customEndpoint.test(path))
		.map(shownPath);
	assert.deepEqual(new Set(said), new Set(paths));
});

const callers = ['owner', 'studio', 'local', 'member', 'anonymous', 'stranger'] as const;

test('a route nobody has thought of is the owner’s', () => {
	const forgotten = [{ method: 'GET', path: '/nearglot/new' }];
	checkRole({ caller: 'owner' }, forgotten);
	for (const caller of callers.slice(1))
		assert.throws(() => checkRole({ caller }, forgotten), AppError, caller);
	for (const inherited of ['toString', '__proto__', 'constructor'])
		assert.equal(mayCall('member', inherited), false);
	// One that others may call does not open a second that lies on the same path.
	const health = { method: 'GET', path: '/health' };
	assert.throws(() => checkRole({ caller: 'member' }, [health, ...forgotten]));
	for (const caller of callers.filter((each) => each !== 'studio'))
		checkRole({ caller }, [{ method: 'ALL', path: '/*' }, health]);
});

/** What the guard says to each caller about a route that is none of theirs. */
const refusals: Readonly<Record<Exclude<CallerRole, 'owner'>, { status: number; words: RegExp }>> =
	{
		member: { status: 403, words: /for the owner of the model server/ },
		studio: { status: 403, words: /no business here/ },
		local: { status: 401, words: /This route needs the key/ },
		anonymous: { status: 401, words: /Sign in first/ },
		stranger: {
			status: 401,
			words:
				/another user of this computer|This server wants its key|The key is not the one of this server/,
		},
	};

/** Calls every route as somebody, and compares who got through with the table. */
async function compare(
	server: TestServer,
	caller: Exclude<CallerRole, 'owner'>,
	headers: Readonly<Record<string, string>>,
): Promise<void> {
	const { status, words } = refusals[caller];
	for (const route of allRoutes(server.backend)) {
		const answer = await callRoute(server, route, headers);
		const isRefused = words.test(answer.text);
		const what = `${caller}: ${name(route)}: ${answer.status} ${answer.text.slice(0, 200)}`;
		assert.equal(isRefused, !mayCall(caller, name(route)), what);
		if (isRefused) assert.equal(answer.status, status, what);
	}
	assert.deepEqual(server.stopped, []);
}

test('every route is open to each caller as the table says', async () => {
	await compare(open, 'local', {});
	await compare(foreign, 'stranger', {});
	await compare(locked, 'stranger', {});
	await compare(locked, 'stranger', { authorization: 'Bearer wrong' });
	for (const server of [open, foreign, locked]) {
		await compare(server, 'member', server.member());
		const role = { 'x-nearglot-role': 'member' };
		await compare(server, 'anonymous', role);
		// The owner's key makes no owner of who comes through a sign-in layer.
		await compare(server, 'anonymous', { ...role, ...server.keyed });
		await compare(server, 'anonymous', { ...role, 'x-api-key': server.key });
		await compare(server, 'member', { ...server.member(), ...server.keyed });
	}
});

test('a layer that knows no role and lends the owner’s key makes no owner of anybody', async () => {
	for (const name of [
		'X-MS-Client-Principal',
		'x-acme-client-principal-name',
		'x-ms-client-principal-idp',
	])
		for (const path of ['/nearglot/secrets/names', '/v1/models', '/metrics']) {
			const answer = await fetch(open.url + path, { headers: { ...open.keyed, [name]: 'x' } });
			assert.equal(answer.status, 401, name);
			assert.match(await answer.text(), /both need the same version/);
		}
});

test('the owner is turned away nowhere', async () => {
	for (const server of [open, foreign, locked])
		for (const route of allRoutes(server.backend)) {
			const { text } = await callRoute(server, route, server.keyed);
			for (const { words } of Object.values(refusals))
				assert.doesNotMatch(text, words, name(route));
		}
	assert.ok(open.stopped.length > 0, 'one of the routes ends the server');
	for (const { stopped } of [open, foreign, locked]) stopped.splice(0);
});

test('the owner’s routes need the key, from programs of this machine too', () => {
	const keyed = allRoutes(open.backend)
		.map(name)
		.filter((route) => !mayCall('local', route));
	assert.ok(keyed.length > 25);
	for (const route of ['POST /mcp', 'GET /metrics', 'POST /nearglot/secrets/set'])
		assert.ok(keyed.includes(route), route);
});

test('a person counts only with the signature of the gateway that is known here', async () => {
	const ask = (headers: Readonly<Record<string, string>>) =>
		fetch(`${open.url}/v1/models`, { headers });
	const id = `sid:${'1'.repeat(32)}`;
	const role = { 'x-nearglot-role': 'member' };
	const signed = (secret: string, at = Date.now()) => ({
		...role,
		'x-nearglot-person': signPerson(secret, id, at),
	});
	assert.equal((await ask(signed(gatewaySecret))).status, 200);
	// The gateway of an older setting has nothing but the key to sign with.
	assert.equal((await ask(signed(open.key))).status, 200);
	for (const headers of [
		signed('another secret of another gateway'),
		signed(gatewaySecret, Date.now() - 6 * 60_000),
		signed(gatewaySecret, Date.now() + 6 * 60_000),
		{ ...role, 'x-nearglot-person': id },
		{ ...role, 'x-nearglot-person': '' },
		{ ...open.keyed, ...role, 'x-nearglot-person': 'alice' },
		{ ...open.keyed, 'x-nearglot-person': 'alice' },
	]) {
		const answer = await ask(headers);
		assert.equal(answer.status, 403, JSON.stringify(headers));
		assert.match(await answer.text(), /same NEARGLOT_GATEWAY_SECRET/);
	}
});

test('a role that is not understood is refused', async () => {
	for (const role of ['owner', '', 'Member', 'member, owner', 'member, member']) {
		const headers = { ...open.keyed, 'x-nearglot-role': role };
		const response = await fetch(`${open.url}/v1/models`, { headers });
		assert.equal(response.status, 400, role);
	}
});

test('who does not own the machine is told nothing of folders and processes', async () => {
	const places = [
		open.backend.settings.dataDir,
		open.backend.modelsDir(),
		open.backend.settings.builtInDir ?? '?',
		homedir(),
	];
	const verbose = { model: 'starter-chat', verbose: true };
	for (const headers of [open.member(), { 'x-nearglot-role': 'member' }]) {
		const health = await fetch(`${open.url}/health`, { headers });
		assert.deepEqual(await health.json(), { status: 'ok' });
		const shown = await open.post('/api/show', verbose, { headers });
		assert.doesNotMatch(await shown.text(), /general\.folder/);
		for (const route of allRoutes(open.backend)) {
			const { text, headers: answered } = await callRoute(open, route, headers);
			for (const place of places)
				assert.ok(!`${text}${JSON.stringify([...answered])}`.includes(place), name(route));
		}
	}
	const owned = await open.post('/api/show', verbose, { headers: open.keyed });
	assert.match(await owned.text(), /general\.folder/);
});

test('a sentence that names a folder of a model loses it for members, whatever route it comes from', async () => {
	const folder = join(open.backend.modelsDir(), 'broken model');
	await cp(join(open.backend.settings.builtInDir ?? '', 'starter-chat'), folder, {
		recursive: true,
	});
	for (const file of await readdir(join(folder, 'onnx')))
		await writeFile(join(folder, 'onnx', file), 'no graph');
	const asked = (headers: Readonly<Record<string, string>>) =>
		Promise.all(
			[
				[
					'/v1/chat/completions',
					{ model: 'broken model', messages: [{ role: 'user', content: 'a' }] },
				],
				['/v1/completions', { model: 'broken model', prompt: 'a' }],
				['/v1/embeddings', { model: 'broken model', input: 'a' }],
				['/v1/responses', { model: 'broken model', input: 'a', stream: true }],
				['/tokenize', { model: 'broken model', content: 'a' }],
				['/api/show', { model: 'broken model' }],
			].map(async ([path, body]) => (await open.post(String(path), body, { headers })).text()),
		);
	const toOwner = (await asked(open.keyed)).join('\n');
	const toMember = (await asked(open.member())).join('\n');
	await rm(folder, { recursive: true });
	assert.ok(toOwner.includes(folder), `the owner reads where it lies: ${toOwner}`);
	assert.ok(!toMember.includes(open.backend.modelsDir()), toMember);
	assert.match(toMember, /…\//);
});

test('no route answers with the key', async () => {
	const keep = (text: string, what: string) =>
		assert.ok(!text.includes(open.key), `${what}: ${text.slice(0, 300)}`);
	const paths = new Set(allRoutes(open.backend).map(({ path }) => path));
	for (const path of [...paths, '/no/such/route'])
		for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
			const { text, headers } = await callRoute(open, { method, path }, open.keyed);
			keep(text, `${method} ${path}`);
			keep(JSON.stringify([...headers]), `${method} ${path}`);
		}
	const link = await (await open.post('/nearglot/studio', {}, { headers: open.keyed })).text();
	keep(link, 'the link of a page');
	const ticket = /#ticket=([\w-]+)/.exec(link)?.[1] ?? '';
	const claimed = await open.post('/studio/claim', { ticket }, { headers: open.keyed });
	assert.equal(claimed.status, 200);
	keep(await claimed.text(), 'what a page gets for its ticket');
});
