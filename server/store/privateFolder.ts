/** Who may enter a folder on Windows, where modes of files mean nothing and a new folder is open to all who may enter the one above. */

import { win32 } from 'node:path';

/** What is asked of the system. */
export interface FolderSystem {
	readonly home: string;
	readonly user: string;
	/** Runs `icacls`. */
	run(args: readonly string[]): Promise<unknown>;
}

/**
 * Leaves a folder and all that will be in it to this user and the system. Folders below the user's own need nothing:
 * nobody else may enter that one.
 * @returns whether it is private now; a file system without access lists (FAT, some network folders) is not
 */
export async function leaveToOwner(folder: string, system: FolderSystem): Promise<boolean> {
	const from = win32.relative(system.home, folder);
	if (!from.startsWith('..') && !win32.isAbsolute(from)) return true;
	const all = '(OI)(CI)F';
	// S-1-5-18 is the system itself, whatever its name is in the language of the machine.
	const grants = [`${system.user}:${all}`, `*S-1-5-18:${all}`];
	try {
		await system.run([folder, '/inheritance:r', '/grant:r', ...grants, '/q']);
		return true;
	} catch {
		return false;
	}
}
