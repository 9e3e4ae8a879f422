/**
 * Temporary folders: for what is on its way and for processes that run models below the data folder, for what is
 * renamed into place hidden beside that place. The name says which process they belong to, so the next start removes
 * what a killed one left behind.
 */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readlinkSync, realpathSync } from 'node:fs';
import { lstat, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDir } from './files.ts';
import { makeFolder } from './makeFolder.ts';
import { removePath } from './movePath.ts';
import { canStartIn } from './nativePath.ts';
import { readPathText } from './openPath.ts';

/** Uploads, recordings from a page and from standard input, the sound of any of them, and rows of batches. */
export type ScratchKind = 'upload' | 'live' | 'stdin' | 'decoded' | 'rows';

/** Models that come and go, in the folder of models. */
export type HiddenKind = 'import' | 'removed' | 'plan';

const owned =
	/^(?:nearglot-(?:upload|live|stdin|decoded|rows|moving|runner)|\.(?:import|removed|plan))-(\d+)\.(\d+)-[A-Za-z0-9]{6}$/;
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

/** The same with what is in it from the start; when that cannot be made, nothing stays. */
export async function fillScratchFolder<T>(
	kind: ScratchKind | 'moving',
	root: string,
	fill: (folder: string) => Promise<T>,
): Promise<T> {
	const folder = await makeScratchFolder(kind, root);
	try {
		return await fill(folder);
	} catch (error) {
		await removePath(folder, { recursive: true, force: true }).catch(() => {});
		throw error;
	}
}

/**
 * A folder of a process that may write to no other of this user's, every link resolved.
 * @param dataDir it lies there; the disk may be full, the rights of a process cannot be bound to a path with `*`, and some paths are too long
 * @param elsewhere then it lies here: the system's folder
 * @throws the error of the file system where neither takes it
 */
export function makeRunnerFolder(dataDir: string, elsewhere: string): string {
	const start = (root: string) => join(realpathSync(root), `nearglot-${ownedBy('runner')}`);
	const own = scratchIn(dataDir);
	try {
		makeFolder(own, 0o700);
		const ours = start(own);
		if (!ours.includes('*') && canStartIn(ours)) return mkdtempSync(ours);
	} catch {
		// A model answers though nothing can be kept.
	}
	return mkdtempSync(start(elsewhere));
}

/** Whether a name is that of a runner's folder. */
export const isRunnerFolder = (name: string): boolean =>
	owned.test(name) && name.startsWith('nearglot-runner-');

/** The same in a folder of models, which is made, and from which it is renamed into place. */
export async function makeHiddenFolder(kind: HiddenKind, folder: string): Promise<string> {
	makeFolder(folder);
	return mkdtemp(join(folder, `.${ownedBy(kind)}`));
}

/** A name of that form that nobody has, for a folder that is renamed out of the way: a full disk takes that, too. */
export const hiddenPath = (kind: HiddenKind, folder: string): string =>
	join(folder, `.${ownedBy(kind)}${randomBytes(3).toString('hex')}`);

/** Remembers a copy somewhere else until disposed, so that a killed move is swept as well. */
export async function noteMoving(root: string, copy: string): Promise<AsyncDisposable> {
	const folder = await fillScratchFolder('moving', root, async (made) => {
		await writeFile(join(made, placeName), copy);
		return made;
	});
	return { [Symbol.asyncDispose]: () => removePath(folder, { recursive: true, force: true }) };
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
			const copy = await readPathText(join(path, placeName)).catch(() => '');
			if (name.includes('-moving-') && copy.endsWith(movingSuffix))
				await removePath(copy, { recursive: true, force: true });
			await removePath(path, { recursive: true });
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
