/**
 * One daemon per data directory: a lock file made with O_EXCL that names its owner. A lock whose
 * owner is gone is taken over; a reused process id is told apart by whether the daemon answers.
 */

import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { errno, unwritable } from '../store/files.ts';

export interface LockOwner {
	readonly pid: number;
	/** Unique per lock. */
	readonly token: string;
}

export interface LockDeps {
	/** Whether a process with that id exists. */
	isAlive(pid: number): boolean;
	/** Whether a daemon answers on the pipe of this data directory. */
	answers(): Promise<boolean>;
	/** Milliseconds since 1970. */
	now(): number;
}

export interface Lock {
	readonly owner: LockOwner;
	/** Whether the file still is ours. */
	held(): Promise<boolean>;
	release(): Promise<void>;
}

export type LockResult =
	| { readonly lock: Lock }
	| { readonly lock: undefined; readonly owner: LockOwner | undefined };

/** Time a starting daemon has before it must answer on its pipe. */
export const startGraceMs = 20_000;

/** Takes the lock, or says who has it. */
export async function takeLock(path: string, pid: number, deps: LockDeps): Promise<LockResult> {
	const owner: LockOwner = { pid, token: randomUUID() };
	for (let attempt = 0; attempt < 5; attempt++) {
		if (await create(path, owner)) return { lock: lockOf(path, owner) };
		const found = await readLock(path);
		if (found !== undefined && !(await isStale(path, found, deps)))
			return { lock: undefined, owner: found };
		if (found === undefined && !(await isOld(path, deps))) {
			// Its maker has created it and not written it yet.
			await new Promise((resolve) => setTimeout(resolve, 50));
			continue;
		}
		await removeStale(path, found);
	}
	return { lock: undefined, owner: await readLock(path) };
}

export function processIsAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return errno(error) === 'EPERM';
	}
}

async function create(path: string, owner: LockOwner): Promise<boolean> {
	// A link of a complete file appears at once with its content, unlike a created one.
	const draft = `${path}.${owner.token}`;
	try {
		const file = await open(draft, 'wx', 0o600);
		await file.writeFile(JSON.stringify(owner));
		await file.close();
		try {
			await link(draft, path);
			return true;
		} catch (error) {
			if (errno(error) === 'EEXIST') return false;
			// File systems without hard links.
			return await createPlain(path, owner);
		}
	} catch (error) {
		throw unwritable(path, error);
	} finally {
		await rm(draft, { force: true }).catch(() => {});
	}
}

async function createPlain(path: string, owner: LockOwner): Promise<boolean> {
	try {
		const file = await open(path, 'wx', 0o600);
		await file.writeFile(JSON.stringify(owner));
		await file.close();
		return true;
	} catch (error) {
		if (errno(error) === 'EEXIST') return false;
		throw error;
	}
}

async function readLock(path: string): Promise<LockOwner | undefined> {
	try {
		const value: unknown = JSON.parse(await readFile(path, 'utf8'));
		if (typeof value !== 'object' || value === null) return undefined;
		const { pid, token } = value as Record<string, unknown>;
		return Number.isInteger(pid) && typeof token === 'string'
			? { pid: pid as number, token }
			: undefined;
	} catch {
		return undefined;
	}
}

async function isStale(path: string, owner: LockOwner, deps: LockDeps): Promise<boolean> {
	if (!deps.isAlive(owner.pid)) return true;
	if (!(await isOld(path, deps))) return false;
	return !(await deps.answers());
}

async function isOld(path: string, deps: LockDeps): Promise<boolean> {
	try {
		return deps.now() - (await stat(path)).mtimeMs > startGraceMs;
	} catch {
		return true;
	}
}

/** Renames first, so that of two processes that saw the same stale lock only one removes it. */
async function removeStale(path: string, seen: LockOwner | undefined): Promise<void> {
	const aside = `${path}.${randomUUID()}.stale`;
	try {
		await rename(path, aside);
	} catch (error) {
		if (errno(error) === 'ENOENT') return;
		throw unwritable(path, error);
	}
	const moved = await readLock(aside);
	// Somebody else was faster and this is the fresh lock: put it back.
	if (moved !== undefined && moved.token !== seen?.token) await link(aside, path).catch(() => {});
	await rm(aside, { force: true });
}

function lockOf(path: string, owner: LockOwner): Lock {
	const held = async () => (await readLock(path))?.token === owner.token;
	return {
		owner,
		held,
		release: async () => {
			if (await held()) await rm(path, { force: true });
		},
	};
}
