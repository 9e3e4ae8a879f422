/**
 * A bound for one kind of heavy work. What it counts is the work that requests are expected to be, not the
 * requests; what goes beyond it is refused at once, with the time after which there should be room. Nobody waits
 * here: whoever is let in waits where the work is done.
 */

import { AppError } from '../protocol/index.ts';

export type WorkPriority = 'interactive' | 'batch';

export interface WorkBoundOptions {
	/** What has been let in, for the refusal: `400000 characters wait to be translated`. */
	readonly describe: (work: number) => string;
	/** Work that may be let in at a time, that of people and that of files each. */
	readonly maxWork: number;
	/** That much is let in on a slow machine, too. */
	readonly minWork: number;
	/** Nobody waits for longer than this at the pace of the work so far; that much less is let in on a slow machine. */
	readonly maxWaitS?: number;
	/** Milliseconds of a clock that is never set. */
	readonly now?: () => number;
}

/** What is asked of a bound for one request. */
export interface WorkRequest {
	/** In the bound's own unit. */
	readonly work: number;
	readonly priority?: WorkPriority;
	/** Part of something that was let in elsewhere: it is counted, but never refused. */
	readonly isPart?: boolean;
}

/** Seconds, before anything is known of the pace. */
const unknownRetryS = 5;
const maxRetryS = 30;
const usualMaxWaitS = 90;
/** Milliseconds of work after which what was done before counts half: requests end in bursts. */
const halfLifeMs = 30_000;
/** Milliseconds of work after which the pace is known, however little was done. */
const minKnownMs = 20_000;

export class WorkBound {
	readonly #options: WorkBoundOptions;
	readonly #now: () => number;
	readonly #work: Record<WorkPriority, number> = { interactive: 0, batch: 0 };
	/** Work that has ended lately, and the milliseconds it took while there was any. */
	#done = 0;
	#doneMs = 0;
	#countedMs = 0;
	/** When those that were refused so far should have come back and gone. */
	#refusedUntilMs = 0;

	constructor(options: WorkBoundOptions) {
		this.#options = options;
		this.#now = options.now ?? (() => performance.now());
	}

	/** Work that has been let in and has not ended. */
	get work(): number {
		return this.#work.interactive + this.#work.batch;
	}

	/** Throws `overloaded` when so much more work would be refused: asked before a body is read. */
	checkRoom({ work, priority = 'batch' }: WorkRequest = { work: 0 }): void {
		const { describe } = this.#options;
		const maxWork = this.#maxWork;
		const held = this.#work[priority];
		if (held === 0 || (held < maxWork && held + work <= maxWork)) return;
		const retryAfterS = this.#retryAfterS(Math.max(work, maxWork / 64));
		throw new AppError(
			'overloaded',
			`The model server is overloaded: ${describe(held)}, and no more are taken now. Try again in ${retryAfterS} s.`,
			{ retryAfterS },
		);
	}

	/**
	 * Lets work in; what is returned has to be disposed of when it is done. Throws `overloaded`, and `cancelled` for
	 * what is not wanted any more.
	 */
	enter(request: WorkRequest, signal?: AbortSignal): Disposable {
		if (signal?.aborted) throw new AppError('cancelled');
		if (request.isPart !== true) this.checkRoom(request);
		const { work, priority = 'batch' } = request;
		if (this.work === 0) this.#countedMs = this.#now();
		this.#work[priority] += work;
		let isOpen = true;
		return {
			[Symbol.dispose]: () => {
				if (isOpen) this.#end(work, priority);
				isOpen = false;
			},
		};
	}

	#end(work: number, priority: WorkPriority): void {
		const now = this.#now();
		const passedMs = Math.max(0, now - this.#countedMs);
		const kept = 2 ** (-passedMs / halfLifeMs);
		this.#done = this.#done * kept + work;
		this.#doneMs = this.#doneMs * kept + passedMs;
		this.#countedMs = now;
		this.#work[priority] -= work;
	}

	/** Work that may be let in on this machine. */
	get #maxWork(): number {
		const { maxWork, minWork, maxWaitS = usualMaxWaitS } = this.#options;
		const perMs = this.#perMs;
		if (perMs === undefined) return maxWork;
		return Math.min(maxWork, Math.max(minWork, perMs * maxWaitS * 1000));
	}

	/** Work that gets done in a millisecond, once that is known: what was done first waited for its model, too. */
	get #perMs(): number | undefined {
		const isKnown = this.#done >= this.#options.minWork || this.#doneMs >= minKnownMs;
		return this.#done === 0 || !isKnown ? undefined : this.#done / this.#doneMs;
	}

	/** Those that are refused are sent back one after the other, as the work before them gets done. */
	#retryAfterS(work: number): number {
		const perMs = this.#perMs;
		if (perMs === undefined) return unknownRetryS;
		const now = this.#now();
		const half = now + Math.max(0, this.work - this.#options.minWork) / 2 / perMs;
		this.#refusedUntilMs = Math.max(this.#refusedUntilMs, half) + work / perMs;
		const waitS = (this.#refusedUntilMs - now) / 1000;
		this.#refusedUntilMs = Math.min(this.#refusedUntilMs, now + maxRetryS * 1000);
		return Math.min(maxRetryS, Math.max(1, Math.ceil(waitS)));
	}
}
