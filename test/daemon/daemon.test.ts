import assert from 'node:assert/strict';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { findDaemon, findOrStartDaemon } from '../../server/daemon/client.ts';
import { type DaemonDeps, type RunningDaemon, startDaemon } from '../../server/daemon/daemon.ts';
import { createLogger } from '../../server/daemon/log.ts';
import { thisMachine } from '../../server/daemon/machine.ts';
import { joinPipe } from '../../server/daemon/pipeClient.ts';
import type { PipeEvent } from '../../server/daemon/pipeEvents.ts';
import { listen } from '../../server/http/listen.ts';
import { AppError, type EndpointFile } from '../../server/protocol/index.ts';
import { sseData, startTestServer, type TestServer, until } from '../http/testServer.ts';
import { firstLine, gone, type Home, newHome } from './home.ts';

let home: Home;
const extra: TestServer[] = [];
beforeEach(async () => {
	home = await newHome();
});
afterEach(async () => {
	await Promise.all(extra.splice(0).map((server) => server.close()));
	await home.close();
});

test('three callers at once start one daemon, whose files only the owner can read', async () => {
	const found = await Promise.all([1, 2, 3].map(() => findOrStartDaemon({ env: home.env })));
	assert.equal(new Set(found.map(({ endpoint }) => endpoint.pid)).size, 1);
	if (process.platform !== 'win32')
		assert.equal((await stat(join(home.folder, 'endpoint.json'))).mode & 0o777, 0o600);
	const again = await findOrStartDaemon({ env: home.env });
	assert.equal(again.endpoint.pid, found[0]?.endpoint.pid);
});

test('a daemon that was killed is replaced, and its runners end with it', async () => {
	const first = await findOrStartDaemon({ env: home.env });
	const body = { model: 'starter-chat', messages: [{ role: 'user', content: 'list files' }] };
	await first.post('/v1/chat/completions', body);
	const { runners } = (await first.get('/nearglot/runners')) as { runners: { pid: number }[] };
	assert.equal(runners.length, 1);
	process.kill(first.endpoint.pid, 'SIGKILL');
	await gone(first.endpoint.pid);
	await gone(runners[0]?.pid ?? 0);
	assert.equal(await findDaemon(home.env), undefined);
	const second = await findOrStartDaemon({ env: home.env });
	assert.notEqual(second.endpoint.pid, first.endpoint.pid);
});

test('a lock that a dead process left behind is taken over', async () => {
	await writeFile(join(home.folder, 'daemon.lock'), '{"pid":999999999,"token":"old"}');
	await writeFile(join(home.folder, 'daemon.sock'), '');
	const daemon = await findOrStartDaemon({ env: home.env });
	assert.match(
		await readFile(join(home.folder, 'daemon.lock'), 'utf8'),
		new RegExp(`${daemon.endpoint.pid}`),
	);
});

test('a daemon nobody started on purpose ends when there is nothing to do', async () => {
	const child = home.start(['serve', '--background', '--json', '--idle-end', '0.3']);
	const endpoint = (await firstLine(child)) as unknown as EndpointFile;
	const pipe = await joinPipe(endpoint.pipe ?? '', endpoint.key, () => {});
	await new Promise((resolve) => setTimeout(resolve, 1200));
	assert.ok(await findDaemon(home.env), 'a connected window keeps it');
	pipe.close();
	await gone(endpoint.pid);
	await assert.rejects(stat(join(home.folder, 'endpoint.json')));
	await assert.rejects(stat(join(home.folder, 'daemon.lock')));
});

test('the pipe tells of model states to those who know the key, and hangs up on others', async () => {
	const { endpoint, post } = await findOrStartDaemon({ env: home.env });
	const events: PipeEvent[] = [];
	await assert.rejects(
		joinPipe(endpoint.pipe ?? '', 'wrong', (event) => events.push(event)),
		{ code: 'invalid_api_key' },
	);
	const friend = await joinPipe(endpoint.pipe ?? '', endpoint.key, (event) => events.push(event));
	const body = {
		model: 'starter-chat',
		messages: [{ role: 'user', content: 'hi' }],
		max_tokens: 1,
	};
	await post('/v1/chat/completions', body);
	const states = () => events.flatMap((event) => (event.type === 'model' ? [event.state] : []));
	await until('the model is loaded', () => states().length === 2);
	friend.close();
	assert.deepEqual(states(), ['loading', 'loaded']);
	const logs = events.flatMap((event) => (event.type === 'log' ? [event.message] : []));
	assert.ok(logs.includes('model loaded'), logs.join(', '));
});

