/**
/**
 * Temporary folders for what is on its way: below the data folder, or hidden beside the place it is renamed to,
 * and those of processes that run models. The name says which process they belong to, so the next start removes
 * what a killed one left behind.
 */

import { mkdtempSync, readlinkSync, realpathSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateDir } from './files.ts';
import { makeFolder } from './makeFolder.ts';

/** Uploads, recordings from a page and from standard input, and the sound of any of them. */
export type ScratchKind = 'upload' | 'live' | 'stdin' | 'decoded';

/** Models that come and go, in the folder of models. */
export type HiddenKind = 'import' | 'removed';

const owned =
	/^(?:nearglot-(?:upload|live|stdin|decoded|moving|runner)|\.(?:import|removed))-(\d+)\.(\d+)-[A-Za-z0-9]{6}$/;
/** As earlier versions named them: nobody knows whose they are. */
const unowned = /^(?:nearglot-(?:upload|live|stdin|runner)|\.import)-[A-Za-z0-9]{6}$/;
/** Those, and those of processes this one cannot see, go when nothing has touched them for so long. */
const forgottenMs = 24 * 3600_000;
/** In a folder of a move: the path of the copy that is not complete yet. */
const placeName = 'place';
/** How such copies are called. */
export const movingSuffix = '.moving';

/** Where the temporary folders of a data folder lie. */
export const scratchIn = (dataDir: string): string => join(dataDir, 'tmp');

/** Makes a folder that only this user can enter, with a name nobody can guess. @param root see {@link scratchIn} */
export async function makeScratchFolder(
	kind: ScratchKind | 'moving',
	root: string,
): Promise<string> {
	await makePrivateDir(root);
	return mkdtemp(join(root, `nearglot-${ownedBy(kind)}`));
}

/** A folder of a process that may see no other of this user's: in the system's temp folder, every link resolved. */
export function makeRunnerFolder(): string {
	return mkdtempSync(join(realpathSync(tmpdir()), `nearglot-${ownedBy('runner')}`));
}

/** Whether a name is that of a runner's folder. */
export const isRunnerFolder = (name: string): boolean =>
	owned.test(name) && name.startsWith('nearglot-runner-');

/** The same in a folder of models, which is made, and from which it is renamed into place. */
export async function makeHiddenFolder(kind: HiddenKind, folder: string): Promise<string> {
	makeFolder(folder);
	return mkdtemp(join(folder, `.${ownedBy(kind)}`));
}

/** Remembers a copy somewhere else until disposed, so that a killed move is swept as well. */
export async function noteMoving(root: string, copy: string): Promise<AsyncDisposable> {
	const folder = await makeScratchFolder('moving', root);
	await writeFile(join(folder, placeName), copy);
	return { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

const ownedBy = (kind: string): string => `${kind}-${process.pid}.${processSpace()}-`;

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
	const space = processSpace();
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
			const copy = await readFile(join(path, placeName), 'utf8').catch(() => '');
			if (name.includes('-moving-') && copy.endsWith(movingSuffix))
				await rm(copy, { recursive: true, force: true });
			await rm(path, { recursive: true });
			removed.push(path);
		} catch {
			// It stays.
		}
	}
	return removed;
}

/** Numbers of processes mean something within one of these only; containers may share a temp folder. */
function processSpace(): string {
	try {
		return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
	} catch {
		return '0';
	}
}
