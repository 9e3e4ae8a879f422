/**
 * A bounded queue for one kind of heavy work. What it counts is the work that requests are expected to be, not the
 * requests; what goes beyond its bound is refused at once, with the time after which there should be room.
 */

import { AppError } from '../protocol/index.ts';

export type WorkPriority = 'interactive' | 'batch';

export interface WorkQueueOptions {
	/** What waits, for the refusal: `400000 characters wait to be translated`. */
	readonly describe: (waiting: number) => string;
	/** Work at once; the last that is let in may go beyond it. */
	readonly maxRunning: number;
	/** Work that waits for its turn, that of people and that of files each. */
	readonly maxWaiting: number;
	/** Nobody waits for longer than this at the pace of the work so far; that much less is let in on a slow machine. */
	readonly maxWaitS?: number;
	/** Milliseconds of a clock that is never set. */
	readonly now?: () => number;
}

/** What is asked of a queue for one request. */
export interface WorkRequest {
	/** In the queue's own unit. */
	readonly work: number;
	readonly priority?: WorkPriority;
	/** Part of something that was let in elsewhere: it waits for its turn, but is never refused. */
	readonly isPart?: boolean;
}

/** After so many interactive requests in a row a waiting batch request gets its turn. */
const maxPassed = 8;
/** Seconds, before anything is known of the pace. */
const unknownRetryS = 5;
const maxRetryS = 30;
const usualMaxWaitS = 90;
/** Milliseconds of work after which what was done before counts half: requests end in bursts. */
const halfLifeMs = 30_000;
/** Milliseconds of work after which the pace is known, however little was done. */
const minKnownMs = 20_000;

interface Waiting extends WorkRequest {
	go(): void;
}

/** Those of one priority that wait, in the order in which they came. */
class WaitingList extends Set<Waiting> {
	work = 0;

	override add(waiting: Waiting): this {
		this.work += waiting.work;
		return super.add(waiting);
	}

	override delete(waiting: Waiting): boolean {
		const isIn = super.delete(waiting);
		if (isIn) this.work -= waiting.work;
		return isIn;
	}
}

export class WorkQueue {
	readonly #options: WorkQueueOptions;
	readonly #now: () => number;
	readonly #interactive = new WaitingList();
	readonly #batch = new WaitingList();
	#passed = 0;
	#running = 0;
	/** Work that has ended lately, and the milliseconds it took while anything ran. */
	#done = 0;
	#doneMs = 0;
	#countedMs = 0;
	/** When those that were refused so far should have come back and gone. */
	#refusedUntilMs = 0;

	constructor(options: WorkQueueOptions) {
		this.#options = options;
		this.#now = options.now ?? (() => performance.now());
	}

	/** Work that has been let in and work that waits for it. */
	get load(): { readonly running: number; readonly waiting: number } {
		return { running: this.#running, waiting: this.#interactive.work + this.#batch.work };
	}

	/** Requests that wait for their turn. */
	get waiting(): number {
		return this.#interactive.size + this.#batch.size;
	}

	/** Throws `overloaded` when so much more work would be refused: asked before a body is read. */
	checkRoom(request: WorkRequest = { work: 0 }): void {
		const { describe } = this.#options;
		const maxWaiting = this.#maxWaiting;
		const { work: waiting, size } = this.#listOf(request);
		if (size === 0 || (waiting < maxWaiting && waiting + request.work <= maxWaiting)) return;
		const retryAfterS = this.#retryAfterS(Math.max(request.work, maxWaiting / 64));
		throw new AppError(
			'overloaded',
			`The model server is overloaded: ${describe(waiting)}, and no more are taken now. Try again in ${retryAfterS} s.`,
			{ retryAfterS },
		);
	}

	/**
	 * Waits for a turn; what is returned has to be disposed of when the work is done. Rejects with `overloaded`, at
	 * once, and `cancelled`.
	 */
	async enter(request: WorkRequest, signal?: AbortSignal): Promise<Disposable> {
		if (signal?.aborted) throw new AppError('cancelled');
		if (request.isPart !== true) this.checkRoom(request);
		if (!this.#hasTurn(request)) await this.#wait(request, signal);
		else this.#begin(request.work);
		let isOpen = true;
		const leave = () => {
			if (!isOpen) return;
			isOpen = false;
			this.#end(request.work);
		};
		// Who was given a turn and goes at that moment passes it on.
		if (signal?.aborted) {
			leave();
			throw new AppError('cancelled');
		}
		return { [Symbol.dispose]: leave };
	}

	#listOf({ priority }: WorkRequest): WaitingList {
		return priority === 'interactive' ? this.#interactive : this.#batch;
	}

	/** Interactive requests do not wait for files: they may take as much again. */
	#hasTurn({ priority }: WorkRequest): boolean {
		const { maxRunning } = this.#options;
		if (priority !== 'interactive')
			return this.#running < maxRunning && this.#interactive.size + this.#batch.size === 0;
		return this.#running < 2 * maxRunning && this.#interactive.size === 0;
	}

