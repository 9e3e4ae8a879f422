/** Makes folders. Node's own way, with `recursive`, never returns where a file system takes none (/proc). */

import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing. One that is there is left as it is.
 *
 * @param mode For the folders that are made.
 * @throws the error of the file system, whose code says why
 */
export function makeFolder(path: string, mode = 0o777): void {
	const problem = problemOf(path, mode);
	if (problem === undefined) return;
	const above = dirname(resolve(path));
	if (problem.code !== 'ENOENT' || above === resolve(path)) throw problem;
	if (!isFolder(above)) makeFolder(above, mode);
	// Another process may have made the one above meanwhile; one that is there and takes none says the same again.
	const again = problemOf(path, mode);
	if (again !== undefined) throw again;
}

function problemOf(path: string, mode: number): NodeJS.ErrnoException | undefined {
	try {
		mkdirSync(path, { mode });
	} catch (error) {
		if (!isFolder(path)) return error as NodeJS.ErrnoException;
	}
	return undefined;
}

function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		return false;
	}
}
