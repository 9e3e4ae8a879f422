/**
 * Makes folders. Node's own way, with `recursive`, never returns where a file system takes none (/proc), and gives up
 * where Windows still removes the folder that had the name before.
 */

import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errno } from '../protocol/index.ts';
import { Backoff, sleepNow } from './backoff.ts';

/** The system below: tests put that of another machine in its place. */
export interface FolderDisk {
	readonly platform: NodeJS.Platform;
	mkdir(path: string, mode: number): void;
	isFolder(path: string): boolean;
	sleepNow(milliseconds: number): void;
}

/** A name stays taken while somebody looks at what is removed; longer, and the right to make folders is missing. */
const doubtfulMs = 1000;

const here: FolderDisk = {
	platform: process.platform,
	mkdir: (path, mode) => void mkdirSync(path, { mode }),
	isFolder: (path) => {
		try {
			return statSync(path).isDirectory();
		} catch {
			return false;
		}
	},
	sleepNow,
};

/**
 * Makes a folder and those above it that are missing. One that is there is left as it is.
 *
 * @param mode For the folders that are made.
 * @throws the error of the file system, whose code says why
 */
export function makeFolder(path: string, mode = 0o777, disk: FolderDisk = here): void {
	const problem = problemOf(path, mode, disk);
	if (problem === undefined) return;
	const above = dirname(resolve(path));
	if (errno(problem) !== 'ENOENT' || above === resolve(path)) throw problem;
	if (!disk.isFolder(above)) makeFolder(above, mode, disk);
	// Another process may have made the one above meanwhile; one that is there and takes none says the same again.
	const again = problemOf(path, mode, disk);
	if (again !== undefined) throw again;
}

function problemOf(path: string, mode: number, disk: FolderDisk): unknown {
	const backoff = new Backoff({ path, verb: 'made', doubtfulMs }, disk.platform);
	for (;;) {
		try {
			disk.mkdir(path, mode);
			return undefined;
		} catch (error) {
			if (disk.isFolder(path)) return undefined;
			try {
				disk.sleepNow(backoff.pauseAfter(error));
			} catch (last) {
				return last;
			}
		}
	}
}
