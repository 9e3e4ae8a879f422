/** Renames and removals, the one place for them: `backoff.ts` says why they are tried again. */

import { rename, rm, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';
import { withBackoff } from './backoff.ts';

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
	/** Whether a file has Windows' mark for that. */
	isReadOnly(path: string): Promise<boolean>;
	sleep(milliseconds: number): Promise<unknown>;
}

/**
 * @throws AppError `store_unavailable`, on Windows, when another program does not let go, and when a file that is to be
 * replaced is marked as read-only
 */
export const pathMover = ({ platform, sleep, ...system }: PathSystem): PathMover => ({
	move: (from, to) =>
		withBackoff(
			{ path: to, verb: 'replaced' },
			async () => {
				try {
					await system.rename(from, to);
				} catch (cause) {
					if (platform !== 'win32' || !(await system.isReadOnly(to))) throw cause;
					throw new AppError(
						'store_unavailable',
						`${to} cannot be replaced: it is marked as read-only. Remove that mark (attrib -r) and try again.`,
						{ cause },
					);
				}
			},
			platform,
			sleep,
		),
	remove: (path, options = {}) =>
		withBackoff({ path, verb: 'removed' }, () => system.rm(path, options), platform, sleep),
});

const here = pathMover({
	platform: process.platform,
	rename,
	rm,
	isReadOnly: async (path) => {
		const found = await stat(path).catch(() => undefined);
		return found?.isFile() === true && (found.mode & 0o200) === 0;
	},
	sleep: setTimeout,
});

/** {@link PathMover.move} on this machine. */
export const movePath = here.move;
/** {@link PathMover.remove} on this machine. */
export const removePath = here.remove;
