/**
 * The lock between processes, for every file, download and daemon: a file made with O_EXCL that names its
 * owner and is touched while it is held. Whoever waits takes over the lock of an owner that is known to be
 * gone at once, and that of one it cannot know of (another container, a number given to another program)
 * when nobody has touched it for a while. No clock is compared with another: a waiter watches for change.
 */

import { randomUUID } from 'node:crypto';
import { stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errno } from '../protocol/index.ts';
import { makePrivateDir, readPlainText, unwritable } from './files.ts';
import { removePath } from './movePath.ts';
import { notify } from './notices.ts';
import { openPath } from './openPath.ts';
import { isHere, lives, type ProcessIdentity, thisProcess } from './processIdentity.ts';

export interface LockOwner extends ProcessIdentity {
	/** Unique per lock. */
	readonly token: string;
}

export interface LockOptions {
	readonly signal?: AbortSignal;
	/** Told each time the lock was found taken; what it throws ends the wait. */
	readonly onWait?: (owner: LockOwner | undefined, waitedMs: number) => void | Promise<void>;
	/** Told once when another process has taken over a lock that is still held. */
	readonly onLost?: () => void;
	/** Nobody holds this lock for longer: a waiter that saw it so long takes it over even from a living owner. */
	readonly longestHoldMs?: number;
	/** How often the lock is touched while it is held. */
	readonly beatMs?: number;
	/** A lock that was not touched for so long belongs to nobody, unless its owner is known to live. */
	readonly silentMs?: number;
	/** Longest wait; then `store_unavailable` names the lock and its owner. */
	readonly waitMs?: number;
}

export interface FileLock extends AsyncDisposable {
	/** Whether the lock still is ours; one held for too long may have been taken over. */
	held(): Promise<boolean>;
}

/** How long a waiter waits for a file that was made and not written yet. */
const writeMs = 2000;
/** A guard of a take-over that lasts longer is one whose maker was killed. */
const guardMs = 10_000;
/** After this people are told for what they wait. */
const noticeAfterMs = 5000;
/** More of one turn of a waiter does not count as waiting. */
const longestTurnMs = 5000;

/** Locks of this process: one with its number that is not among them is of an earlier life of the number. */
const own = new Set<string>();

/**
 * Waits for the lock. Release by disposing.
 * @throws AppError `cancelled`, or `disk_full`; `store_unavailable` after `waitMs` or when the folder cannot be written
 */
export async function lockFile(path: string, options: LockOptions = {}): Promise<FileLock> {
	const { signal, onWait, longestHoldMs, waitMs = Number.POSITIVE_INFINITY } = options;
	await makePrivateDir(dirname(path));
	const token = randomUUID();
	const lock = new Watch(path);
	const guard = new Watch(`${path}.takeover`);
	let waitedMs = 0;
	let isNotified = false;
	for (;;) {
		if (signal?.aborted === true) throw new AppError('cancelled');
		if (await create(path, token)) return hold(path, token, options);
		const turnAt = performance.now();
		const text = await lock.look();
		if (text === undefined) continue;
		const owner = parseOwner(text);
		if (isStale(owner, lock, options) && (await takeOver(path, text, guard))) continue;
		if (waitedMs > waitMs) throw new AppError('store_unavailable', waitedFor(path, owner, waitMs));
		await onWait?.(owner, waitedMs);
		if (onWait === undefined && waitedMs > noticeAfterMs && !isNotified)
			notify(`Waiting for ${path}, held by ${nameOf(owner)}.`);
		isNotified ||= waitedMs > noticeAfterMs;
		// Never in step with other waiters, and as often for the one who has waited longest.
		const pauseMs = (longestHoldMs === undefined ? 200 : 20) * (0.5 + Math.random());
		await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
		// A machine that slept meanwhile has not waited, and the owner has had no time to touch the lock.
		const passedMs = Math.min(performance.now() - turnAt, longestTurnMs);
		lock.passed(passedMs);
		guard.passed(passedMs);
		waitedMs += passedMs;
	}
}

async function create(path: string, token: string): Promise<boolean> {
	const owner: LockOwner = { ...thisProcess(), token };
	own.add(token);
	try {
		const handle = await openPath(path, 'wx', 0o600);
		try {
			await handle.writeFile(JSON.stringify(owner));
		} catch (error) {
			await removePath(path, { force: true });
			throw error;
		} finally {
			await handle.close();
		}
		return true;
	} catch (error) {
		own.delete(token);
		if (errno(error) === 'EEXIST') return false;
		throw unwritable(path, error);
	}
}

