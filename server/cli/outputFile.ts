/** Files that a person names for what a command makes. */

import { randomBytes } from 'node:crypto';
import { access, constants, lstat, readlink, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { errno, systemError } from '../protocol/index.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { openPath } from '../store/openPath.ts';
import { realPath } from '../store/realPath.ts';
import { UsageError } from './command.ts';

/**
 * Makes sure that a file can be written to a place, before there is any work to be lost.
 *
 * @param force Whether a file that is there may be replaced.
 */
export async function checkTarget(path: string, force: boolean): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (found?.isDirectory()) throw new UsageError(`${path} is a folder; name the file to write.`);
	// Pipes and terminals lose nothing by what is written into them.
	const isLost = found?.isFile() === true || found?.isBlockDevice() === true;
	if (isLost && !force)
		throw new UsageError(`${path} exists already; choose another name or add --force.`);
	const folder = dirname(await placeOf(path));
	if (!(await stat(folder).catch(() => undefined))?.isDirectory())
		throw new UsageError(`${path} cannot be written: there is no folder ${folder}.`);
}

/** What `--out -` says, as `-` in the place of a file's name does for input. */
export const standardOutput = '-';

/**
 * A place that is a file, a folder or a pattern: a file of the name - would be nobody's wish.
 *
 * @throws UsageError
 */
export function checkNoStandardOutput(
	name: 'out' | 'into',
	place: string | undefined,
	why: string,
): void {
	if (place === standardOutput)
		throw new UsageError(
			`--${name} - is standard output, and ${why}. (A file of that name is ./-.)`,
		);
}

/**
 * Whether a file could be written, before work is put into it: its folder, or the nearest one that is there.
 *
 * @throws UsageError, AppError that name the file
 */
export async function checkFolder(path: string): Promise<void> {
	for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
		const found = await stat(folder).catch(() => undefined);
		if (found === undefined && folder !== dirname(folder)) continue;
		if (!found?.isDirectory())
			throw new UsageError(`${path} cannot be written: ${folder} is no folder.`);
		await access(folder, constants.W_OK).catch((error: unknown) => {
			throw systemError(error, { path, verb: 'written' }) ?? error;
		});
		return;
	}
}

/** A text, bytes, or what is read as it is written. */
export type OutputContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Writes a file, complete or not at all. What is there is replaced where it lies: links stay links, and the
 * new file has the mode and, where this user may give it, the owner of the old one. Devices and pipes are
 * written into.
 *
 * @throws AppError that names the file
 */
export async function writeOutput(path: string, text: OutputContent): Promise<void> {
	try {
		const found = await stat(path).catch((error: unknown) => {
			if (errno(error) === 'ENOENT') return undefined;
			throw error;
		});
		if (found === undefined || found.isFile()) await replace(await placeOf(path), text, found);
		else await writeInto(path, text);
	} catch (error) {
		throw systemError(error, { path, verb: 'written' }) ?? error;
	}
}

/**
 * Refuses a place inside a folder from which links lead out of it: whoever made the folder's content would
 * choose what is written over.
 */
export async function checkInside(folder: string, path: string): Promise<void> {
	const isIn = (place: string, outer: string): boolean => {
		const inner = relative(outer, place);
		return inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
	};
	const place = resolve(path);
	if (!isIn(place, folder)) return;
	// Of what is not there, the nearest folder above that is.
	for (let at = place; ; at = dirname(at)) {
		const found = await lstat(at).catch(() => undefined);
		if (found === undefined && at !== dirname(at)) continue;
		const real = await realPath(at).catch(() => undefined);
		if (real !== undefined && isIn(real, await realPath(folder))) return;
		throw new UsageError(`${path} cannot be written: a link there leads out of ${folder}.`);
	}
}

interface Owned {
	readonly mode: number;
	readonly uid: number;
	readonly gid: number;
}

async function replace(path: string, text: OutputContent, old: Owned | undefined): Promise<void> {
	const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
	try {
		const file = await openPath(draft, 'wx');
		try {
			if (old !== undefined) {
				// Who may not give a file away keeps it.
				if (process.getuid?.() !== old.uid || process.getgid?.() !== old.gid)
					await file.chown(old.uid, old.gid).catch(() => {});
				await file.chmod(old.mode & 0o777);
			}
			await file.writeFile(text);
			await file.sync();
		} finally {
			await file.close();
		}
		await movePath(draft, path);
	} catch (error) {
		await removePath(draft, { force: true }).catch(() => {});
		throw error;
	}
}

async function writeInto(path: string, text: OutputContent): Promise<void> {
	const file = await openPath(path, constants.O_WRONLY);
	try {
		await file.writeFile(text);
	} finally {
		await file.close();
	}
}

/** The system follows no more links either. */
const maxLinks = 40;

/** Where a file lies, or would lie, behind the links that lead there. */
async function placeOf(path: string): Promise<string> {
	let place = resolve(path);
	for (let link = 0; link < maxLinks; link++) {
		const found = await lstat(place).catch(() => undefined);
		if (found?.isSymbolicLink() !== true) break;
		place = resolve(dirname(place), await readlink(place));
	}
	return place;
}
