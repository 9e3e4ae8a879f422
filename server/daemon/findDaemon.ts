/** Finds the daemon of this user, or starts one. Used by the CLI and by every window's language server. */

import { spawn } from 'node:child_process';
import {
	AppError,
	asAppError,
	type EndpointFile,
	type ErrorWire,
	fromErrorWire,
	productVersion,
} from '../protocol/index.ts';
import { makePrivateDir } from '../store/files.ts';
import { startFolder } from '../store/nativePath.ts';
import { notify } from '../store/notices.ts';
import { connectTo, type DaemonConnection } from './daemonConnection.ts';
import { defaultDaemonTimeouts, healthOf, notifyBacklog, waitingFor } from './daemonFetch.ts';
import { readEndpoint } from './endpointFile.ts';
import { selfCommand, thisMachine } from './machine.ts';
import type { NoticeReader } from './noticeBacklog.ts';
import { daemonFiles, dataDir } from './paths.ts';
import { onProcessEnd } from './processEnd.ts';
import { compareVersions } from './versions.ts';

export interface FindOptions {
	/** Environment: decides the data directory and is handed on to a daemon that is started. */
	readonly env?: NodeJS.ProcessEnv;
	/** More arguments for `nearglot serve` when one must be started. */
	readonly serveArgs?: readonly string[];
	readonly timeoutMs?: number;
	/** Who hears what the daemon had to tell; default: a terminal. */
	readonly reader?: NoticeReader;
	/** Told when a daemon has to be started, because that takes a moment. */
	readonly onStarting?: () => void;
}

/** The running daemon, without starting one. */
export async function findDaemon(
	env: NodeJS.ProcessEnv = process.env,
): Promise<DaemonConnection | undefined> {
	const machine = thisMachine(env);
	const endpoint = await readEndpoint(daemonFiles(machine, dataDir(machine)).endpoint);
	return endpoint && (await healthOf(endpoint)) ? connectTo(endpoint) : undefined;
}

/**
 * The running daemon; starts one when there is none, and replaces an idle one of an older version or of a program that
 * is not there any more.
 * Throws what kept the daemon from starting.
 */
export async function findOrStartDaemon(
	options: FindOptions = {},
	signal?: AbortSignal,
): Promise<DaemonConnection> {
	// One that was found may be replaced by a newer version before it is asked.
	const endpoint = await findOrStart(options, signal);
	const { reader } = options;
	await notifyBacklog(endpoint, reader);
	return connectTo(endpoint, () => findOrStart(options, signal), reader);
}

async function findOrStart(options: FindOptions, signal?: AbortSignal): Promise<EndpointFile> {
	const env = options.env ?? process.env;
	const machine = thisMachine(env);
	const directory = dataDir(machine);
	const files = daemonFiles(machine, directory);
	const found = await readEndpoint(files.endpoint);
	const starting = `Waiting for the model server of ${directory} to start.`;
	const word = setTimeout(
		() => notify(found ? waitingFor(found) : starting),
		defaultDaemonTimeouts.noticeAfterMs,
	);
	using _word = { [Symbol.dispose]: () => clearTimeout(word) };
	const health = found && (await healthOf(found, undefined, signal));
	if (signal?.aborted) throw new AppError('cancelled');
	if (found && health && !health.ending) {
		const older = health.replaced || compareVersions(health.version, productVersion()) < 0;
		if (!older || !health.idle || health.persistent) return found;
	}
	options.onStarting?.();
	await makePrivateDir(directory);
	const started = await startDetached(env, directory, options.serveArgs ?? [], signal);
	if ('endpoint' in started) return started.endpoint;
	if (started.error.code !== 'conflict') throw started.error;
	// Another process was faster, or the old daemon is busy: use what is there.
	const deadline = performance.now() + (options.timeoutMs ?? 60_000);
	while (performance.now() < deadline && !signal?.aborted) {
		const running = await readEndpoint(files.endpoint);
		const now = running && (await healthOf(running, undefined, signal));
		if (running && now && !now.ending) return running;
		await new Promise((resolve) => setTimeout(resolve, 150));
	}
	if (signal?.aborted) throw new AppError('cancelled');
	throw new AppError(
		'daemon_unavailable',
		`${started.error.message} It did not become ready; look into ${files.log}.`,
	);
}

type Started = { readonly endpoint: EndpointFile } | { readonly error: AppError };

/** Starts a daemon that outlives this process and waits for its first line, or until nobody wants it. */
function startDetached(
	env: NodeJS.ProcessEnv,
	directory: string,
	serveArgs: readonly string[],
	signal: AbortSignal | undefined,
): Promise<Started> {
	const command = selfCommand(['serve', '--background', '--json', ...serveArgs], env);
	const child = spawn(command.file, command.args, {
		env: command.env,
		cwd: startFolder(directory),
		detached: true,
		windowsHide: true,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	return new Promise((resolve) => {
		let text = '';
		let complaint = '';
		const finish = (started: Started) => {
			child.removeAllListeners();
			child.stdout.destroy();
			child.stderr.destroy();
			child.unref();
			signal?.removeEventListener('abort', onAbort);
			resolve(started);
		};
		// Others may wait for it: it goes on without us.
		const onAbort = () => finish({ error: new AppError('cancelled') });
		signal?.addEventListener('abort', onAbort, { once: true });
		const failed = (why: string) =>
			finish({
				error: new AppError('daemon_unavailable', `The model server could not start: ${why}`),
			});
		child.once('error', (error) => failed(asAppError(error).message));
		onProcessEnd(child, (code) =>
			failed(complaint.trim().slice(-1000) || `it ended with code ${code}.`),
		);
		child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
			complaint += chunk;
		});
		child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
			text += chunk;
			const end = text.indexOf('\n');
			if (end < 0) return;
			const line = JSON.parse(text.slice(0, end)) as EndpointFile & { error?: ErrorWire };
			finish(line.error ? { error: fromErrorWire(line.error) } : { endpoint: line });
		});
	});
}
