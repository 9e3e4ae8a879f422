/** Life of the daemon: lock, pipe, HTTP, endpoint file, idle end, and the way back. */

import { randomBytes } from 'node:crypto';
import { AppError, type EndpointFile, productVersion, sentenceOf } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import { makePrivateDir, removeOldDrafts } from '../store/files.ts';
import { type FileLock, type LockOwner, lockFile } from '../store/lock.ts';
import { isAlive } from '../store/processIdentity.ts';
import { removeDeadScratch, scratchIn } from '../store/scratch.ts';
import type { Backend } from './backend.ts';
import { requestShutdown } from './daemonConnection.ts';
import { endProcess, healthOf } from './daemonFetch.ts';
import { newProofSecret } from './daemonProof.ts';
import { closeDataFolder } from './dataFolder.ts';
import { keepEndpoint, readEndpoint } from './endpointFile.ts';
import { daemonFiles, dataDir, type Machine } from './paths.ts';
import { openPipe } from './pipe.ts';
import { socketPath } from './socketPath.ts';
import { removeTelemetryFiles } from './telemetryFiles.ts';
import { compareVersions } from './versions.ts';

export interface DaemonOptions {
	/** Started by a person: does not end by itself and replaces one that was not. */
	readonly persistent: boolean;
	/** Milliseconds without any activity after which a daemon nobody started on purpose ends. */
	readonly idleEndMs: number;
	/** Key to use instead of a random one. */
	readonly key?: string;
	readonly version?: string;
}

export interface Listener {
	/** `http://127.0.0.1:PORT` */
	readonly url: string;
	/**
	 * Stops listening: what runs gets the time, then hears why it ends. Without a time it ends at once.
	 * May be called again.
	 */
	close(drainMs?: number): Promise<void>;
}

export interface DaemonDeps {
	readonly machine: Machine;
	readonly log: Logger;
	/** Whether the program is still what it was; absent: not looked at. */
	readonly isCurrent?: () => boolean;
	/** Makes everything that lives in the daemon; `stop` ends it. */
	readonly backend: (context: BackendContext) => Promise<Backend>;
	readonly listen: (backend: Backend, key: string) => Promise<Listener>;
}

export interface BackendContext {
	readonly dataDir: string;
	readonly pipePath: string;
	/** The `secret` of `endpoint.json`. */
	readonly proofSecret: string;
	readonly version: string;
	/** @param drainMs for answers under way; default none */
	stop(reason: string, drainMs?: number): void;
}