	#wait(request: WorkRequest, signal: AbortSignal | undefined): Promise<void> {
		const list = this.#listOf(request);
		return new Promise((resolve, reject) => {
			const onAbort = () => {
				list.delete(waiting);
				reject(new AppError('cancelled'));
			};
			const waiting: Waiting = {
				...request,
				go: () => {
					list.delete(waiting);
					signal?.removeEventListener('abort', onAbort);
					this.#begin(request.work);
					resolve();
				},
			};
			list.add(waiting);
			signal?.addEventListener('abort', onAbort, { once: true });
		});
	}

	#begin(work: number): void {
		if (this.#running === 0) this.#countedMs = this.#now();
		this.#running += work;
	}

	#end(work: number): void {
		const now = this.#now();
		const passedMs = Math.max(0, now - this.#countedMs);
		const kept = 2 ** (-passedMs / halfLifeMs);
		this.#done = this.#done * kept + work;
		this.#doneMs = this.#doneMs * kept + passedMs;
		this.#countedMs = now;
		this.#running -= work;
		for (let next = this.#next(); next !== undefined; next = this.#next()) next.go();
	}

	/** The next that may go on, if any may. */
	#next(): Waiting | undefined {
		const { maxRunning } = this.#options;
		const [person] = this.#interactive;
		const [file] = this.#batch;
		const isFileTurn = person === undefined || (file !== undefined && this.#passed >= maxPassed);
		if (isFileTurn) {
			if (file === undefined || this.#running >= maxRunning) return undefined;
			this.#passed = 0;
			return file;
		}
		if (this.#running >= 2 * maxRunning) return undefined;
		this.#passed++;
		return person;
	}

	/** Work that may wait on this machine. */
	get #maxWaiting(): number {
		const { maxWaiting, maxRunning, maxWaitS = usualMaxWaitS } = this.#options;
		const perMs = this.#perMs;
		if (perMs === undefined) return maxWaiting;
		return Math.min(maxWaiting, Math.max(maxRunning, perMs * maxWaitS * 1000));
	}

	/** Work that gets done in a millisecond, once that is known: what was done first waited for its model, too. */
	get #perMs(): number | undefined {
		const isKnown = this.#done >= this.#options.maxRunning || this.#doneMs >= minKnownMs;
		return this.#done === 0 || !isKnown ? undefined : this.#done / this.#doneMs;
	}

	/** Those that are refused are sent back one after the other, as the work before them gets done. */
	#retryAfterS(work: number): number {
		const perMs = this.#perMs;
		if (perMs === undefined) return unknownRetryS;
		const now = this.#now();
		const half = now + this.load.waiting / 2 / perMs;
		this.#refusedUntilMs = Math.max(this.#refusedUntilMs, half) + work / perMs;
		const waitS = (this.#refusedUntilMs - now) / 1000;
		this.#refusedUntilMs = Math.min(this.#refusedUntilMs, now + maxRetryS * 1000);
		return Math.min(maxRetryS, Math.max(1, Math.ceil(waitS)));
	}
}
