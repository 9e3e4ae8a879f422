/** Private files: complete or absent, readable by their owner alone. */

import { randomBytes } from 'node:crypto';
import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError, asAppError, errno, systemError } from '../protocol/index.ts';
import { makeFolder } from './makeFolder.ts';
import { movePath, removePath } from './movePath.ts';
import { isPlainFile, openPath, readPathText } from './openPath.ts';

/** Creates a folder only its owner can enter. A read-only home becomes a sentence that says so. */
export async function makePrivateDir(path: string): Promise<void> {
	try {
		makeFolder(path, 0o700);
	} catch (error) {
		throw (await danglingLink(path)) ?? unwritable(path, error);
	}
}

/** The link in a path that leads nowhere: to the system there is something of that name, and nothing in it. */
async function danglingLink(path: string): Promise<AppError | undefined> {
	for (let place = resolve(path); dirname(place) !== place; place = dirname(place)) {
		const target = await readlink(place).catch(() => undefined);
		if (target === undefined || (await stat(place).catch(() => undefined)) !== undefined) continue;
		const missing = resolve(dirname(place), target);
		return new AppError(
			'store_unavailable',
			`${place} is a link to ${missing}, which is not there. Make that folder, or remove the link.`,
		);
	}
	return undefined;
}

/**
 * Text of a file; `undefined` when there is none. A pipe would be waited for without end, so only plain files are read.
 * @throws AppError `store_unavailable` when it is something else or cannot be read
 */
export async function readPlainText(path: string): Promise<string | undefined> {
	try {
		if (await isPlainFile(path)) return await readPathText(path);
	} catch (error) {
		if (errno(error) === 'ENOENT') return undefined;
		throw systemError(error, { path, verb: 'read' }) ?? error;
	}
	throw new AppError('store_unavailable', `${path} is no plain file. Remove it and try again.`);
}

/** Writes a file (mode 0600) under a temporary name and renames it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
	await replaceFile(await writeDraft(path, text), path);
}

/** The first half of {@link writePrivateFile}: resolves to the temporary name, whose content is on the disk. */
export async function writeDraft(path: string, text: string): Promise<string> {
	const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
	try {
		const file = await openPath(draft, 'wx', 0o600);
		try {
			await file.writeFile(text);
			await file.sync();
		} finally {
			await file.close();
		}
		return draft;
	} catch (error) {
		await removePath(draft, { force: true }).catch(() => {});
		throw unwritable(path, error);
	}
}

/** Nobody needs as long to write a file; older drafts are those of killed processes. */
const oldestDraftMs = 3600_000;

/** Removes what killed processes had begun to write in a folder. What cannot be removed stays. */
export async function removeOldDrafts(folder: string, now: number): Promise<void> {
	for (const name of await readdir(folder).catch(() => [])) {
		if (!/\.([0-9a-f]{12}|\d+)\.tmp$/.test(name)) continue;
		const path = join(folder, name);
		const found = await lstat(path).catch(() => undefined);
		if (found?.isFile() && now - found.mtimeMs > oldestDraftMs)
			await removePath(path, { force: true }).catch(() => {});
	}
}

/** The second half: puts the draft in the file's place. */
export async function replaceFile(draft: string, path: string): Promise<void> {
	try {
		await movePath(draft, path);
	} catch (error) {
		await removePath(draft, { force: true }).catch(() => {});
		throw unwritable(path, error);
	}
	await syncFolder(dirname(path));
}

/** Has the name on the disk, too. Windows does so by itself and knows no such call. */
async function syncFolder(path: string): Promise<void> {
	if (process.platform === 'win32') return;
	try {
		await using folder = await openPath(path);
		await folder.sync();
	} catch {
		// Some network and FUSE folders know no such call either.
	}
}

/** What a person needs to know when a file or folder of the data folder cannot be written. */
export function unwritable(path: string, cause: unknown): AppError {
	const tried = {
		path,
		verb: 'written',
		elsewhere: 'Set NEARGLOT_HOME to a folder that can be written to.',
	};
	return systemError(cause, tried) ?? asAppError(cause, `writing ${path}`);
}
