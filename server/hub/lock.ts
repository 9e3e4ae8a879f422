/**
 * A lock between processes: a file made with O_EXCL that names its owner. A lock whose owner is gone
 * is taken over; taking over is atomic, so two waiters never both win.
 */

import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';

interface LockContent {
	readonly pid: number;
	readonly host: string;
	readonly token: string;
}

/** Waits for the lock, telling once that it waits. Release by disposing. */
export async function lockFile(
	path: string,
	signal: AbortSignal,
	onWait?: (ownerPid: number | undefined) => void,
): Promise<AsyncDisposable> {
	await mkdir(dirname(path), { recursive: true });
	const token = randomUUID();
	const content = JSON.stringify({
		pid: process.pid,
		host: hostname(),
		token,
	} satisfies LockContent);
	let told = false;
	for (;;) {
		if (signal.aborted) throw new AppError('cancelled');
		try {
			const handle = await open(path, 'wx', 0o600);
			await handle.writeFile(content);
			await handle.close();
			return { [Symbol.asyncDispose]: () => release(path, token) };
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		}
		const owner = await read(path);
		if (await isStale(path, owner)) {
			const aside = `${path}.${token}`;
			await rename(path, aside).catch(ignoreMissing);
			// Another waiter may have taken over between the check and the rename: then give it back.
			const moved = await read(aside);
			if (moved !== undefined && moved.token !== owner?.token)
				await rename(aside, path).catch(ignoreMissing);
			else await rm(aside, { force: true });
			continue;
		}
		if (!told) onWait?.(owner?.pid);
		told = true;
		await sleep(200, undefined, { signal }).catch(() => undefined);
	}
}

async function release(path: string, token: string): Promise<void> {
	const owner = await read(path);
	if (owner?.token === token) await rm(path, { force: true });
}

async function read(path: string): Promise<LockContent | undefined> {
	try {
		const value = JSON.parse(await readFile(path, 'utf8')) as Partial<LockContent>;
		if (typeof value.pid !== 'number' || typeof value.token !== 'string') return undefined;
		return { pid: value.pid, host: String(value.host), token: value.token };
	} catch {
		// Absent, or its owner is just writing it.
		return undefined;
	}
}

async function isStale(path: string, owner: LockContent | undefined): Promise<boolean> {
	if (owner === undefined) {
		// A half-written lock: give its owner two seconds.
		const info = await stat(path).catch(() => undefined);
		return info !== undefined && Date.now() - info.mtimeMs > 2000;
	}
	return owner.host === hostname() && !isAlive(owner.pid);
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
	if (error.code !== 'ENOENT') throw error;
}
