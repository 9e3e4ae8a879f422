/**
 * What an unfinished download left behind. Beside its folder lies the listing it went by, so that a later one
 * goes on with the same files only: those of another source or state may have the same names and sizes.
 */

import { join } from 'node:path';
import { readPlainText, writePrivateFile } from '../store/files.ts';
import { listFolder } from '../store/listFolder.ts';
import { removePath } from '../store/movePath.ts';
import { inside } from './names.ts';
import { removeParts } from './partFile.ts';

/** Path of the listing that belongs to an unfinished folder. */
export const listingOf = (folder: string): string => `${folder}.files.json`;

/**
 * Removes what does not belong to the wanted files, and notes those.
 * @param wanted path of each file → what tells its content from any other's
 */
export async function keepSame(folder: string, wanted: ReadonlyMap<string, string>): Promise<void> {
	const before = await readListing(folder);
	if (before === undefined) await removePath(folder, { recursive: true, force: true });
	for (const [path, content] of before ?? []) {
		if (wanted.get(path) === content) continue;
		const file = inside(folder, path);
		await removePath(file, { force: true });
		await removeParts(file);
	}
	await writePrivateFile(listingOf(folder), JSON.stringify(Object.fromEntries(wanted)));
}

/**
 * At the end of its scope, removes a folder into which nothing has come, and its listing: there is nothing to go on
 * with. For those who hold its lock. Where it cannot be removed it stays, as an unfinished one that is removed later.
 */
export function unlessEmpty(folder: string): AsyncDisposable {
	return {
		[Symbol.asyncDispose]: async () => {
			if (await hasFiles(folder)) return;
			try {
				await removePath(folder, { recursive: true, force: true });
				await removePath(listingOf(folder), { force: true });
			} catch {
				// What was done in its scope has its own error, or none.
			}
		},
	};
}

/** Whether anything lies in a folder but folders; one that cannot be read may have it. */
async function hasFiles(folder: string): Promise<boolean> {
	const entries = await listFolder(folder).catch((error: NodeJS.ErrnoException) =>
		error.code === 'ENOENT' ? [] : undefined,
	);
	if (entries === undefined) return true;
	for (const { name, kind } of entries)
		if (kind !== 'folder' || (await hasFiles(join(folder, name)))) return true;
	return false;
}

async function readListing(folder: string): Promise<[string, unknown][] | undefined> {
	try {
		return Object.entries(JSON.parse((await readPlainText(listingOf(folder))) ?? ''));
	} catch {
		// None, or one that was cut off: nobody knows whose the files are.
		return undefined;
	}
}