export interface RunningDaemon {
	readonly endpoint: EndpointFile;
	/** Resolves when the daemon has ended, with the reason. */
	readonly ended: Promise<string>;
	/** Ends it; answers under way get the given time first. */
	stop(reason: string, drainMs?: number): void;
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
	const secret = newProofSecret();
	await makePrivateDir(directory);
	await closeDataFolder(machine, directory, log);
	const pipe = await socketPath(machine, directory);
	let stop = (_reason: string, _drainMs?: number) => {};
	const ended = new Promise<{ reason: string; drainMs: number }>((resolve) => {
		stop = (reason, drainMs = 0) => resolve({ reason, drainMs });
	});
	const lock = await ownLock(files, { ...options, version }, () => {
		log.error('another daemon has taken over the data folder');
		stop('another daemon has taken over');
	});
	const undo: (() => PromiseLike<void>)[] = [() => lock[Symbol.asyncDispose]()];
	const unwind = async () => {
		for (const step of undo.splice(0).reverse())
			await Promise.resolve(step()).catch((error) =>
				log.warn('while ending', { reason: sentenceOf(error) }),
			);
	};
	try {
		const backend = await deps.backend({
			dataDir: directory,
			pipePath: pipe,
			proofSecret: secret,
			version,
			stop: (reason, drainMs) => stop(reason, drainMs),
		});
		undo.push(() => backend.save());
		let closing: Promise<void> | undefined;
		const closeBackend = () => {
			closing ??= backend.close();
			return closing;
		};
		undo.push(closeBackend);
		const pipeServer = await openPipe({
			path: pipe,
			secret,
			version,
			onJoin: () => backend.activity.begin(),
			onLeave: () => backend.activity.end(),
		});
		undo.push(() => pipeServer.close());
		backend.events.on((event) => pipeServer.notify(event));
		const listener = await deps.listen(backend, key);
		// Together, so that requests under way still hear why they end.
		undo.push(async () => void (await Promise.all([closeBackend(), listener.close()])));
		const startedAt = new Date().toISOString();
		const endpoint = { pid: process.pid, url: listener.url, key, secret, version, startedAt, pipe };
		if (!(await lock.held()))
			throw new AppError('conflict', 'Another model server has started meanwhile.');
		const kept = await keepEndpoint(files.endpoint, endpoint, (error) =>
			log.warn('the endpoint file was lost and cannot be written again', {
				error: sentenceOf(error),
			}),
		);
		undo.push(() => kept[Symbol.asyncDispose]());
		if (!options.persistent) {
			undo.push(endWhenIdle(backend, options.idleEndMs));
			if (deps.isCurrent !== undefined) undo.push(endWhenReplaced(backend, deps.isCurrent));
		}
		log.info('daemon ready', { url: listener.url, pid: process.pid, version });
		void removeTelemetryFiles(machine).then((removed) => {
			if (removed.length > 0)
				log.info('files of telemetry of earlier versions removed', { count: removed.length });
		});
		void backend.sweep();
		void removeOldDrafts(directory, Date.now());
		// Earlier versions used the system's folder.
		for (const tmp of [scratchIn(directory), machine.tmp, backend.modelsDir()])
			void removeDeadScratch({ tmp, uid: machine.uid, isAlive, now: Date.now }).then((removed) => {
				if (removed.length > 0)
					log.info('files of ended processes removed', { folder: tmp, count: removed.length });
			});
		return {
			endpoint,
			stop: (reason, drainMs) => stop(reason, drainMs),
			ended: ended.then(async ({ reason, drainMs }) => {
				log.info('daemon ends', { reason });
				if (drainMs > 0) await listener.close(drainMs);
				await unwind();
				return reason;
			}),
		};
	} catch (error) {
		await unwind();
		throw error;
	}
}

/** Longer than a daemon may take to start or to end. */
const lockWaitMs = 30_000;

/** The lock, if need be from an idle daemon that is older or that nobody started on purpose. */
async function ownLock(
	files: ReturnType<typeof daemonFiles>,
	options: DaemonOptions & { readonly version: string },
	onLost: () => void,
): Promise<FileLock> {
	let isShuttingDown = false;
	const onWait = async (owner: LockOwner | undefined, waitedMs: number): Promise<void> => {
		const running = await readEndpoint(files.endpoint);
		const health = running && (await healthOf(running));
		if (!isShuttingDown && running && health) {
			const older = health.replaced || compareVersions(health.version, options.version) < 0;
			// What a person started stays until that person ends it.
			const yields = !health.persistent && (older || options.persistent);
			isShuttingDown = health.ending || (yields && (await requestShutdown(running, true)));
			if (!isShuttingDown) throw conflict(running);
		} else if (waitedMs > lockWaitMs) throw silent(owner?.pid, files.lock);
		// Otherwise its owner is starting, or on its way out: wait and see which.
	};
	return lockFile(files.lock, { onWait, onLost });
}

function conflict({ url, pid }: EndpointFile): AppError {
	return new AppError(
		'conflict',
		`A model server is already running at ${url} (process ${pid}). Use that one, end it, or set NEARGLOT_HOME to another folder.`,
		{ data: { url, pid } },
	);
}

/** A daemon that holds the lock and does not answer: stopped, frozen, or very busy. */
function silent(pid: number | undefined, lock: string): AppError {
	const who = pid === undefined ? 'Another process' : `Process ${pid}`;
	return new AppError(
		'daemon_unavailable',
		`${who} holds ${lock} and does not answer. It may only be slow: try again in a minute. If it is a model server that hangs, end it: ${endProcess(pid)}`,
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

/** A program's update waits at most this long for a daemon that has nothing to do. */
const programLookMs = 3000;

/** The next request starts the new program; answers and batches under way do not end for it. */
export function endWhenReplaced(
	backend: Pick<Backend, 'activity' | 'jobs' | 'stop'>,
	isCurrent: () => boolean,
): () => Promise<void> {
	const timer = setInterval(() => {
		// Nobody may ask for anything until the morning, and a batch would rest as long.
		if (backend.activity.idle() && !backend.jobs.isBusy && !isCurrent())
			backend.stop('the program was replaced');
	}, programLookMs);
	return async () => clearInterval(timer);
}
