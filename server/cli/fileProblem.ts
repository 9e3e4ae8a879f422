/** Why a file cannot be had, in words. */

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './command.ts';

const reasons: Readonly<Record<string, string>> = {
	EACCES: 'you may not read it',
	EISDIR: 'it is a folder',
	ENOENT: 'there is no such file',
	ENOTDIR: 'there is no such file',
	EPERM: 'you may not read it',
};

/** The reason in an error of the file system. */
export function fileProblem(error: unknown): string {
	const { code = '', message } = error as NodeJS.ErrnoException;
	return reasons[code] ?? (code || message);
}

/**
 * Makes sure that a file can be written to a place, before there is any work to be lost.
 *
 * @param force Whether a file that is there may be replaced.
 */
export async function checkTarget(path: string, force: boolean): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (found?.isDirectory()) throw new UsageError(`${path} is a folder; name the file to write.`);
	if (found && !force)
		throw new UsageError(`${path} exists already; choose another name or add --force.`);
	const folder = await stat(dirname(path)).catch(() => undefined);
	if (!folder?.isDirectory())
		throw new UsageError(`${path} cannot be written: there is no folder ${dirname(path)}.`);
}
