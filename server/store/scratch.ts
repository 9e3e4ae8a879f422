/**
 * Temporary folders for recordings on their way. The name says which process they belong to, so the next
 * start removes what a killed one left behind.
 */

import { lstat, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Uploads, recordings from a page, and recordings from standard input. */
export type ScratchKind = 'upload' | 'live' | 'stdin';

const owned = /^nearglot-(?:upload|live|stdin)-(\d+)\.(\d+)-[A-Za-z0-9]{6}$/;
/** As earlier versions named them: nobody knows whose they are. */
const unowned = /^nearglot-(?:upload|live|stdin)-[A-Za-z0-9]{6}$/;
/** Those, and those of processes this one cannot see, go when nothing has touched them for so long. */
const forgottenMs = 24 * 3600_000;

/** Makes a folder that only this user can enter, with a name nobody can guess. */
export async function makeScratchFolder(kind: ScratchKind): Promise<string> {
	return mkdtemp(join(tmpdir(), `nearglot-${kind}-${process.pid}.${await processSpace()}-`));
}

export interface SweepOptions {
	/** Folder the temporary folders lie in. */
	readonly tmp: string;
	/** Numeric id of the user; absent on Windows, where the folder is the user's own. */
	readonly uid: number | undefined;
	readonly isAlive: (pid: number) => boolean;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/**
 * Removes temporary folders of this user whose process has ended. Links are not followed and nothing else
 * is touched; what cannot be removed stays.
 * @returns paths of the removed folders
 */
export async function removeDeadScratch(options: SweepOptions): Promise<string[]> {
	const space = await processSpace();
	const removed: string[] = [];
	const names = await readdir(options.tmp).catch(() => []);
	for (const name of names) {
		const [, pid, of] = owned.exec(name) ?? [];
		if (pid === undefined && !unowned.test(name)) continue;
		const path = join(options.tmp, name);
		try {
			const found = await lstat(path);
			if (!found.isDirectory() || (options.uid !== undefined && found.uid !== options.uid))
				continue;
			const forgotten = options.now() - found.mtimeMs > forgottenMs;
			const isDead = of === space ? !options.isAlive(Number(pid)) : forgotten;
			if (!isDead) continue;
			await rm(path, { recursive: true });
			removed.push(path);
		} catch {
			// It stays.
		}
	}
	return removed;
}

/** Numbers of processes mean something within one of these only; containers may share a temp folder. */
async function processSpace(): Promise<string> {
	const link = await readlink('/proc/self/ns/pid').catch(() => '');
	return /\d+/.exec(link)?.[0] ?? '0';
}
