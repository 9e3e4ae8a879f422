/**
 * What an unfinished download left behind. Beside its folder lies the listing it went by, so that a later one
 * goes on with the same files only: those of another source or state may have the same names and sizes.
 */

import { join } from 'node:path';
import { isRecord } from '../protocol/errorBody.ts';
import { readPlainText, writePrivateFile } from '../store/files.ts';
import { listFolder } from '../store/listFolder.ts';
import { removePath } from '../store/movePath.ts';
import { inside } from './names.ts';
import { removeParts } from './partFile.ts';

/** Path of the listing that belongs to an unfinished folder. */
export const listingOf = (folder: string): string => `${folder}.files.json`;

/** Path of what was asked for when a folder was begun: how its model is to be built. */
const wishesOf = (folder: string): string => `${folder}.flags.json`;

/** How a model that was begun is to be built. */
export interface BegunFlags {
	/** What it is built of. */
	readonly source: string;
	readonly quality?: boolean;
	readonly keep?: boolean;
}

/** What {@link noteFlags} has noted; `undefined` where nothing was, or of another source. */
export async function begunFlags(folder: string, source: string): Promise<BegunFlags | undefined> {
	try {
		const flags: unknown = JSON.parse((await readPlainText(wishesOf(folder))) ?? '');
		if (!isRecord(flags) || flags['source'] !== source) return undefined;
		return { source, quality: flags['quality'] === true, keep: flags['keep'] === true };
	} catch {
		// Cut off: it was asked for just then, and will be again.
		return undefined;
	}
}

/** Keeps them for the next try, which need not say them again. */
export async function noteFlags(folder: string, flags: BegunFlags): Promise<void> {
	await writePrivateFile(wishesOf(folder), JSON.stringify(flags));
}

/** Removes an unfinished folder, where it is still there, and what is noted of it. For those who hold its lock. */
export async function endUnfinished(folder: string): Promise<void> {
	await removePath(folder, { recursive: true, force: true });
	await removePath(listingOf(folder), { force: true });
	await removePath(wishesOf(folder), { force: true });
}

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
				await endUnfinished(folder);
			} catch {
				// What was done in its scope has its own error, or none.
			}
		},
	};
}

/** Whether anything lies in a folder but folders; one that cannot be read may have it. */
export async function hasFiles(folder: string): Promise<boolean> {
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
