/** Whether a file can be opened or made, found out without leaving anything behind. */

import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, errno, systemReason } from '../protocol/index.ts';

const reasons: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		EACCES: 'this user may not write there',
		EPERM: 'this user may not write there',
		EROFS: 'it is on a read-only file system',
		ENOTDIR: 'a part of the path is a file',
		ENOENT: 'there is no such folder',
		EISDIR: 'it is a folder',
	}),
);

/**
 * @param what The file in the words of the settings, at the beginning of a sentence.
 * @param makesFolders Whether missing folders are made with it.
 * @throws AppError `invalid_request` when neither the file nor a new one in its place can be written.
 */
export function checkPlace(path: string, what: string, makesFolders = false): void {
	try {
		let place = existsSync(path) ? path : dirname(path);
		while (makesFolders && !existsSync(place) && dirname(place) !== place) place = dirname(place);
		const isFolder = statSync(place).isDirectory();
		if (isFolder === (place === path))
			throw unusable(path, what, isFolder ? reasons.get('EISDIR')! : reasons.get('ENOTDIR')!);
		if (isFolder) rmdirSync(mkdtempSync(join(place, '.nearglot-')));
		else accessSync(place, constants.W_OK);
	} catch (error) {
		throw error instanceof AppError ? error : unusable(path, what, reasonOf(error), error);
	}
}

/** The reason in an error of the file system or of SQLite. */
export function reasonOf(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	return reasons.get(errno(error) ?? '') ?? systemReason(error) ?? message;
}

/** One sentence about a file that the settings name. */
export function unusable(path: string, what: string, reason: string, cause?: unknown): AppError {
	return new AppError('invalid_request', `${what} ${path} cannot be used: ${reason}.`, { cause });
}
