/** What whoever runs the layer sees: the audit log within bounds, readiness, and word of a store that is gone. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { openAuditLog } from '../../server/gateway/observe/audit.ts';
import { Upstream } from '../../server/gateway/proxy/upstream.ts';
import { upstreamProof } from '../../server/gateway/proxy/upstreamProof.ts';
import { openRedisStore } from '../../server/gateway/store/redisStore.ts';
import { StoreWatch } from '../../server/gateway/store/storeWatch.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { Harness } from './support/harness.ts';
import { RedisServer, redisMissing } from './support/redisServer.ts';

const folder = temporaryFolder('operation');

interface Line {
	readonly event: string;
	readonly path?: string;
	readonly reason?: string;
	readonly count?: number;
	readonly addresses?: number;
	readonly clientIp?: string;
}
const linesOf = (text: string) =>
	text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as Line);

test('strangers fill neither a line nor the log: paths are cut, and what is too much is counted', async () => {
	const log = new PassThrough();
	let now = 1_000_000;
	const audit = openAuditLog('-', log, Date.now, () => now);
	const refused = {
		event: 'request_refused',
		status: 403,
		path: `/${'a'.repeat(15_000)}`,
	} as const;
	for (let round = 0; round < 500; round++) audit.write({ ...refused, clientIp: '192.0.2.1' });
	audit.write({ ...refused, clientIp: '198.51.100.1' });
	audit.write({ event: 'login', clientIp: '192.0.2.1', userId: 'sid:1' });
	now += 61_000;
	audit.write({ event: 'logout', userId: 'sid:1' });
	audit[Symbol.dispose]();
	const lines = linesOf(String(log.read()));
	const named = (event: string) => lines.filter((line) => line.event === event);
	assert.equal(named('request_refused').length, 61, 'sixty of one address, one of the other');
	for (const line of named('request_refused')) assert.ok(line.path!.length < 250);
	assert.equal(named('login').length, 1, 'who is signed in is always written');
	assert.deepEqual(
		named('lines_left_out').map(({ count, addresses, clientIp }) => ({
			count,
			addresses,
			clientIp,
		})),
		[{ count: 440, addresses: 1, clientIp: '192.0.2.1' }],
	);
});

test('the layer refuses long paths in short lines', async () => {
	await using h = await Harness.start({
		config: { globalValidation: { unauthenticatedClientAction: 'Return403' } },
	});
	await h.get(`/${'b'.repeat(10_000)}`);
	const line = h.audit.find((text) => text.includes('request_refused')) ?? '';
	assert.ok(line.length > 0 && line.length < 500, line);
});

test('a log that was moved is begun anew, and one that cannot be is told in the old one', async () => {
	const file = join(folder, 'audit.log');
	const audit = openAuditLog(file, new PassThrough(), Date.now);
	audit.write({ event: 'started' });
	renameSync(file, `${file}.1`);
	audit.reopen();
	audit.write({ event: 'stopped' });
	audit[Symbol.dispose]();
	const has = (path: string, event: string) =>
		existsSync(path) && readFileSync(path, 'utf8').includes(event);
	await until(
		'the file and its predecessor are written',
		() => has(file, 'stopped') && has(`${file}.1`, 'started'),
	);
	assert.ok(!has(`${file}.1`, 'stopped'));
	assert.throws(
		() => openAuditLog(join(folder, 'none', 'audit.log'), new PassThrough(), Date.now),
		/x-gateway\.auditFile.*no such folder/,
	);
});

test('a replica is ready while it can sign people in; a refused keys file is told, and takes nobody out', async () => {
	await using h = await Harness.start();
	const ready = async () => {
		const answer = await h.call({ target: '/.auth/readyz', host: '10.1.2.3:8000' });
		return { status: answer.status, ...(answer.json() as object) };
	};
	const well = { status: 200, store: 'ok', keys: 'ok', upstream: 'ok' };
	assert.deepEqual(await ready(), { ...well, status: 'ready' });
	const file = join(h.folder, 'gateway-keys.json');
	const keys = readFileSync(file, 'utf8');
	writeFileSync(file, '{');
	h.gateway.reload();
	assert.deepEqual(await ready(), { ...well, status: 'ready', keys: 'reload_refused' });
	assert.ok(h.audit.some((line) => line.includes('keys_reloaded') && line.includes('not JSON')));
	writeFileSync(file, keys);
	h.gateway.reload();
	assert.deepEqual(await ready(), { ...well, status: 'ready' });
	const probe = (target: string) => h.get(target).then((answer) => answer.status);
	assert.equal(await probe('/.auth/readyz'), 200);
	const ring = JSON.parse(keys) as { userIdKey: string; keys: object[] };
	const ending = { ...ring.keys[0], retireAfter: Date.now() + 3_600_000 };
	writeFileSync(file, JSON.stringify({ ...ring, keys: [ending] }));
	h.gateway.reload();
	h.advance(7_200_000);
	assert.equal(await probe('/.auth/readyz'), 503);
	assert.equal(await probe('/.auth/healthz'), 200, 'it lives: starting it again would not help');
});

test('a replica whose app takes no connection is not ready, and lives; it is ready again when the app is back', async () => {
	const app = createServer((socket) => socket.destroy());
	await once(app.listen(0, '127.0.0.1'), 'listening');
	const { port } = app.address() as AddressInfo;
	let now = 0;
	const upstream = new Upstream(`http://127.0.0.1:${port}`);
	const proof = upstreamProof(upstream, () => now);
	assert.equal(await proof.state(), 'ok');
	app.close();
	await once(app, 'close');
	assert.equal(await proof.state(), 'ok', 'it is asked once a second');
	now += 1000;
	assert.equal(await proof.state(), 'unreachable');
	await once(app.listen(port, '127.0.0.1'), 'listening');
	now += 1000;
	assert.equal(await proof.state(), 'ok');
	app.close();
	upstream[Symbol.dispose]();
});

test('a connection to the app that does not come is given up, and none stays open', async () => {
	const opened: Socket[] = [];
	let now = 0;
	const connect = () => {
		const socket = new Socket();
		opened.push(socket);
		return socket;
	};
	const proof = upstreamProof({ connect }, () => now);
	for (let round = 0; round < 2; round++) {
		now += 1000;
		assert.equal(await proof.state(), 'unreachable');
	}
	await until('both are closed', () => opened.every(({ destroyed }) => destroyed));
	assert.equal(opened.length, 2);
});

test('the numbers of the layer can be had from other machines, where its settings say so', async () => {
	await using usual = await Harness.start({ config: { 'x-gateway': { adminPort: 0 } } });
	assert.match(usual.gateway.adminUrl ?? '', /^http:\/\/127\.0\.0\.1:/);
	await using open = await Harness.start({
		config: { 'x-gateway': { adminPort: 0, adminHost: '0.0.0.0' } },
	});
	const { hostname, port } = new URL(open.gateway.adminUrl ?? '');
	assert.equal(hostname, '0.0.0.0');
	for (const path of ['/metrics', '/healthz', '/jwks']) {
		const response = await fetch(`http://127.0.0.2:${port}${path}`);
		assert.equal(response.status, 200, path);
	}
});

test('probes are answered where signing in is off', async () => {
	await using h = await Harness.start({ config: { platform: { enabled: false } } });
	for (const path of ['/.auth/healthz', '/.auth/readyz'])
		assert.equal((await h.get(path)).status, 200, path);
});

test('word of a store comes once when it fails and once when it is back, whatever is asked between', async () => {
	const told: (string | undefined)[] = [];
	let now = 0;
	const watch = new StoreWatch(
		(reason) => told.push(reason),
		() => now,
	);
	const fail = () => assert.rejects(watch.run(() => Promise.reject(new Error('WRONGPASS'))));
	for (let round = 0; round < 5; round++) await fail();
	assert.deepEqual(told, ['WRONGPASS']);
	await watch.run(() => 1);
	await fail();
	await watch.run(() => 1);
	assert.deepEqual(told, ['WRONGPASS'], 'what comes and goes is not told each time');
	now += 20_000;
	await watch.run(() => 1);
	assert.deepEqual(told, ['WRONGPASS', undefined]);
});

test('a wrong password of Redis is told without it', { skip: redisMissing }, async () => {
	await using redis = await RedisServer.start();
	const told: (string | undefined)[] = [];
	await using store = await openRedisStore(
		redis.url.replace('//', '//nobody:p4ssw0rd@'),
		(reason) => told.push(reason),
	);
	await assert.rejects(store.prove(), /cannot be reached/);
	await until('something was said', () => told.length > 0);
	assert.match(told[0] ?? '', /WRONGPASS|AUTH/);
	assert.ok(!told.join().includes('p4ssw0rd'));
	await assert.rejects(openRedisStore('redis://h:1:2'), /x-gateway\.store/);
});

test('devices that are signed in do not use up the tries of their address', async () => {
	await using h = await Harness.start({ config: { 'x-gateway': { failuresPerMinute: 3 } } });
	const begin = () => h.call({ method: 'POST', target: '/.auth/device' });
	for (let round = 0; round < 3; round++) assert.equal((await begin()).status, 200);
	assert.equal((await begin()).status, 429, 'they fill the store no more than tries do');
	assert.equal((await h.get('/.auth/login')).status, 200, 'others of the address sign in');
	await h.token();
});
