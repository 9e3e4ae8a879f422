/** Who may call which route of the daemon, and that a forgotten one is the owner's. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createApp } from '../../server/http/app.ts';
import { checkRole, isStep, ownerRoutes, routesOf } from '../../server/http/roles.ts';
import { AppError } from '../../server/protocol/index.ts';
import { allRoutes, callRoute } from './allRoutes.ts';
import { startTestServer, type TestServer } from './testServer.ts';

let open: TestServer;
let locked: TestServer;
before(async () => {
	const env = { HF_ENDPOINT: 'http://127.0.0.1:1' };
	open = await startTestServer({ fakeRunner: true, env });
	locked = await startTestServer({ fakeRunner: true, env, listen: { requireKey: true } });
});
after(() => Promise.all([open.close(), locked.close()]));

const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test('every route that exists says who may call it, and what is said is of routes that exist', () => {
	const exist = new Set(allRoutes(open.backend).map(name));
	const said = new Set([...ownerRoutes, ...routesOf.local]);
	assert.deepEqual(
		[...exist].filter((route) => !said.has(route)),
		[],
		'said nowhere; write it into roles.ts',
	);
	for (const [caller, routes] of Object.entries({ ...routesOf, owner: new Set(ownerRoutes) }))
		assert.deepEqual(
			[...routes].filter((route) => !exist.has(route)),
			[],
			`${caller}: there is no such route`,
		);
	assert.deepEqual(
		ownerRoutes.filter((route) => routesOf.local.has(route) || routesOf.member.has(route)),
		[],
		'for the owner alone, and yet for others',
	);
});

test('what stands for every request is known one by one: nothing else escapes the lists', () => {
	const app = createApp(open.backend, {
		key: 'k',
		requireKey: false,
		allowedOrigins: [],
		allowedHosts: [],
		port: () => undefined,
	});
	assert.equal(app.routes.filter(isStep).length, 3);
});

test('what members may do is what docs/team-server.md says', () => {
	const text = readFileSync(new URL('../../docs/team-server.md', import.meta.url), 'utf8');
	const [, table = ''] = /## What members may do\n(.*?)\nEverything else/s.exec(text) ?? [];
	const said = [...table.matchAll(/`(\/[^`]*)`/g)].map(([, path = '']) => path);
	const names = (pattern: string, path: string) =>
		pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
	const customEndpoint = /^\/(?::endpoint|translator\/text)/;
	const paths = [...routesOf.member]
		.map((route) => route.replace(/^\w+ /, ''))
		.filter((path) => !customEndpoint.test(path))
		.map((path) => path.replace(/\/:id\{.*/, ''));
	const count = '/v1/chat/completions/tokenizer/encode/count';
	assert.deepEqual(
		paths.filter((path) => path !== count && !said.some((pattern) => names(pattern, path))),
		[],
		'not in the documents',
	);
	assert.deepEqual(
		said.filter((pattern) => !paths.some((path) => names(pattern, path))),
		[],
		'not so',
	);
});

test('a route nobody has thought of is the owner’s', () => {
	const forgotten = [{ method: 'GET', path: '/nearglot/new' }];
	checkRole('owner', forgotten);
	for (const caller of ['member', 'studio', 'local'] as const)
		assert.throws(() => checkRole(caller, forgotten), AppError, caller);
	// One that others may call does not open a second that lies on the same path.
	assert.throws(() => checkRole('member', [{ method: 'GET', path: '/health' }, ...forgotten]));
	checkRole('member', [
		{ method: 'ALL', path: '/*' },
		{ method: 'GET', path: '/health' },
	]);
});

test('the owner’s routes need the key, from programs of this machine too', async () => {
	const routes = allRoutes(open.backend).filter((route) => ownerRoutes.includes(name(route)));
	assert.ok(routes.length > 20);
	for (const route of routes) {
		const { status, text } = await callRoute(open, route, {});
		assert.equal(status, 401, name(route));
		assert.match(text, /This route needs the key/, name(route));
	}
	assert.deepEqual(open.stopped, []);
});

test('a member’s role takes rights away, with the key and without, and never gives any', async () => {
	const role = { 'x-nearglot-role': 'member' };
	for (const route of allRoutes(locked.backend)) {
		const mayCall = routesOf.member.has(name(route));
		const keyed = await callRoute(locked, route, { ...locked.keyed, ...role });
		assert.equal(keyed.status === 403, !mayCall, `${name(route)}: ${keyed.text.slice(0, 200)}`);
		if (!mayCall) assert.match(keyed.text, /for the owner of the model server/);
		const plain = await callRoute(locked, route, {});
		const lowered = await callRoute(locked, route, role);
		if (plain.status >= 400) assert.ok(lowered.status >= 400, name(route));
		else assert.ok(lowered.status === plain.status || !mayCall, name(route));
	}
	assert.deepEqual(locked.stopped, []);
});

test('a role that is not understood is refused', async () => {
	for (const role of ['owner', '', 'Member', 'member, owner', 'member, member']) {
		const headers = { ...open.keyed, 'x-nearglot-role': role };
		const response = await fetch(`${open.url}/v1/models`, { headers });
		assert.equal(response.status, 400, role);
	}
});

test('members are told nothing of folders and processes', async () => {
	const headers = { ...open.keyed, 'x-nearglot-role': 'member' };
	const health = await fetch(`${open.url}/health`, { headers });
	assert.deepEqual(await health.json(), { status: 'ok' });
	const shown = await open.post('/api/show', { model: 'starter-chat', verbose: true }, { headers });
	assert.doesNotMatch(await shown.text(), /general\.folder/);
	const owned = await open.post(
		'/api/show',
		{ model: 'starter-chat', verbose: true },
		{ headers: open.keyed },
	);
	assert.match(await owned.text(), /general\.folder/);
	for (const path of ['/v1/models', '/api/tags', '/svc/list', '/foundry/list', '/openai/models']) {
		const response = await fetch(open.url + path, { headers });
		assert.equal(response.status, 200, path);
		const text = await response.text();
		for (const folder of [open.backend.settings.dataDir, open.backend.settings.builtInDir ?? '?'])
			assert.ok(!text.includes(folder), `${path} names ${folder}`);
	}
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
