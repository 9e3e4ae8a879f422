/** What processes did behind their user's back, read off what `strace` saw of all their threads. */

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const sending = ['connect', 'sendto', 'sendmsg', 'sendmmsg'];
const networkCalls = ['socket', 'bind', ...sending];
const writingCalls = [
	...['open', 'openat', 'openat2', 'creat', 'truncate', 'mknod', 'mknodat', 'mkdir', 'mkdirat'],
	...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat'],
	...['unlink', 'unlinkat', 'rmdir', 'chmod', 'fchmodat', 'chown', 'lchown', 'fchownat'],
];
/** Work handed to the kernel by a ring would not be seen, so there is none: programs do without. */
const unseen = 'io_uring_setup';

/** Why nothing can be traced here, or `undefined`. */
export function whyNoTrace(): string | undefined {
	const { error, status, stderr } = spawnSync(
		'strace',
		['-f', '--seccomp-bpf', '-o', '/dev/null', 'true'],
		{ encoding: 'utf8' },
	);
	if (error) return `strace is not installed (${error.message})`;
	return status === 0 ? undefined : `strace cannot trace here: ${stderr.trim()}`;
}

/** A command line that runs another one without a network but its own loopback; as it is where that is forbidden. */
export function isolated(command: readonly string[]): string[] {
	const namespace = ['unshare', '--map-root-user', '--net', 'sh', '-c'];
	const up = 'ip link set lo up';
	const [file = '', ...args] = [...namespace, up];
	if (spawnSync(file, args).status !== 0) return [...command];
	return [...namespace, `${up} && exec "$@"`, 'sh', ...command];
}

/**
 * Starts a command under the tracer, in a process group of its own and isolated where possible.
 * @param prefix the trace of each thread goes to `<prefix>.<thread id>`
 * @param deaf what it sends fails before it leaves the process
 */
export function startTraced(
	command: readonly string[],
	prefix: string,
	options: SpawnOptions,
	deaf = false,
): ChildProcess {
	const calls = [...networkCalls, ...writingCalls, unseen].map((name) => `?${name}`).join();
	const [file = '', ...args] = isolated([
		...['strace', '-ff', '--seccomp-bpf', '-y', '-o', prefix, '-e', `trace=${calls}`],
		...['-e', `inject=${unseen}:error=ENOSYS`],
		...(deaf ? ['-e', `inject=${sending.join()}:error=ENETUNREACH`] : []),
		...command,
	]);
	return spawn(file, args, { ...options, detached: true });
}

export interface Seen {
	/** Calls that reach for more than this machine's loopback, attempts included. */
	readonly reached: string[];
	/** Calls that changed something outside the allowed paths. */
	readonly changed: string[];
	/** Processes that opened ONNX Runtime. */
	readonly runtimes: number;
	/** Connections over the loopback. */
	readonly loopback: number;
}

/** @param isOwn whether something may be created, written or removed at an absolute path */
export function readTrace(prefix: string, isOwn: (path: string) => boolean): Seen {
	const threads = readdirSync(dirname(prefix))
		.filter((name) => name.startsWith(`${basename(prefix)}.`))
		.map((name) => readFileSync(join(dirname(prefix), name), 'utf8').split('\n'))
		.map((lines) => readThread(lines, isOwn));
	return {
		reached: threads.flatMap(({ reached }) => reached),
		changed: threads.flatMap(({ changed }) => changed),
		runtimes: threads.reduce((sum, { runtimes }) => sum + runtimes, 0),
		loopback: threads.reduce((sum, { loopback }) => sum + loopback, 0),
	};
}

/** As {@link readTrace}, of the lines of one thread. */
export function readThread(lines: readonly string[], isOwn: (path: string) => boolean): Seen {
	const seen = { reached: [] as string[], changed: [] as string[], runtimes: 0, loopback: 0 };
	for (const line of lines) {
		const [, call = '', args = ''] = /^(\w+)\((.*)/.exec(line) ?? [];
		if (call === unseen && !failed(line)) seen.reached.push(line);
		else if (networkCalls.includes(call)) {
			if (reachesOut(call, args, isOwn)) seen.reached.push(line);
			else if (call === 'connect' && /AF_INET6?\b/.test(args)) seen.loopback++;
		} else if (writingCalls.includes(call) && !failed(line)) {
			if (call.startsWith('open') && /libonnxruntime\./.test(args)) seen.runtimes = 1;
			if (changes(call, args) && !changedPaths(line, args).every(isOwn)) seen.changed.push(line);
		}
	}
	return seen;
}

const failed = (line: string): boolean => / = -1 E[A-Z]+ /.test(line);

/** Names are asked for over datagrams, or of a service behind a socket of the system. */
function reachesOut(call: string, args: string, isOwn: (path: string) => boolean): boolean {
	if (call === 'socket') return !/^AF_(UNIX|NETLINK)\b|^AF_INET6?, SOCK_STREAM\b/.test(args);
	const inet = [...args.matchAll(/inet_(?:addr\("|pton\(AF_INET6, ")([^"]*)"/g)];
	if (inet.length > 0)
		return inet.some(([, address = '']) => !/^(127\.|::1$|::ffff:127\.)/.test(address));
	const path = /sa_family=AF_UNIX, sun_path="([^"]*)"/.exec(args)?.[1];
	if (path !== undefined) return !isOwn(path);
	return /sa_family=AF_(?!UNIX|NETLINK)/.test(args);
}

const changes = (call: string, args: string): boolean =>
	!/^open/.test(call) || /O_(WRONLY|RDWR|CREAT|TRUNC)\b/.test(args);

/** The paths a call names, made absolute by the folder descriptor before them. */
function changedPaths(line: string, args: string): string[] {
	const named = args.replace(/\) += .*$/, '');
	const paths = [...named.matchAll(/(?:<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)];
	return paths.map(([, folder = '', path = '']) =>
		folder === '' && !path.startsWith('/') ? line : resolve(folder, path),
	);
}
