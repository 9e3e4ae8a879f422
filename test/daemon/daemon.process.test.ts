import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type DaemonDeps, type RunningDaemon, startDaemon } from '../../server/daemon/daemon.ts';
import { connectTo } from '../../server/daemon/daemonConnection.ts';
import { createLogger } from '../../server/daemon/fileLogger.ts';
import { findDaemon, findOrStartDaemon } from '../../server/daemon/findDaemon.ts';
import { thisMachine } from '../../server/daemon/machine.ts';
import type { PipeEvent } from '../../server/daemon/pipeEvents.ts';
import { listen } from '../../server/http/listen.ts';
import { AppError, type EndpointFile, errorKinds } from '../../server/protocol/index.ts';
import { chatCompletions, listModels } from '../../server/protocol/routeAddresses.ts';
import { runners as runnersRoute } from '../../server/protocol/routes/status.ts';
import { makeHiddenFolder } from '../../server/store/scratch.ts';
import { firstLine, gone, type Home, newHome } from '../support/home.ts';
import { needsFreezing, needsSignals } from '../support/systemNeeds.ts';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { joinPipe } from './pipeClient.ts';

/** All that comes back until the daemon hangs up on a request. */
async function saidOnPipe(path: string, request: object): Promise<string> {
	const socket = connect(path);
	const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...request });
	socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
	let heard = '';
	for await (const chunk of socket) heard += String(chunk);
	return heard;
}

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
	await first.call(chatCompletions, { body });
	const { runners } = await first.call(runnersRoute, {});
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
	const child = home.start(['serve', '--background', '--json', '--idle-end', '2']);
	const endpoint = (await firstLine(child)) as unknown as EndpointFile;
	const pipe = await joinPipe(endpoint.pipe ?? '', endpoint.secret, () => {});
	// What is not idle never ends, however long it takes: activity.test.ts.
	await until('the window counts', async () => {
		const headers = { authorization: `Bearer ${endpoint.key}` };
		const health = await fetch(`${endpoint.url}/health`, { headers });
		return !((await health.json()) as { idle: boolean }).idle;
	});
	pipe.close();
	await gone(endpoint.pid);
	await assert.rejects(stat(join(home.folder, 'endpoint.json')));
	await assert.rejects(stat(join(home.folder, 'daemon.lock')));
});

