/** Who may enter a folder on Windows, where modes of files mean nothing and a new folder is open to all who may enter the one above. */

import { win32 } from 'node:path';
import { nativePath } from './nativePath.ts';

/** What is asked of the system. */
export interface FolderSystem {
	readonly home: string;
	/** May throw where the system knows none. */
	readonly user: string;
	/** Runs `icacls`. */
	run(args: readonly string[]): Promise<unknown>;
}

/** With its domain: a local account may have the same name as one of the company. */
export function accountName(name: string, env: NodeJS.ProcessEnv): string {
	const { USERDOMAIN: given, COMPUTERNAME: computer } = env;
	// Sessions over SSH name the workgroup there, which has no accounts.
	const domain = given?.toUpperCase() === 'WORKGROUP' ? computer : given;
	return domain ? `${domain}\\${name}` : name;
}

/**
 * Leaves a folder and all that will be in it to this user and the system. Folders below the user's own need nothing:
 * nobody else may enter that one.
 * @returns whether it is private now; a file system without access lists (FAT, some network folders) is not
 */
export async function leaveToOwner(folder: string, system: FolderSystem): Promise<boolean> {
	return grantOwner(folder, '(OI)(CI)F', system);
}

/** {@link leaveToOwner} for one file, in a folder that holds others' files as well. */
export const leaveFileToOwner = (file: string, system: FolderSystem): Promise<boolean> =>
	grantOwner(file, 'F', system);

async function grantOwner(path: string, all: string, system: FolderSystem): Promise<boolean> {
	const from = win32.relative(system.home, win32.resolve(path));
	if (!from.startsWith('..') && !win32.isAbsolute(from)) return true;
	try {
		// S-1-5-18 is the system itself, whatever its name is in the language of the machine.
		const grants = [`${system.user}:${all}`, `*S-1-5-18:${all}`];
		await system.run([nativePath(path, 'win32'), '/inheritance:r', '/grant:r', ...grants, '/q']);
		return true;
	} catch {
		return false;
	}
}
