/**
 * A lock between processes: a file made with O_EXCL that names its owner. A lock whose owner is gone
 * is taken over, by one waiter at a time.
 */

import { randomUUID } from 'node:crypto';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';
import { errno, readPlainText } from './files.ts';

interface LockOwner {
	readonly pid: number;
	readonly host: string;
	readonly token: string;
}

export interface LockOptions {
	readonly signal?: AbortSignal;
	/** Told once that the lock is waited for. */
	readonly onWait?: (ownerPid: number | undefined) => void;
	/**
	 * Nobody holds this lock for longer: one that a waiter saw unchanged for so long is taken over,
	 * whatever it says of its owner. Clocks and process numbers do not matter then.
	 */
	readonly longestHoldMs?: number;
	/** Longest wait; then `store_unavailable` names the lock and its owner. */
	readonly waitMs?: number;
}

export interface FileLock extends AsyncDisposable {
	/** Whether the lock still is ours; one held for too long may have been taken over. */
	held(): Promise<boolean>;
}

/** What a waiter gives whoever has made the file and not written it yet. */
const writeMs = 2000;
/** A guard of a take-over is older only when its maker was killed. */
const guardMs = 10_000;

/** Locks of this process: one with its number that is not among them is of an earlier life of the number. */
const own = new Set<string>();

/**
 * Waits for the lock. Release by disposing.
 * @throws AppError `cancelled`, or `store_unavailable` after `waitMs`; errors of the file system
 */
export async function lockFile(path: string, options: LockOptions = {}): Promise<FileLock> {
	const { signal, onWait, longestHoldMs, waitMs = Number.POSITIVE_INFINITY } = options;
	await mkdir(dirname(path), { recursive: true });
	const token = randomUUID();
	const started = performance.now();
	let seen = { text: '', since: started };
	let told = false;
	for (;;) {
		if (signal?.aborted === true) throw new AppError('cancelled');
		own.add(token);
		if (await create(path, token)) return lockOf(path, token);
		const text = await readPlainText(path);
		if (text === undefined) continue;
		const now = performance.now();
		if (text !== seen.text) seen = { text, since: now };
		const owner = parseOwner(text);
		if (isStale(owner, now - seen.since, longestHoldMs) && (await takeOver(path, text))) continue;
		if (now - started > waitMs) {
			own.delete(token);
			throw new AppError('store_unavailable', waitedFor(path, owner, waitMs));
		}
		if (!told) onWait?.(owner?.pid);
		told = true;
		// Never in step with other waiters, and as often for the one who has waited longest.
		const pauseMs = (longestHoldMs === undefined ? 200 : 20) * (0.5 + Math.random());
		await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
	}
}

async function create(path: string, token: string): Promise<boolean> {
	const owner: LockOwner = { pid: process.pid, host: hostname(), token };
	try {
		const handle = await open(path, 'wx', 0o600);
		try {
			await handle.writeFile(JSON.stringify(owner));
		} catch (error) {
			await rm(path, { force: true });
			throw error;
		} finally {
			await handle.close();
		}
		return true;
	} catch (error) {
		if (errno(error) === 'EEXIST') return false;
		own.delete(token);
		throw error;
	}
}

function lockOf(path: string, token: string): FileLock {
	const held = async () => parseOwner((await readPlainText(path)) ?? '')?.token === token;
	return {
		held,
		[Symbol.asyncDispose]: async () => {
			if (await held()) await rm(path, { force: true });
			own.delete(token);
		},
	};
}

function parseOwner(text: string): LockOwner | undefined {
	try {
		const value = JSON.parse(text) as Partial<LockOwner> | null;
		if (typeof value?.pid !== 'number' || typeof value.token !== 'string') return undefined;
		return { pid: value.pid, host: String(value.host), token: value.token };
	} catch {
		return undefined;
	}
}

function isStale(
	owner: LockOwner | undefined,
	unchangedMs: number,
	longestHoldMs = Number.POSITIVE_INFINITY,
): boolean {
	if (owner === undefined) return unchangedMs > writeMs;
	if (owner.host === hostname()) {
		if (owner.pid === process.pid ? !own.has(owner.token) : !isAlive(owner.pid)) return true;
	}
	return unchangedMs > longestHoldMs;
}

/**
 * Removes a stale lock unless it has changed. One waiter does so at a time: of two that saw the same
 * lock, the slower one would otherwise remove what the faster one has made since.
 */
async function takeOver(path: string, seen: string): Promise<boolean> {
	const guard = `${path}.takeover`;
	try {
		await (await open(guard, 'wx', 0o600)).close();
	} catch (error) {
		if (errno(error) !== 'EEXIST') throw error;
		const age = await stat(guard).then(
			({ mtimeMs }) => Math.abs(Date.now() - mtimeMs),
			() => 0,
		);
		if (age > guardMs) await rm(guard, { force: true });
		return false;
	}
	try {
		if ((await readPlainText(path)) === seen) await rm(path, { force: true });
		return true;
	} finally {
		await rm(guard, { force: true });
	}
}

function waitedFor(path: string, owner: LockOwner | undefined, waitMs: number): string {
	const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
	return `${who} has held the lock ${path} or handed it on for ${Math.round(waitMs / 1000)} s. Try again; when nothing of Nearglot is at work there, delete that file.`;
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return errno(error) === 'EPERM';
	}
}
