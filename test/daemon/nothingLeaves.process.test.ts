/** In default use no process opens a socket off the loopback or touches a file outside the product's folders. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { builtInModelsDir, thisMachine } from '../../server/daemon/machine.ts';
import { dataDir } from '../../server/daemon/paths.ts';
import { RunnerProcess } from '../../server/daemon/runnerProcess.ts';
import { AppError } from '../../server/protocol/index.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { readThread, readTrace, startTraced, whyNoTrace } from '../support/syscallTrace.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const builtIn = builtInModelsDir() ?? '';
const folder = temporaryFolder('quiet');

/** A home and a temp folder that nothing else uses, and no variable that silences the library by itself. */
function place(name: string): { home: string; tmp: string; env: NodeJS.ProcessEnv } {
	const home = join(folder, name, 'home');
	const tmp = join(folder, name, 'tmp');
	for (const path of [home, tmp]) mkdirSync(path, { recursive: true });
	return { home, tmp, env: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: tmp } };
}

const { home, tmp, env } = place('product');
const data = dataDir({ ...thisMachine(env), home });

const within = (path: string, parent: string): boolean =>
	path === parent || path.startsWith(parent + sep);
/** The data folder and the way to it, the product's own names in the temp folder, and no file at all: no model's folder. */
const isOwn = (path: string): boolean =>
	within(path, data) ||
	within(data, path) ||
	path.startsWith(join(tmp, 'nearglot-')) ||
	path === '/dev/null' ||
	path === '/dev/tty';