function hold(path: string, token: string, options: LockOptions): FileLock {
	const { beatMs = 3000, longestHoldMs, onLost } = options;
	const held = async () => parseOwner((await readPlainText(path)) ?? '')?.token === token;
	const beat = async () => {
		if (await held()) return utimes(path, new Date(), new Date());
		// Somebody has tidied up: it is ours as long as nobody else has taken it.
		const isGone = (await readPlainText(path)) === undefined;
		if (isGone && longestHoldMs === undefined && (await create(path, token))) return;
		clearInterval(timer);
		onLost?.();
	};
	// A folder that cannot be read at this moment says nothing about the lock.
	const timer = setInterval(() => void beat().catch(() => {}), beatMs).unref();
	return {
		held,
		[Symbol.asyncDispose]: async () => {
			clearInterval(timer);
			own.delete(token);
			// One that cannot be read is most likely still ours; one that cannot be removed is left to the next.
			if (await held().catch(() => true)) await removePath(path, { force: true }).catch(() => {});
		},
	};
}

function parseOwner(text: string): LockOwner | undefined {
	try {
		const value = JSON.parse(text) as Partial<LockOwner> | null;
		if (!Number.isInteger(value?.pid) || typeof value?.token !== 'string') return undefined;
		return value as LockOwner;
	} catch {
		return undefined;
	}
}

function isStale(
	owner: LockOwner | undefined,
	lock: Watch,
	{ longestHoldMs = Number.POSITIVE_INFINITY, silentMs = 12_000 }: LockOptions,
): boolean {
	if (owner === undefined) return lock.untouchedMs > writeMs;
	let alive = lives(owner);
	// The number is this process's: if it cannot say since when, then by what it holds.
	if (alive === undefined && owner.pid === process.pid && isHere(owner))
		alive = own.has(owner.token);
	if (alive === false) return true;
	return lock.sameMs > longestHoldMs || (alive === undefined && lock.untouchedMs > silentMs);
}

/**
 * Removes a stale lock unless it has changed. One waiter does so at a time: of two that saw the same
 * lock, the slower one would otherwise remove what the faster one has made since.
 */
async function takeOver(path: string, seen: string, guard: Watch): Promise<boolean> {
	try {
		await (await openPath(guard.path, 'wx', 0o600)).close();
	} catch (error) {
		if (errno(error) !== 'EEXIST') throw unwritable(guard.path, error);
		await guard.look();
		if (guard.untouchedMs > guardMs) await removePath(guard.path, { force: true });
		return false;
	}
	try {
		if ((await readPlainText(path)) === seen) await removePath(path, { force: true });
		return true;
	} finally {
		await removePath(guard.path, { force: true });
	}
}

/** A file as this process sees it change; no clock of another process or of the disk is believed. */
class Watch {
	readonly path: string;
	/** For how long its text has been the same, milliseconds. */
	sameMs = 0;
	/** For how long it has not been touched, milliseconds. */
	untouchedMs = 0;
	#text: string | undefined;
	#touchedAt: bigint | undefined;

	constructor(path: string) {
		this.path = path;
	}

	/** Its text now; `undefined` when it is not there. */
	async look(): Promise<string | undefined> {
		const text = await readPlainText(this.path);
		const found = await stat(this.path, { bigint: true }).catch(() => undefined);
		if (text !== this.#text) this.sameMs = 0;
		if (text !== this.#text || found?.mtimeNs !== this.#touchedAt) this.untouchedMs = 0;
		this.#text = text;
		this.#touchedAt = found?.mtimeNs;
		return text;
	}

	passed(ms: number): void {
		this.sameMs += ms;
		this.untouchedMs += ms;
	}
}

function waitedFor(path: string, owner: LockOwner | undefined, waitMs: number): string {
	return `${nameOf(owner)} has held the lock ${path} or handed it on for ${Math.round(waitMs / 1000)} s. Try again; when nothing of Nearglot is at work there, delete that file.`;
}

const nameOf = (owner: LockOwner | undefined): string =>
	owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
