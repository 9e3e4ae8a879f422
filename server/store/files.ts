/** Private files: complete or absent, readable by their owner alone. */

import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../protocol/index.ts';

/** Creates a folder only its owner can enter. A read-only home becomes a sentence that says so. */
export async function makePrivateDir(path: string): Promise<void> {
	try {
		await mkdir(path, { recursive: true, mode: 0o700 });
	} catch (error) {
		throw unwritable(path, error);
	}
}

/**
 * Text of a file; `undefined` when there is none. A pipe would be waited for without end, so only plain files are read.
 * @throws AppError `store_unavailable` when it is something else or cannot be read
 */
export async function readPlainText(path: string): Promise<string | undefined> {
	try {
		if ((await stat(path)).isFile()) return await readFile(path, 'utf8');
	} catch (error) {
		if (errno(error) === 'ENOENT') return undefined;
		throw new AppError('store_unavailable', `${path} cannot be read (${errno(error)}).`, {
			cause: error,
		});
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
		const file = await open(draft, 'wx', 0o600);
		try {
			await file.writeFile(text);
			await file.sync();
		} finally {
			await file.close();
		}
		return draft;
	} catch (error) {
		await rm(draft, { force: true }).catch(() => {});
		throw unwritable(dirname(path), error);
	}
}

/** The second half: puts the draft in the file's place. Windows refuses while another process reads the old one. */
export async function replaceFile(draft: string, path: string): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		try {
			await rename(draft, path);
			return;
		} catch (error) {
			const busy = /^(EPERM|EACCES|EBUSY)$/.test(errno(error) ?? '');
			if (process.platform === 'win32' && busy && attempt < 10) {
				await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
				continue;
			}
			await rm(draft, { force: true }).catch(() => {});
			throw unwritable(dirname(path), error);
		}
	}
}

/** What a person needs to know when a folder cannot be written to. */
export function unwritable(path: string, cause: unknown): AppError {
	const code = errno(cause);
	if (code === 'ENOSPC' || code === 'EDQUOT')
		return new AppError('disk_full', `There is no space left to write to ${path}.`, { cause });
	const reason =
		code === 'EROFS'
			? 'it is on a read-only file system'
			: code === 'EACCES' || code === 'EPERM'
				? 'this user may not write there'
				: code === 'ENOTDIR' || code === 'EEXIST'
					? 'a part of the path is a file'
					: (code ?? String(cause));
	return new AppError(
		'store_unavailable',
		`Nearglot cannot write to ${path}: ${reason}. Set NEARGLOT_HOME to a folder that can be written to.`,
		{ cause },
	);
}

/** System error code, e.g. `ENOENT`. */
export function errno(error: unknown): string | undefined {
	return error instanceof Error && 'code' in error && typeof error.code === 'string'
		? error.code
		: undefined;
}
