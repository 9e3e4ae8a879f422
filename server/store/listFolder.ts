/** What lies in a folder, told apart as every system means it. Nothing else asks a folder for the kinds of its entries. */

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface FolderEntry {
	readonly name: string;
	/** `link`: a symbolic link or a junction; `other`: a device, a socket, or what has gone meanwhile. */
	readonly kind: 'file' | 'folder' | 'link' | 'other';
}

interface Kinds {
	isFile(): boolean;
	isDirectory(): boolean;
	isSymbolicLink(): boolean;
}

/**
 * The entries of a folder in the order of their names (by code unit). Rejects with the error of the system.
 *
 * Windows lists files of OneDrive that are not on this disk yet, and deduplicated ones, as it lists links; they are files
 * and folders all the same. So whatever is listed as neither is asked for itself, without following it.
 */
export async function listFolder(path: string): Promise<FolderEntry[]> {
	const listed = await readdir(path, { withFileTypes: true });
	const entries = await Promise.all(
		listed.map(async (entry): Promise<FolderEntry> => {
			const { name } = entry;
			const kind = kindOf(entry);
			if (kind === 'file' || kind === 'folder') return { name, kind };
			const asked = await lstat(join(path, name)).catch(() => undefined);
			return { name, kind: asked ? kindOf(asked) : 'other' };
		}),
	);
	return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(entry: Kinds): FolderEntry['kind'] {
	if (entry.isFile()) return 'file';
	if (entry.isDirectory()) return 'folder';
	return entry.isSymbolicLink() ? 'link' : 'other';
}
