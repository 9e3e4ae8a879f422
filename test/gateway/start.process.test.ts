/** Starting the layer: whatever cannot be opened ends the process with one sentence, and `--check` says the same. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createClient } from 'redis';
import { needsModes } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { type Json, merge } from './support/harness.ts';
import { RedisServer, redisMissing } from './support/redisServer.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = temporaryFolder('start');

const base: Json = {
	identityProviders: {
		gitHub: { registration: { clientId: 'c', clientSecretSettingName: 'SECRET' } },
	},
	'x-gateway': { publicUrl: 'http://localhost:8000', store: { path: 'sessions.db' } },
};
let count = 0;

/** A settings file in a folder of its own. */
function configOf(own: Json): string {
	const place = join(folder, String(++count));
	mkdirSync(place);
	const file = join(place, 'auth.json');
	writeFileSync(file, JSON.stringify(merge(base, { 'x-gateway': own })));
	return file;
}

const commandUrl = JSON.stringify(join(root, 'server', 'cli', 'command.ts'));
const gatewayUrl = JSON.stringify(join(root, 'server', 'cli', 'gatewayCommand.ts'));

/** Runs the command to its end: one that stays alive never answers. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
	const script = `import { runCommand } from ${commandUrl}; void runCommand({ gateway: async () => (await import(${gatewayUrl})).gatewayCommand }, process.argv.slice(1));`;
	const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
	const child = spawn(process.execPath, [...flags, '--', 'gateway', ...args], {
		env: { ...process.env, SECRET: 's', STRAY: 's3cret\n', NEARGLOT_HOME: join(folder, 'home') },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const text = { out: '', err: '' };
	for (const [key, stream] of [
		['out', child.stdout],
		['err', child.stderr],
	] as const)
		stream.on('data', (chunk: Buffer) => {
			text[key] += chunk.toString();
		});
	const [code] = (await once(child, 'close')) as [number];
	return { code, ...text };
}
const start = (config: string) =>
	run('--config', config, '--upstream', 'http://127.0.0.1:9', '--port', '0');

const inPlace = (config: string, name: string, text: string) =>
	writeFileSync(join(dirname(config), name), text);
const key = '0123456789abcdef'.repeat(4);
const ring = (row: Json) =>
	JSON.stringify({ userIdKey: key, keys: [{ kid: 'k', secret: key, ...row }] });

const unusable: readonly [string, Json, readonly [string, string] | undefined, RegExp][] = [
	[
		'a missing certificate',
		{ tls: { certFile: 'c.pem', keyFile: 'k.pem' } },
		undefined,
		/tls\.certFile\) .*c\.pem cannot be used: there is no such file/,
	],
	[
		'a certificate that is none',
		{ tls: { certFile: 'c.pem', keyFile: 'c.pem' } },
		['c.pem', 'no PEM'],
		/tls\.certFile\) .*c\.pem cannot be used: it holds nothing of the kind in PEM form/,
	],
	[
		'an address that Redis cannot have',
		{ store: { kind: 'redis', url: 'redis://:p%zz@h:1:2' } },
		undefined,
		/address in x-gateway\.store/,
	],
	[
		'a store that is no database',
		{ store: { path: 'not.db' } },
		['not.db', 'x'.repeat(5000)],
		/x-gateway\.store\) .*not\.db cannot be used/,
	],
	[
		'a store where nothing can be made',
		{ store: { path: '/proc/nearglot/s.db' } },
		undefined,
		/x-gateway\.store\) \/proc\/nearglot\/s\.db cannot be used/,
	],
	[
		'an audit log that cannot be opened',
		{ auditFile: 'none/audit.log' },
		undefined,
		/x-gateway\.auditFile\) .*audit\.log cannot be used: there is no such folder/,
	],
	[
		'a broken key file',
		{ keysFile: 'keys.json' },
		['keys.json', '{'],
		/key file .*keys\.json cannot be read: it is not JSON/,
	],
	[
		'an empty key file',
		{ keysFile: 'keys.json' },
		['keys.json', JSON.stringify({ userIdKey: key, keys: [] })],
		/keys\.json cannot be used: keys must not be empty/,
	],
	[
		'keys of the future alone',
		{ keysFile: 'keys.json' },
		['keys.json', ring({ notBefore: '2999-01-01' })],
		/keys\.json cannot be used: none of its keys is valid now/,
	],
	[
		'a misspelt date of a key',
		{ keysFile: 'keys.json' },
		['keys.json', ring({ retireafter: 1 })],
		/keys\[0\]\.retireafter is not a known setting/,
	],
];
for (const [name, own, file, words] of unusable) {
	test(`${name} is refused by the start and by --check in the same words`, async () => {
		const config = configOf(own);
		if (file) inPlace(config, ...file);
		const before = readdirSync(dirname(config));
		const checked = await run('--config', config, '--check');
		assert.equal(checked.code, 1, checked.out);
		assert.deepEqual(readdirSync(dirname(config)), before, 'a check leaves nothing behind');
		const started = await start(config);
		assert.equal(started.code, 1);
		for (const { err, out } of [checked, started]) {
			assert.match(err, words);
			assert.ok(!err.includes('    at ') && out === '', err);
		}
	});
}

test('a start that fails ends, whatever it has opened before', async () => {
	const taken = createServer();
	await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
	const { port } = taken.address() as { port: number };
	try {
		for (const store of [{ path: 's.db' }, { kind: 'redis', url: 'redis://127.0.0.1:9' }]) {
			const admin = await start(configOf({ adminPort: port, store }));
			assert.equal(admin.code, 1);
			assert.match(
				admin.err,
				new RegExp(`Port ${port} on 127.0.0.1 is already in use\\. .*x-gateway\\.adminPort`),
			);
			assert.equal(admin.out, '', 'it did not say that it serves');
			const file = configOf({ store });
			const main = await run(
				'--config',
				file,
				'--upstream',
				'http://127.0.0.1:9',
				'--port',
				`${port}`,
			);
			assert.equal(main.code, 1);
			assert.match(main.err, /is already in use\. Choose another with --port/);
		}
	} finally {
		taken.close();
	}
});

test('numbers on the command line are digits', async () => {
	const file = ['--config', configOf({}), '--upstream', 'http://127.0.0.1:9'];
	for (const [name, value] of [
		['port', '0x50'],
		['port', ''],
		['port', '8e3'],
		['drain', '0x10'],
	] as const) {
		const { code, err } = await run(...file, `--${name}`, value);
		assert.equal(code, 2, err);
		assert.match(err, new RegExp(`--${name} takes a number`));
	}
});

test('addresses that lead nowhere, or everywhere, are refused', async () => {
	const config = configOf({});
	for (const upstream of ['unix:', 'http://127.0.0.1:0', 'http://:p4ss@127.0.0.1:80']) {
		const { code, err } = await run('--config', config, '--upstream', upstream, '--port', '0');
		assert.equal(code, 1, upstream);
		assert.match(err, /--upstream must be http:\/\/host:port/);
		assert.ok(!err.includes('p4ss'), err);
	}
	const open = ['--upstream', 'http://127.0.0.1:9', '--port', '0', '--host', ''];
	const { code, err } = await run('--config', config, ...open);
	assert.equal(code, 1);
	assert.match(err, /--host names no address\. Leave it out/);
});

test('what files and pasted texts bring along is found in secrets and ids, and passed over in the file', async () => {
	const config = configOf({});
	const file = readFileSync(config, 'utf8');
	writeFileSync(config, `\ufeff${file}`);
	assert.equal((await run('--config', config, '--check')).code, 0);
	writeFileSync(config, file.replace('"clientId":"c"', '"clientId":"c\\n"'));
	const id = await run('--config', config, '--check');
	assert.equal(id.code, 1);
	assert.match(id.err, /registration\.clientId: begins or ends with a blank/);
	writeFileSync(config, file.replace('"SECRET"', '"STRAY"'));
	const secret = await run('--config', config, '--check');
	assert.equal(secret.code, 1);
	assert.match(
		secret.err,
		/names STRAY, which begins or ends with a blank, or holds the end of a line/,
	);
});

test('--check makes nothing, and tells of a store that does not answer', async () => {
	const config = configOf({ store: { path: 'data/s.db' }, auditFile: 'audit.log' });
	const fresh = await run('--config', config, '--check');
	assert.equal(fresh.code, 0, fresh.err);
	assert.deepEqual(readdirSync(dirname(config)), ['auth.json']);
	const own = createServer();
	await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
	const { port } = own.address() as AddressInfo;
	own.on('connection', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
	const checks: readonly [url: string, reason: RegExp][] = [
		[
			'redis://u:p4ss@127.0.0.1:9',
			/at 127\.0\.0\.1:9 cannot be used: nothing answers there\. Start it/,
		],
		['redis://u:p4ss@nohost.invalid:1', /at nohost\.invalid:1 cannot be used: .*(?:name|network)/],
		[`redis://u:p4ss@127.0.0.1:${port}`, /ends the connection or is no Redis\. Check the port/],
		[`rediss://u:p4ss@127.0.0.1:${port}`, /does not speak TLS\. Write redis:/],
	];
	try {
		for (const [url, reason] of checks) {
			const redis = await run('--config', configOf({ store: { kind: 'redis', url } }), '--check');
			assert.equal(redis.code, 1, redis.out);
			assert.match(redis.err, reason);
			assert.ok(!redis.err.includes('p4ss'));
		}
	} finally {
		own.close();
	}
});

test('--check says what a Redis that answers has against it', { skip: redisMissing }, async () => {
	await using server = await RedisServer.start();
	const checked = (url: string) =>
		run('--config', configOf({ store: { kind: 'redis', url } }), '--check');
	const fine = await checked(server.url);
	assert.equal(fine.code, 0, fine.err);
	assert.equal(fine.err, '');
	const wrong = await checked(`${server.url.replace('//', '//nobody:p4ss@')}`);
	assert.equal(wrong.code, 1);
	assert.match(wrong.err, /refuses the name or password/);
	const noDatabase = await checked(`${server.url}/9999`);
	assert.equal(noDatabase.code, 1);
	assert.match(noDatabase.err, /no database of that number/);
	const client = createClient({ url: server.url });
	await client.connect();
	await client.configSet('requirepass', 'needed');
	const none = await checked(server.url);
	assert.equal(none.code, 1);
	assert.match(none.err, /wants a password/);
	client.destroy();
	const started = await start(
		configOf({ store: { kind: 'redis', url: `${server.url.replace('//', '//nobody:p4ss@')}` } }),
	);
	assert.equal(started.code, 1, 'a start does not wait for what no waiting mends');
	assert.match(started.err, /refuses the name or password\. Correct the address/);
	for (const { err } of [wrong, noDatabase, none, started]) assert.ok(!err.includes('p4ss'));
});

test('files of others that are named as the store stay as they are', {
	skip: needsModes,
}, async () => {
	const text = 'a text of somebody';
	const notes = configOf({ store: { path: 'notes.txt' } });
	inPlace(notes, 'notes.txt', text);
	const other = configOf({ store: { path: 'other.db' } });
	const database = join(dirname(other), 'other.db');
	const db = new DatabaseSync(database);
	db.exec('CREATE TABLE accounts (id INTEGER)');
	db.close();
	for (const [config, name] of [
		[notes, 'notes.txt'],
		[other, 'other.db'],
	] as const) {
		const path = join(dirname(config), name);
		chmodSync(path, 0o644);
		const before = readFileSync(path);
		for (const { code, err } of [await run('--config', config, '--check'), await start(config)]) {
			assert.equal(code, 1);
			assert.match(err, /x-gateway\.store\) .+ cannot be used: it is /);
		}
		assert.equal(statSync(path).mode & 0o777, 0o644);
		assert.deepEqual(readFileSync(path), before);
		const beside = readdirSync(dirname(path)).filter((found) => found.startsWith(name));
		assert.deepEqual(beside, [name]);
	}
});

test('an upstream that is the layer itself is refused', async () => {
	const probe = createServer();
	await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
	const { port } = probe.address() as AddressInfo;
	await new Promise((resolve) => probe.close(resolve));
	for (const [host, upstream] of [
		['127.0.0.1', `http://127.0.0.1:${port}`],
		['127.0.0.1', `http://localhost:${port}`],
		['0.0.0.0', `http://127.0.0.1:${port}`],
	] as const) {
		const options = ['--config', configOf({}), '--port', String(port), '--host', host];
		const { code, err } = await run(...options, '--upstream', upstream);
		assert.equal(code, 1);
		assert.match(err, /is this layer's own address/);
	}
});

test('gateways that start at once on one fresh store all get it', async () => {
	const url = new URL('../../server/gateway/store/sqliteStore.ts', import.meta.url).href;
	const code = `
		const { workerData, parentPort } = require('node:worker_threads');
		import(${JSON.stringify(url)}).then(async ({ openSqliteStore }) => {
			parentPort.postMessage('there');
			Atomics.wait(new Int32Array(workerData.gate), 0, 0);
			const store = openSqliteStore(workerData.path);
			await store[Symbol.asyncDispose]();
			parentPort.postMessage('opened');
		}).catch((error) => parentPort.postMessage(error.message));`;
	const gate = new SharedArrayBuffer(4);
	const path = join(folder, 'fresh', 'sessions.db');
	const workers = Array.from(
		{ length: 6 },
		() => new Worker(code, { eval: true, workerData: { gate, path } }),
	);
	await Promise.all(workers.map((worker) => once(worker, 'message')));
	const said = workers.map((worker) => once(worker, 'message'));
	Atomics.store(new Int32Array(gate), 0, 1);
	Atomics.notify(new Int32Array(gate), 0);
	assert.deepEqual((await Promise.all(said)).flat(), Array(6).fill('opened'));
	assert.ok(existsSync(path));
	await Promise.all(workers.map((worker) => worker.terminate()));
});