test('serve says plainly that a port is in use, and that another daemon runs', async () => {
	const blocker = createServer();
	await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
	const address = blocker.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	const used = await home.run(['serve', '--port', String(port)]);
	blocker.close();
	assert.equal(used.code, 1);
	assert.match(used.stderr, new RegExp(`Port ${port} on 127.0.0.1 is already in use`));
	const first = home.start(['serve', '--json']);
	const { url } = await firstLine(first);
	const second = await home.run(['serve']);
	assert.equal(second.code, 1);
	assert.match(second.stderr, /already running/);
	assert.ok(second.stderr.includes(String(url)));
	first.kill('SIGTERM');
	await gone(first.pid ?? 0);
});

test('a data folder that cannot be written to is a clear message', async () => {
	const file = join(home.folder, 'a-file');
	await writeFile(file, '');
	const inFile = await newHome({ NEARGLOT_HOME: join(file, 'deeper') });
	const { code, stderr } = await inFile.run(['chat', 'hello']);
	assert.equal(code, 1);
	assert.match(stderr, /cannot write to .*a part of the path is a file.*NEARGLOT_HOME/);
	await inFile.close();
	if (process.getuid?.() === 0 || process.platform === 'win32') return;
	await chmod(home.folder, 0o500);
	const readOnly = await home.run(['chat', 'hello']);
	await chmod(home.folder, 0o700);
	assert.match(readOnly.stderr, /this user may not write there/);
});

test('another address than loopback needs a key', async () => {
	const { code, stderr } = await home.run(['serve', '--host', '0.0.0.0']);
	assert.equal(code, 2);
	assert.match(stderr, /NEARGLOT_KEY/);
});

async function daemonOf(version: string, onPurpose: boolean): Promise<RunningDaemon> {
	const deps: DaemonDeps = {
		machine: thisMachine(home.env),
		log: createLogger({ level: 'silent' }),
		backend: async (context) => {
			const server = await startTestServer({
				fakeRunner: true,
				settings: { ...context, onPurpose, version: context.version },
			});
			extra.push(server);
			return server.backend;
		},
		listen: (backend, key) =>
			listen(backend, {
				port: 0,
				host: '127.0.0.1',
				key,
				requireKey: false,
				allowedOrigins: [],
				allowedHosts: [],
			}),
	};
	return startDaemon({ onPurpose, idleEndMs: 600_000, version }, deps);
}

const isConflict = (error: unknown) => error instanceof AppError && error.code === 'conflict';

test('a newer version takes over from an idle older one, and not from a busy one', async () => {
	const old = await daemonOf('1.0.0', false);
	await assert.rejects(daemonOf('1.0.0', false), isConflict, 'an equal version has no claim');
	const pipe = await joinPipe(old.endpoint.pipe ?? '', old.endpoint.key, () => {});
	await until('the pipe is joined', async () => {
		const answer = await fetch(`${old.endpoint.url}/health`, {
			headers: { authorization: `Bearer ${old.endpoint.key}` },
		});
		return ((await answer.json()) as { idle: boolean }).idle === false;
	});
	await assert.rejects(daemonOf('2.0.0', false), isConflict);
	pipe.close();
	await pipe.closed;
	await new Promise((resolve) => setTimeout(resolve, 100));
	const next = await daemonOf('2.0.0', false);
	assert.match(await old.ended, /asked/);
	assert.equal(
		JSON.parse(await readFile(join(home.folder, 'endpoint.json'), 'utf8')).version,
		'2.0.0',
	);
	next.stop('test');
	await next.ended;
});

test('requests that are under way when the daemon ends hear why', async () => {
	const daemon = await daemonOf('1.0.0', true);
	const response = await fetch(`${daemon.endpoint.url}/v1/chat/completions`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({
			model: 'starter-chat',
			stream: true,
			messages: [{ role: 'user', content: 'slow' }],
		}),
	});
	daemon.stop('test');
	const data = await sseData(response);
	const { error } = data.at(-1) as { error: { code: string } };
	assert.equal(error.code, 'runner_crashed');
	await daemon.ended;
});

test('a daemon that starts while another one ends waits for it', async () => {
	const first = await daemonOf('1.0.0', true);
	first.stop('test');
	const second = await daemonOf('1.0.0', true);
	assert.match(await first.ended, /test/);
	second.stop('test');
	await second.ended;
});

test('a daemon started on purpose takes over from an idle one of the background', async () => {
	const background = await daemonOf('1.0.0', false);
	const chosen = await daemonOf('1.0.0', true);
	await background.ended;
	await assert.rejects(
		daemonOf('9.0.0', true).then((daemon) => daemon.stop('unexpected')),
		isConflict,
	);
	chosen.stop('test');
	await chosen.ended;
});
