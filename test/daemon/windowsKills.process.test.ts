/**
 * Ends of programs where a kill is what Windows makes of it: servers, editors and models are asked to end and do so by
 * themselves, and where one is killed all the same, at once and with its processes, what was kept is there afterwards.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter } from 'vscode-jsonrpc/node';
import { startLanguageServer } from '../../extension/languageServerProcess.ts';
import { requestShutdown } from '../../server/daemon/daemonConnection.ts';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import type { EndpointFile } from '../../server/protocol/index.ts';
import { isAlive } from '../../server/store/processIdentity.ts';
import { firstLine, gone, type Home, newHome } from '../support/home.ts';
import { childrenOf } from '../support/processFacts.ts';
import { programFile } from '../support/program.ts';
import { until } from '../support/until.ts';
import { type Kill, killAsWindows, killsIn, windowsKillsEnv } from '../support/windowsKills.ts';

let home: Home;
const list = () => join(home.folder, 'kills.txt');
const listEnv = () => windowsKillsEnv(list());

beforeEach(async () => {
	home = await newHome();
});
afterEach(() => home.close());

async function serve() {
	const child = home.start(['serve', '--json', '--port', '0'], listEnv());
	const endpoint = (await firstLine(child)) as unknown as EndpointFile;
	return { child, endpoint };
}

async function send({ url, key }: EndpointFile, path: string, body?: object): Promise<unknown> {
	const response = await fetch(new URL(path, url), {
		headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
		...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
	});
	const text = await response.text();
	assert.ok(response.ok, `${path}: ${text}`);
	return text === '' ? undefined : JSON.parse(text);
}

const question = { model: 'starter-chat', messages: [{ role: 'user', content: 'list files' }] };
const scratchOfModels = () =>
	readdirSync(join(home.folder, 'tmp')).filter((name) => name.includes('-runner-'));

test('a kill by another name ends a process at once, and what Windows does not know is an error', async () => {
	const kills: Kill[] = [];
	const child = home.start(['serve', '--json', '--port', '0']);
	await firstLine(child);
	using _ = killAsWindows((kill) => kills.push(kill));
	assert.throws(() => process.kill(child.pid ?? 0, 'SIGHUP'), { code: 'ENOSYS' });
	assert.ok(isAlive(child.pid ?? 0), 'to look is no kill');
	child.kill();
	const [, signal] = await once(child, 'exit');
	assert.equal(signal, 'SIGKILL');
	assert.deepEqual(
		kills.map((kill) => kill.signal),
		['SIGHUP', 'SIGTERM'],
	);
	assert.ok(existsSync(join(home.folder, 'endpoint.json')), 'it had no word in it');
});

test('a server that is asked over HTTP ends by itself, and so do the processes of its models', async () => {
	const { child, endpoint } = await serve();
	await send(endpoint, '/v1/chat/completions', question);
	const [first = 0] = childrenOf(endpoint.pid);
	await send(endpoint, '/models/unload/starter-chat');
	await gone(first);
	await send(endpoint, '/v1/chat/completions', question);
	const [second = 0] = childrenOf(endpoint.pid);
	assert.notEqual(second, first);
	const ended = once(child, 'exit');
	await requestShutdown(endpoint, false);
	assert.deepEqual(await ended, [0, null]);
	await gone(second);
	assert.deepEqual(killsIn(list()), []);
	for (const name of ['endpoint.json', 'daemon.lock'])
		assert.ok(!existsSync(join(home.folder, name)), name);
	assert.deepEqual(scratchOfModels(), []);
});

test('a server that is killed with its processes while it writes leaves to the next what was kept', async () => {
	const { child, endpoint } = await serve();
	const kept = (await send(endpoint, '/v1/responses', {
		model: 'starter-chat',
		input: 'list files',
		store: true,
	})) as { id: string; output: unknown };
	const writing = send(endpoint, '/v1/responses', {
		model: 'starter-chat',
		input: 'what can you do?',
		stream: true,
		store: true,
	}).catch(() => {});
	const processes = childrenOf(endpoint.pid);
	assert.ok(processes.length > 0);
	using _ = killAsWindows(() => {});
	child.kill();
	// Node has Windows end them with the one that has started them.
	for (const pid of processes) if (isAlive(pid)) process.kill(pid);
	await writing;
	await gone(endpoint.pid);
	assert.ok(existsSync(join(home.folder, 'endpoint.json')));
	const next = await serve();
	const found = (await send(next.endpoint, `/v1/responses/${kept.id}`)) as typeof kept;
	assert.deepEqual(found.output, kept.output);
	await send(next.endpoint, '/v1/chat/completions', question);
	await until('what it was killed over has gone', () => scratchOfModels().length === 1);
	await requestShutdown(next.endpoint, false);
	await gone(next.endpoint.pid);
});

/** A language server with a model server that it has started, as the editor has them. */
async function startEditorSide() {
	const env = { ...listEnv(), NEARGLOT_HOME: home.folder };
	const server = await startLanguageServer(programFile, env, () => {});
	const { child } = server;
	const client = createMessageConnection(new IPCMessageReader(child), new IPCMessageWriter(child));
	client.listen();
	const capabilities = {};
	const rest = { processId: process.pid, rootUri: null, initializationOptions: {} };
	await client.sendRequest('initialize', { capabilities, ...rest });
	await client.sendNotification('initialized', {});
	await client.sendRequest('nearglot/chat', question);
	const daemon = await findDaemon(home.env);
	assert.ok(daemon !== undefined);
	return { server, client, daemon: daemon.endpoint.pid };
}

test('an editor that closes leaves the model server to other windows, and kills nobody', async () => {
	for (const isPolite of [true, false]) {
		const { server, client, daemon } = await startEditorSide();
		if (isPolite) {
			await client.sendRequest('shutdown');
			await client.sendNotification('exit');
		}
		client.dispose();
		const kills: Kill[] = [];
		using _ = killAsWindows((kill) => kills.push(kill));
		await server.end(60_000);
		assert.equal(server.child.signalCode, null);
		assert.deepEqual([kills, killsIn(list())], [[], []]);
		assert.ok(isAlive(daemon));
	}
});

test('a language server that does not end is killed alone', async () => {
	const module = join(home.folder, 'deaf.cjs');
	writeFileSync(
		module,
		`const { spawn } = require('node:child_process');
const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
setInterval(() => {}, 1000);
process.send(other.pid);`,
	);
	const server = await startLanguageServer(module, {}, () => {});
	const [other] = (await once(server.child, 'message')) as [number];
	const kills: Kill[] = [];
	try {
		using _ = killAsWindows((kill) => kills.push(kill));
		await server.end(300);
		await gone(server.child.pid ?? 0);
		assert.deepEqual(kills, [{ pid: server.child.pid, signal: 'SIGKILL' }]);
		assert.ok(isAlive(other));
	} finally {
		process.kill(other, 'SIGKILL');
	}
});

test('a language server that cannot be started says why', async () => {
	const { execPath } = process;
	try {
		process.execPath = join(home.folder, 'no such program');
		await assert.rejects(
			startLanguageServer(programFile, {}, () => {}),
			{ code: 'ENOENT' },
		);
	} finally {
		process.execPath = execPath;
	}
});