test('the pipe tells of model states to those who know the secret, and hangs up on others', async () => {
	const daemon = await findOrStartDaemon({ env: home.env });
	const { endpoint } = daemon;
	const events: PipeEvent[] = [];
	await assert.rejects(
		joinPipe(endpoint.pipe ?? '', 'wrong', (event) => events.push(event)),
		{ code: 'daemon_unavailable', message: /another program/i },
	);
	for (const params of [{ key: endpoint.key }, { proof: 'wrong' }, {}, undefined]) {
		const heard = await saidOnPipe(endpoint.pipe ?? '', { method: 'authenticate', params });
		const { error } = JSON.parse(heard.slice(heard.indexOf('{')));
		assert.equal(error.code, errorKinds.invalid_api_key.rpcCode, heard);
		assert.match(error.message, /secret/);
	}
	const friend = await joinPipe(endpoint.pipe ?? '', endpoint.secret, (event) =>
		events.push(event),
	);
	const body = {
		model: 'starter-chat',
		messages: [{ role: 'user', content: 'hi' }],
		max_tokens: 1,
	};
	await daemon.call(chatCompletions, { body });
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
	assert.match(stderr, /cannot be written: there is a file where a folder belongs.*NEARGLOT_HOME/);
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

async function daemonOf(version: string, persistent: boolean): Promise<RunningDaemon> {
	const deps: DaemonDeps = {
		machine: thisMachine(home.env),
		log: createLogger({ level: 'silent' }),
		backend: async (context) => {
			const server = await startTestServer({
				fakeRunner: true,
				settings: { ...context, persistent, version: context.version },
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
	return startDaemon({ persistent, idleEndMs: 600_000, version }, deps);
}

const isConflict = (error: unknown) => error instanceof AppError && error.code === 'conflict';

test('a newer version takes over from an idle older one, and not from a busy one', async () => {
	const old = await daemonOf('1.0.0', false);
	await assert.rejects(daemonOf('1.0.0', false), isConflict, 'an equal version has no claim');
	const pipe = await joinPipe(old.endpoint.pipe ?? '', old.endpoint.secret, () => {});
	const idle = async () => {
		const answer = await fetch(`${old.endpoint.url}/health`, {
			headers: { authorization: `Bearer ${old.endpoint.key}` },
		});
		return ((await answer.json()) as { idle: boolean }).idle;
	};
	await until('the pipe is joined', async () => !(await idle()));
	await assert.rejects(daemonOf('2.0.0', false), isConflict);
	pipe.close();
	await pipe.closed;
	await until('nobody uses it', idle);
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
	assert.equal(error.code, 'daemon_unavailable');
	await daemon.ended;
});

test('what is written late is on the disk when the daemon has ended', async () => {
	const daemon = await daemonOf('1.0.0', true);
	const { meter } = extra.at(-1)!.backend;
	for (let request = 0; request < 5; request++)
		assert.equal(meter.take('q', 29, { quota: 200 }).kind, 'ok');
	daemon.stop('test');
	await daemon.ended;
	const kept = JSON.parse(await readFile(join(home.folder, 'translator-usage.json'), 'utf8'));
	assert.deepEqual(kept.used, { q: 145 });
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

test('a start removes what killed processes left: uploads, imports, half removed models, copies of moves', async () => {
	const own = await newHome();
	try {
		const dead = spawnSync(process.execPath, ['-e', '']).pid;
		const space = await makeHiddenFolder('import', own.folder);
		const owner = space.replace(/^.*import-\d+/, `${dead}`);
		await rm(space, { recursive: true });
		const copy = join(own.folder, 'elsewhere.moving');
		const left = [
			join(own.folder, 'tmp', `nearglot-upload-${owner}`),
			join(own.folder, 'tmp', `nearglot-moving-${owner}`),
			join(own.folder, 'models', `.import-${owner}`),
			join(own.folder, 'models', `.removed-${owner}`),
			copy,
		];
		for (const path of left) await mkdir(path, { recursive: true });
		await writeFile(join(own.folder, 'tmp', `nearglot-moving-${owner}`, 'place'), copy);
		const mine = await makeHiddenFolder('import', join(own.folder, 'models'));
		await own.run(['models', 'list']);
		await until(`${left} are gone`, () => !left.some((path) => existsSync(path)));
		assert.ok(existsSync(mine), 'that of a living process stays');
	} finally {
		await own.close();
	}
});

test('a request to a daemon that has been replaced since it was found goes to the next one', async () => {
	const [old, next] = [await daemonOf('1.0.0', false), await newHome()];
	let asked = 0;
	const connection = connectTo(old.endpoint, async () => {
		asked++;
		return (await findOrStartDaemon({ env: next.env })).endpoint;
	});
	await connection.call(listModels, {});
	old.stop('replaced');
	await old.ended;
	await connection.call(listModels, {});
	await connection.call(listModels, {});
	assert.equal(asked, 1);
	assert.notEqual(connection.endpoint.url, old.endpoint.url);
	await next.close();
});

test('who waits for a frozen daemon hears for which process, and goes on when it does', {
	skip: needsFreezing,
}, async () => {
	const { endpoint } = await findOrStartDaemon({ env: home.env });
	process.kill(endpoint.pid, 'SIGSTOP');
	const asking = home.start(['models', 'list']);
	const words = new Promise<string>((resolve) => {
		let text = '';
		asking.stderr?.on('data', (chunk) => {
			text += String(chunk);
			if (text.includes('\n')) resolve(text);
		});
	});
	assert.match(await words, new RegExp(`process ${endpoint.pid}, which is busy, or hangs`));
	const ended = once(asking, 'exit');
	process.kill(endpoint.pid, 'SIGCONT');
	assert.deepEqual(await ended, [0, null]);
});

test('who waits for a frozen model hears for which', {
	skip: needsFreezing,
}, async () => {
	const first = await home.run(['chat', 'starter-chat', 'list files']);
	assert.equal(first.code, 0, first.stderr);
	const { runners } = await (await findDaemon(home.env))!.call(runnersRoute, {});
	const pid = runners[0]!.pid;
	process.kill(pid, 'SIGSTOP');
	const asking = home.start(['chat', 'starter-chat', 'list files']);
	const words = new Promise<string>((resolve) => {
		asking.stderr?.setEncoding('utf8').on('data', resolve);
	});
	const ended = once(asking, 'exit');
	assert.match(
		await words,
		new RegExp(`Waiting for the model starter-chat.*process ${pid} does not answer`),
	);
	process.kill(pid, 'SIGCONT');
	assert.deepEqual(await ended, [0, null]);
});

test('a signal lets answers under way finish, a second one does not', {
	skip: needsSignals,
}, async () => {
	const body = {
		model: 'starter-chat',
		stream: true,
		messages: [{ role: 'user', content: 'list files' }],
	};
	const first = home.start(['serve', '--json']);
	const { url } = (await firstLine(first)) as { url: string };
	const stream = await fetch(`${url}/v1/chat/completions`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	const ended = once(first, 'exit');
	first.kill('SIGTERM');
	assert.equal((await sseData(stream)).at(-1), '[DONE]');
	assert.deepEqual(await ended, [0, null]);

	const second = home.start(['serve', '--json', '--drain', '3600']);
	const again = (await firstLine(second)) as { url: string };
	// A body that is never complete keeps the request open.
	const open = connect(Number(new URL(again.url).port), '127.0.0.1');
	open.on('error', () => {});
	open.write(
		'POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n',
	);
	await fetch(`${again.url}/health`);
	const gone = once(second, 'exit');
	second.kill('SIGTERM');
	const timer = setInterval(() => second.kill('SIGTERM'), 200);
	assert.deepEqual(await gone, [130, null]);
	clearInterval(timer);
	open.destroy();
});
