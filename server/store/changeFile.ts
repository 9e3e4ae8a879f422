/** Changes of files that several processes keep together, so that none loses what another has written. */

import { dirname } from 'node:path';
import { defined } from '../protocol/defined.ts';
import { makePrivateDir, readPlainText, replaceFile, writeDraft } from './files.ts';
import { type FileLock, lockFile } from './lock.ts';
import { removePath } from './movePath.ts';

/** A change takes milliseconds. */
const longestHoldMs = 5000;
const waitMs = 30_000;

export interface ChangeOptions {
	readonly signal?: AbortSignal;
	/** Lock of the file; default: its path with `.lock`. */
	readonly lock?: string;
}

/**
 * Reads a file, has its text changed and writes it, complete or not at all, while no other process
 * does the same. Resolves when the new text is in place; reading needs no lock.
 *
 * @param change Gets the text, `undefined` when there is no file; returns the new one, `undefined` to
 * leave all as it is. It is asked again when this process was held up until another took over.
 * @throws AppError `store_unavailable`, `disk_full`, `cancelled`; whatever `change` throws
 */
export async function changeFile(
	path: string,
	change: (text: string | undefined) => string | undefined,
	options: ChangeOptions = {},
): Promise<void> {
	await makePrivateDir(dirname(path));
	const attempt = async (lock: FileLock): Promise<boolean> => {
		const next = change(await readPlainText(path));
		if (next === undefined) return true;
		const draft = await writeDraft(path, next);
		try {
			const held = await lock.held();
			if (held) await replaceFile(draft, path);
			return held;
		} finally {
			await removePath(draft, { force: true }).catch(() => {});
		}
	};
	while (!(await withLock(options.lock ?? `${path}.lock`, attempt, options.signal)));
}

/** Work of this process under a lock waits here, in order, so that only one of it asks the disk. */
const turns = new Map<string, Promise<unknown>>();

/** Does short work on shared files while no other process does work under the same lock. */
export async function withLock<Result>(
	path: string,
	work: (lock: FileLock) => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const result = (turns.get(path) ?? Promise.resolve()).then(async () => {
		await using lock = await lockFile(path, {
			longestHoldMs,
			waitMs,
			...defined({ signal }),
		});
		return await work(lock);
	});
	const turn = result.catch(() => undefined);
	turns.set(path, turn);
	try {
		return await result;
	} finally {
		if (turns.get(path) === turn) turns.delete(path);
	}
}
