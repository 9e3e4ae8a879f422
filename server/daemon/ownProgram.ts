/**
 * The program that a process was started from. An update may replace or remove it meanwhile: what runs goes on from
 * memory, and what it starts next would be missing, or of another version. Windows keeps libraries that are loaded
 * from being removed, so there an update waits until the daemon has gone.
 */

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../protocol/index.ts';

export type ProgramState =
	| 'there'
	/** Another one is in its place. */
	| 'replaced'
	| 'gone'
	/** Still there; the editor has decided since the start that it removes the folder when it starts again. */
	| 'obsolete';

/** The disk below; tests put another one in its place. */
export interface ProgramDisk {
	/** What changes with a file; `undefined` where there is none. */
	stamp(path: string): string | undefined;
	read(path: string): string;
}

const disk: ProgramDisk = {
	stamp: (path) => {
		const found = statSync(path, { throwIfNoEntry: false });
		return found === undefined ? undefined : `${found.size} ${found.mtimeMs}`;
	},
	read: (path) => readFileSync(path, 'utf8'),
};

/**
 * @param entry the server's bundle, or `main.ts` in a checkout
 * @param parts other files of the same program that it starts processes from
 * @param executable what runs it
 */
export function watchProgram(
	entry: string,
	executable: string,
	parts: readonly string[] = [],
	files = disk,
): () => ProgramState {
	const stamps = () => [entry, ...parts].map((path) => files.stamp(path));
	const before = stamps();
	// `<extension>/dist/server.cjs`
	const extension = dirname(dirname(entry));
	// A window that still shows the old version starts its server from there: that one stays as long as any.
	const wasObsolete = isObsolete(extension, files);
	return () => {
		const now = stamps();
		if (now.includes(undefined) || files.stamp(executable) === undefined) return 'gone';
		if (now.some((stamp, at) => stamp !== before[at])) return 'replaced';
		return !wasObsolete && isObsolete(extension, files) ? 'obsolete' : 'there';
	};
}

/** Whether the editor has put a newer version beside an extension's folder: it lists the folders that it removes later. */
function isObsolete(extension: string, files: ProgramDisk): boolean {
	try {
		const listed = JSON.parse(files.read(join(dirname(extension), '.obsolete'))) as unknown;
		if (typeof listed !== 'object' || listed === null) return false;
		const own = basename(extension).toLowerCase();
		return Object.entries(listed).some(([name, isOld]) => isOld && name.toLowerCase() === own);
	} catch {
		return false;
	}
}

/** What to say where a program cannot start its own processes any more. */
export function programLost(entry: string, state: 'gone' | 'replaced'): AppError {
	const what = state === 'gone' ? 'removed or moved' : 'replaced by another version';
	return new AppError(
		'daemon_unavailable',
		`Nearglot was ${what} while it ran (${entry}). Start it again: in the editor with "Developer: Reload Window", elsewhere by ending the server that still runs (nearglot doctor names its process).`,
	);
}
