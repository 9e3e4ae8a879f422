/** Life of the daemon: lock, pipe, HTTP, endpoint file, idle end, and the way back. */

import { randomBytes } from 'node:crypto';
import { AppError, type EndpointFile, productVersion } from '../protocol/index.ts';
import type { Logger } from '../services/log.ts';
import { makePrivateDir } from '../store/files.ts';
import { removeDeadScratch } from '../store/scratch.ts';
import type { Backend } from './backend.ts';
import { askToEnd, healthOf } from './connection.ts';
import { closeDataFolder } from './dataFolder.ts';
import { readEndpoint, removeEndpoint, writeEndpoint } from './endpointFile.ts';
import { type Lock, processIsAlive, takeLock } from './lock.ts';
import { daemonFiles, dataDir, type Machine } from './paths.ts';
import { openPipe, pipeAnswers } from './pipe.ts';
import { socketPath } from './socketPath.ts';
import { removeTelemetryFiles } from './telemetryFiles.ts';
import { compareVersions } from './versions.ts';

export interface DaemonOptions {
	/** Started by a person: does not end by itself and replaces one that was not. */
	readonly onPurpose: boolean;
	/** Milliseconds without any activity after which a daemon nobody started on purpose ends. */
	readonly idleEndMs: number;
	/** Key to use instead of a random one. */
	readonly key?: string;
	readonly version?: string;
}

export interface Listener {
	/** `http://127.0.0.1:PORT` */
	readonly url: string;
	/** Stops listening and ends open connections. */
	close(): Promise<void>;
}

export interface DaemonDeps {
	readonly machine: Machine;
	readonly log: Logger;
	/** Makes everything that lives in the daemon; `stop` ends it. */
	readonly backend: (context: BackendContext) => Promise<Backend>;
	readonly listen: (backend: Backend, key: string) => Promise<Listener>;
}

export interface BackendContext {
	readonly dataDir: string;
	readonly pipePath: string;
	readonly version: string;
	stop(reason: string): void;
}

export interface RunningDaemon {
	readonly endpoint: EndpointFile;
	/** Resolves when the daemon has ended, with the reason. */
	readonly ended: Promise<string>;
	stop(reason: string): void;
}

/** Starts the daemon of a data directory. Rejects with `conflict` when one is running already. */
export async function startDaemon(
	options: DaemonOptions,
	deps: DaemonDeps,
): Promise<RunningDaemon> {
	const { machine, log } = deps;
	const directory = dataDir(machine);
	const files = daemonFiles(machine, directory);
	const version = options.version ?? productVersion();
	const key = options.key ?? randomBytes(24).toString('base64url');
	await makePrivateDir(directory);
	await closeDataFolder(machine, directory, log);
	const pipe = await socketPath(machine, directory);
	const lock = await ownLock(files, pipe, { ...options, version });
	const undo: (() => Promise<void>)[] = [() => lock.release()];
	const unwind = async () => {
		for (const step of undo.splice(0).reverse())
			await step().catch((error) => log.warn('while ending', { reason: String(error) }));
	};
	let stop = (_reason: string) => {};
	const ended = new Promise<string>((resolve) => {
		stop = resolve;
	});
	try {
		const backend = await deps.backend({
			dataDir: directory,
			pipePath: pipe,
			version,
			stop: (reason) => stop(reason),
		});
		let closing: Promise<void> | undefined;
		const closeBackend = () => {
			closing ??= backend.close();
			return closing;
		};
		undo.push(closeBackend);
		const pipeServer = await openPipe({
			path: pipe,
			key,
			version,
			onJoin: () => backend.activity.begin(),
			onLeave: () => backend.activity.end(),
		});
		undo.push(() => pipeServer.close());
		backend.events.on((event) => pipeServer.tell(event));
		const listener = await deps.listen(backend, key);
		// Together, so that requests under way still hear why they end.
		undo.push(async () => void (await Promise.all([closeBackend(), listener.close()])));
		const startedAt = new Date().toISOString();
		const endpoint = { pid: process.pid, url: listener.url, key, version, startedAt, pipe };
		if (!(await lock.held()))
			throw new AppError('conflict', 'Another Nearglot daemon has started meanwhile.');
		await writeEndpoint(files.endpoint, endpoint);
		undo.push(() => removeEndpoint(files.endpoint, process.pid));
		if (!options.onPurpose) undo.push(endWhenIdle(backend, options.idleEndMs));
		log.info('daemon ready', { url: listener.url, pid: process.pid, version });
		void removeTelemetryFiles(machine).then((removed) => {
			if (removed.length > 0)
				log.info('files of telemetry of earlier versions removed', { count: removed.length });
		});
		const { tmp, uid } = machine;
		void removeDeadScratch({ tmp, uid, isAlive: processIsAlive, now: Date.now }).then((removed) => {
			if (removed.length > 0)
				log.info('recordings of ended processes removed', { count: removed.length });
		});
		return {
			endpoint,
			stop: (reason) => stop(reason),
			ended: ended.then(async (reason) => {
				log.info('daemon ends', { reason });
				await unwind();
				return reason;
			}),
		};
	} catch (error) {
		await unwind();
		throw error;
	}
}

/** Longer than a daemon may take to start or to end, and than a lock counts as fresh. */
const lockWaitMs = 30_000;

/** The lock, if need be from an idle daemon that is older or that nobody started on purpose. */
async function ownLock(
	files: ReturnType<typeof daemonFiles>,
	pipe: string,
	options: DaemonOptions & { readonly version: string },
): Promise<Lock> {
	const deps = { isAlive: processIsAlive, answers: () => pipeAnswers(pipe), now: Date.now };
	let asked = false;
	const deadline = performance.now() + lockWaitMs;
	for (;;) {
		const result = await takeLock(files.lock, process.pid, deps);
		if (result.lock) return result.lock;
		const running = await readEndpoint(files.endpoint);
		const health = running && (await healthOf(running));
		if (!asked && running && health) {
			const older = compareVersions(health.version, options.version) < 0;
			// What a person started stays until that person ends it.
			const yields = !health.onPurpose && (older || options.onPurpose);
			asked = yields && (await askToEnd(running, true));
			if (!asked) throw conflict(running);
		} else if (performance.now() > deadline) throw conflict(running, result.owner?.pid);
		// Otherwise its owner is starting, or on its way out: wait and see which.
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

function conflict(running: EndpointFile | undefined, pid = running?.pid): AppError {
	const where = running ? ` at ${running.url}` : '';
	const who = pid === undefined ? '' : ` (process ${pid})`;
	return new AppError(
		'conflict',
		`A Nearglot daemon is already running${where}${who}. Use that one, end it, or set NEARGLOT_HOME to another folder.`,
		running ? { data: { url: running.url, pid: running.pid } } : {},
	);
}

function endWhenIdle(backend: Backend, idleEndMs: number): () => Promise<void> {
	const timer = setInterval(
		() => {
			if (backend.activity.idleMs() >= idleEndMs) backend.stop('nothing to do');
		},
		Math.max(50, Math.min(30_000, idleEndMs / 4)),
	);
	return async () => clearInterval(timer);
}
