/** Renames and removals, the one place for them: `backoff.ts` says why they are tried again. */

import { rename, rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
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
	sleep(milliseconds: number): Promise<unknown>;
}

/** @throws AppError `store_unavailable` from both, on Windows, when another program does not let go */
export const pathMover = ({ platform, sleep, ...system }: PathSystem): PathMover => ({
	move: (from, to) =>
		withBackoff({ path: to, verb: 'replaced' }, () => system.rename(from, to), platform, sleep),
	remove: (path, options = {}) =>
		withBackoff({ path, verb: 'removed' }, () => system.rm(path, options), platform, sleep),
});

const here = pathMover({ platform: process.platform, rename, rm, sleep: setTimeout });

/** {@link PathMover.move} on this machine. */
export const movePath = here.move;
/** {@link PathMover.remove} on this machine. */
export const removePath = here.remove;