interface Ran {
	readonly ran: string;
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

function end(child: ChildProcess): void {
	try {
		// The tracer and all it traces.
		process.kill(-(child.pid ?? 0), 'SIGKILL');
	} catch {
		// They have ended.
	}
}

/** Runs everything; `whileIdle` is called when the first model answers and the rest goes on. */
async function useEverything(
	scenario: ChildProcess,
	whileIdle: () => Promise<void>,
): Promise<Ran[]> {
	const ran: Ran[] = [];
	let errors = '';
	scenario.stderr?.setEncoding('utf8').on('data', (text: string) => {
		errors += text;
	});
	const closed = once(scenario, 'close');
	let idle: Promise<void> | undefined;
	for await (const line of createInterface({ input: scenario.stdout ?? process.stdin })) {
		ran.push(JSON.parse(line) as Ran);
		idle ??= whileIdle().finally(() => scenario.stdin?.end());
	}
	await idle;
	const [code] = (await closed) as [number | null];
	assert.equal(code, 0, errors);
	return ran;
}

test('chat, translation, transcription, loads and unloads stay on this machine and in their folders', {
	skip: process.platform === 'win32' ? 'the system has no tracer that a test can use' : false,
}, async (context) => {
	const command = [
		process.execPath,
		'--disable-warning=ExperimentalWarning',
		here('everyCapability.ts'),
	];
	const options = { env, cwd: home, stdio: 'pipe' as const };
	const reason = process.platform === 'linux' ? whyNoTrace() : 'there is no strace here';
	const trace = join(folder, 'trace');
	const scenario =
		reason === undefined
			? startTraced(command, trace, options)
			: spawn(command[0] ?? '', command.slice(1), options);
	let control: ChildProcess | undefined;
	try {
		const ran = await useEverything(scenario, async () => {
			if (reason !== undefined) return;
			// The same library with its telemetry on, opened later than the first model was: when this
			// one has tried to send, that one would have.
			const talking = place('control');
			const talk = join(folder, 'control-trace');
			const graph = join(builtIn, 'starter-chat', 'onnx', 'model_quantized.onnx');
			const library = [process.execPath, here('talkingLibrary.cjs'), graph];
			control = startTraced(
				library,
				talk,
				{ env: talking.env, stdio: ['pipe', 'ignore', 'ignore'] },
				true,
			);
			await until(
				'the library with its telemetry on tries to send, which shows that the trap works',
				() => readTrace(talk, () => false).reached.some((call) => call.startsWith('connect')),
				120_000,
			);
			const { changed } = readTrace(talk, (path) => path.startsWith('/dev/'));
			assert.ok(
				changed.some((call) => call.includes('onnxruntime.db')),
				'its files were not seen',
			);
		});
		assert.deepEqual(
			ran.filter(({ code, stdout }) => code !== 0 || stdout.trim() === ''),
			[],
		);
		assert.equal(ran.length, 8);
		const files = [home, tmp].flatMap((path) =>
			readdirSync(path, { recursive: true, withFileTypes: true })
				.filter((entry) => !entry.isDirectory())
				.map((entry) => join(entry.parentPath, entry.name)),
		);
		assert.ok(
			files.some((path) => within(path, data)),
			'the data folder was not used',
		);
		const left = files.filter((path) => !isOwn(path));
		if (reason !== undefined) {
			assert.deepEqual(left, []);
			context.skip(`the files are as they should be; sockets were not looked at: ${reason}`);
			return;
		}
		const { reached, changed, runtimes, loopback } = readTrace(trace, isOwn);
		assert.deepEqual({ left, reached, changed }, { left: [], reached: [], changed: [] });
		assert.ok(runtimes >= 4, `${runtimes} of four runners were seen to open the library`);
		assert.ok(loopback > 0, 'no connection to the daemon was seen');
	} finally {
		end(scenario);
		if (control) end(control);
	}
});

test('a runner is started with the telemetry off, whatever the environment says', async () => {
	const code = `process.on('message', ({ id }) =>
		process.send([{ type: 'result', id, value: process.env.ORT_DISABLE_TELEMETRY }]))`;
	const runner = new RunnerProcess({
		model: 'test',
		command: {
			file: process.execPath,
			args: ['--eval', code],
			env: { ...process.env, ORT_DISABLE_TELEMETRY: '0' },
		},
		log: silentLogger,
	});
	try {
		assert.equal(await runner.call('ping', undefined), '1');
	} finally {
		runner.kill(new AppError('cancelled'));
		await runner.ended;
	}
});

test('the trap tells what leaves and what is written elsewhere from what is not', () => {
	const inside = (path: string): boolean => path.startsWith('/data/');
	const seen = (line: string) => readThread([line], inside);
	const inet = (address: string, port = 53): string =>
		`{sa_family=AF_INET, sin_port=htons(${port}), sin_addr=inet_addr("${address}")}, 16`;
	const inet6 = (address: string): string =>
		`{sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "${address}", &sin6_addr), sin6_scope_id=0}, 28`;
	for (const line of [
		`connect(27<socket:[1]>, ${inet('20.42.65.90', 443)}) = -1 ENETUNREACH (Network is unreachable)`,
		`connect(27<socket:[1]>, ${inet6('2603:1030::1')}) = -1 EINPROGRESS (Operation now in progress)`,
		`sendto(27<UDP:[1]>, "\\335", 47, MSG_NOSIGNAL, ${inet('10.0.0.1')}) = 47`,
		`bind(21<TCP:[1]>, ${inet('0.0.0.0', 8080)}) = 0`,
		'socket(AF_INET, SOCK_DGRAM|SOCK_CLOEXEC|SOCK_NONBLOCK, IPPROTO_IP) = 28<UDP:[2]>',
		'socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)) = 3',
		'connect(5<UNIX-STREAM:[1]>, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT (No such file)',
	])
		assert.deepEqual(seen(line).reached, [line]);
	for (const line of [
		`connect(27<TCP:[1]>, ${inet('127.0.0.1', 8080)}) = -1 EINPROGRESS (Operation now in progress)`,
		`connect(27<TCPv6:[1]>, ${inet6('::1')}) = 0`,
		'socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC|SOCK_NONBLOCK, IPPROTO_IP) = 23<TCP:[3]>',
		'socket(AF_NETLINK, SOCK_RAW|SOCK_CLOEXEC, NETLINK_ROUTE) = 27<NETLINK:[4]>',
		'bind(27<NETLINK:[4]>, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 0',
		'connect(5<UNIX-STREAM:[1]>, {sa_family=AF_UNIX, sun_path="/data/daemon.sock"}, 110) = 0',
		'io_uring_setup(256, {}) = -1 ENOSYS (Function not implemented) (INJECTED)',
	])
		assert.deepEqual(seen(line).reached, []);
	for (const line of [
		'openat(AT_FDCWD</data>, "/home/.cache/x", O_WRONLY|O_CREAT, 0666) = 22</home/.cache/x>',
		'openat(26</home/.cache>, "deviceid", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3</home/.cache/deviceid>',
		'openat(AT_FDCWD</data>, "../secret", O_RDWR) = 3</secret>',
		'mkdir("/home/.cache", 0700) = 0',
		'rename("/data/a", "/home/a") = 0',
		'unlink("relative") = 0',
		'symlinkat("/data/a", AT_FDCWD</home>, "b") = 0',
	])
		assert.deepEqual(seen(line).changed, [line]);
	for (const line of [
		'openat(AT_FDCWD</data>, "/home/.npmrc", O_RDONLY|O_CLOEXEC) = 3</home/.npmrc>',
		'openat(AT_FDCWD</data>, "log", O_WRONLY|O_CREAT|O_APPEND, 0600) = 3</data/log>',
		'mkdir("/home/.cache", 0777) = -1 EEXIST (File exists)',
		'renameat2(AT_FDCWD</data>, "a", AT_FDCWD</data>, "b", 0) = 0',
	])
		assert.deepEqual(seen(line).changed, []);
	const library =
		'openat(AT_FDCWD</>, "/a/libonnxruntime.so.1", O_RDONLY|O_CLOEXEC) = 21</a/libonnxruntime.so.1>';
	assert.equal(readThread([library, library], inside).runtimes, 1);
});
