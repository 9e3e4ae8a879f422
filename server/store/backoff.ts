/**
 * Waiting for programs that have a file open. Windows refuses to rename, remove, open or link what another program
 * holds, and virus scanners, indexers and backups hold whatever was just written: so it is tried again, and who is
 * left without says which program it may be. On other systems nothing of the kind happens, and nobody waits.
 */

import { AppError, errno } from '../protocol/index.ts';

/** What was wanted of a path; the sentence says `PATH cannot be replaced`. */
export interface Wanted {
	readonly path: string;
	readonly verb: 'replaced' | 'removed' | 'opened' | 'made' | 'copied';
	/**
	 * Longest wait where the system's answer may as well mean that this user has not the right, milliseconds; default
	 * as long as for a file that is surely held.
	 */
	readonly doubtfulMs?: number;
}

/** Windows' word for a file that another program holds. */
const heldCode = 'EBUSY';
/** What it says of such a file, too, but also of other things. */
const doubtfulCode = /^(?:EPERM|EACCES|ENOTEMPTY)$/;
/** A scanner is done with a file of gigabytes after seconds. */
const longestMs = 10_000;
const longestPauseMs = 500;

/** How often, and after which pauses, one thing is tried. */
export class Backoff {
	readonly #platform: NodeJS.Platform;
	readonly #wanted: Wanted;
	#waitedMs = 0;
	#pauseMs = 20;

	constructor(wanted: Wanted, platform: NodeJS.Platform) {
		this.#wanted = wanted;
		this.#platform = platform;
	}

	/**
	 * @returns milliseconds to wait before the next try
	 * @throws the error itself when waiting does not help; AppError `store_unavailable` when it was waited long enough
	 */
	pauseAfter(error: unknown): number {
		const code = errno(error) ?? '';
		const isDoubtful = doubtfulCode.test(code);
		if (this.#platform !== 'win32' || !(isDoubtful || code === heldCode)) throw error;
		const { doubtfulMs = longestMs } = this.#wanted;
		if (this.#waitedMs >= (isDoubtful ? doubtfulMs : longestMs))
			// Where it may as well be a right that is missing, the system's own word is the better one.
			throw isDoubtful && doubtfulMs < longestMs ? error : held(this.#wanted, error);
		const pauseMs = this.#pauseMs;
		this.#waitedMs += pauseMs;
		this.#pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
		return pauseMs;
	}
}

function held({ path, verb }: Wanted, cause: unknown): AppError {
	return new AppError(
		'store_unavailable',
		`${path} cannot be ${verb}: another program has it or a file in it open. That may be a virus scanner, a backup, an indexer, or an editor that shows it. Close it and try again.`,
		{ cause },
	);
}

/** Holds the thread, milliseconds: for code that cannot wait otherwise. */
export const sleepNow = (milliseconds: number): void =>
	void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** Does the work when it can be done. */
export async function withBackoff<Result>(
	wanted: Wanted,
	work: () => Promise<Result>,
	platform: NodeJS.Platform,
	sleep: (milliseconds: number) => Promise<unknown>,
): Promise<Result> {
	for (const backoff = new Backoff(wanted, platform); ; ) {
		try {
			return await work();
		} catch (error) {
			await sleep(backoff.pauseAfter(error));
		}
	}
}
