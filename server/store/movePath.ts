/**
 * Renames and removals, the one place for them. Windows refuses both while any program has the file or a file of the
 * folder open, and virus scanners, indexers and backups open whatever was just written: so they are tried again, and
 * who is left without says which program it may be.
 */

import { rename, rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { AppError, errno } from '../protocol/index.ts';

export interface RemoveOptions {
	/** Folders with all that is in them. */
	readonly recursive?: boolean;
	/** What is not there is no error. */
	readonly force?: boolean;
}

export interface PathMover {
	/** Gives a file or folder another name, which a file of that name loses. Rejects with the system's own errors. */
	move(from: string, to: string): Promise<void>;
	/** Rejects with the system's own errors. */
	remove(path: string, options?: RemoveOptions): Promise<void>;
}

/** The system below: tests put that of another machine in its place. */
export interface PathSystem {
	readonly platform: NodeJS.Platform;
	rename(from: string, to: string): Promise<void>;
	rm(path: string, options: RemoveOptions): Promise<void>;
	sleep(milliseconds: number): Promise<unknown>;
}

/** What Windows says of what another program has open. */
const heldCode = /^(?:EPERM|EACCES|EBUSY|ENOTEMPTY)$/;
/** A scanner is done with a file of gigabytes after seconds. */
const timeoutMs = 10_000;
const longestPauseMs = 500;

/** @throws AppError `store_unavailable` from both, on Windows, when another program does not let go */
export function pathMover({ platform, ...system }: PathSystem): PathMover {
	const patiently = async (path: string, verb: string, work: () => Promise<void>) => {
		for (let pauseMs = 20, waitedMs = 0; ; waitedMs += pauseMs, pauseMs *= 1.5) {
			try {
				return await work();
			} catch (error) {
				if (platform !== 'win32' || !heldCode.test(errno(error) ?? '')) throw error;
				if (waitedMs >= timeoutMs) throw held(path, verb, error);
				pauseMs = Math.min(pauseMs, longestPauseMs);
				await system.sleep(pauseMs);
			}
		}
	};
	return {
		move: (from, to) => patiently(to, 'replaced', () => system.rename(from, to)),
		remove: (path, options = {}) => patiently(path, 'removed', () => system.rm(path, options)),
	};
}

function held(path: string, verb: string, cause: unknown): AppError {
	return new AppError(
		'store_unavailable',
		`${path} cannot be ${verb}: another program has it or a file in it open. That may be a virus scanner, a backup, an indexer, or an editor that shows it. Close it and try again.`,
		{ cause },
	);
}

const here = pathMover({ platform: process.platform, rename, rm, sleep: setTimeout });

/** {@link PathMover.move} on this machine. */
export const movePath = here.move;
/** {@link PathMover.remove} on this machine. */
export const removePath = here.remove;
