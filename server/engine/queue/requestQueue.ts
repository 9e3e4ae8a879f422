/**
 * Requests that wait for a model, whatever they want of it: interactive before batch, people in turn by the work
 * they bring, bounded, and nobody starves. Knows nothing of what is done with them.
 */

import { AppError } from '../../protocol/index.ts';
import { FairList } from './fairList.ts';

export interface QueuedRequest {
	readonly priority: 'interactive' | 'batch';
	/** Whose it is; see `Owned`. All who cannot be told apart share one turn. */
	readonly owner?: string | undefined;
	/** What it is expected to be, in the unit of its queue. */
	readonly work: number;
	/** A later part of a request: it waits for its turn again, and is neither refused nor counted. */
	readonly isPart?: boolean | undefined;
	/** It was let in before it came here: it waits for its turn, but is never refused. */
	readonly isAdmitted?: boolean | undefined;
}

export interface WaitingLimits {
	/** Maximum requests waiting. */
	readonly maxWaiting?: number;
	/** Work that waiting requests may be expected to be. */
	readonly maxWaitingWork?: number;
}

export interface RequestQueueOptions extends Required<WaitingLimits> {
	/** What the work is counted in, for the refusal: `tokens`. */
	readonly unit: string;
	/** Milliseconds, monotonic. */
	readonly now?: () => number;
}

/** What a queue has done; parts of a request count as one. */
export interface QueueTotals {
	/** Requests that had their turn. */
	readonly admitted: number;
	readonly refused: number;
	/** Milliseconds that they waited for it, altogether. */
	readonly waitedMs: number;
}

/** Of a queue that nobody has set otherwise; work in tokens. */
export const usualLimits = { maxWaiting: 256, maxWaitingWork: 262_144 };

/** After so many interactive requests in a row a waiting batch request gets its turn. */
const maxPassed = 8;
/** Seconds. */
const retryAfterS = 2;

export class RequestQueue<T extends QueuedRequest> {
	readonly #options: RequestQueueOptions;
	readonly #now: () => number;
	readonly #interactive = new FairList<T>();
	readonly #batch = new FairList<T>();
	readonly #since = new Map<T, number>();
	readonly #totals = { admitted: 0, refused: 0, waitedMs: 0 };
	#passed = 0;

	constructor(options: RequestQueueOptions) {
		this.#options = options;
		this.#now = options.now ?? (() => performance.now());
	}

	get size(): number {
		return this.#since.size;
	}

	/** Expected of all that wait. */
	get work(): number {
		return this.#interactive.work + this.#batch.work;
	}

	get totals(): QueueTotals {
		return this.#totals;
	}

	/**
	 * Why another request cannot wait, if it cannot. One alone may be any work. People who hold less than their
	 * share of a full queue are let in beside those who fill it, up to as much again.
	 */
	refusal({
		work,
		owner,
		isPart,
		isAdmitted,
	}: Omit<QueuedRequest, 'priority'>): AppError | undefined {
		if (isPart === true || isAdmitted === true || this.size === 0) return undefined;
		const { maxWaiting, maxWaitingWork, unit } = this.#options;
		const own = this.#heldBy(owner);
		const share = 1 / Math.max(1, own.others + 1);
		const isFull = (all: number, mine: number, max: number): boolean =>
			all > 2 * max || (all > max && mine > max * share);
		const full = isFull(this.size + 1, own.size + 1, maxWaiting)
			? `${this.size} requests`
			: isFull(this.work + work, own.work + work, maxWaitingWork)
				? `${Math.round(this.work)} ${unit}`
				: undefined;
		if (full === undefined) return undefined;
		this.#totals.refused++;
		return new AppError('overloaded', `The queue is full (${full} wait). Try again later.`, {
			retryAfterS,
		});
	}

	add(request: T): void {
		this.#listOf(request).add(request);
		this.#since.set(request, this.#now());
	}

	/** The next in turn, left in place. */
	peek(): T | undefined {
		const isBatchNext = this.#batch.size > 0 && this.#passed >= maxPassed;
		return isBatchNext ? this.#batch.peek() : (this.#interactive.peek() ?? this.#batch.peek());
	}

	/** Gives a request its turn, the next one's by default. */
	take(request: T | undefined = this.peek()): T | undefined {
		const since = request && this.#since.get(request);
		if (request === undefined || since === undefined) return undefined;
		this.#listOf(request).take(request);
		this.#since.delete(request);
		if (request.isPart !== true) {
			this.#totals.admitted++;
			this.#totals.waitedMs += this.#now() - since;
		}
		if (request.priority === 'batch' || this.#batch.size === 0) this.#passed = 0;
		else this.#passed++;
		return request;
	}

	/** Takes out a request that wants no turn any more; false when it was not waiting. */
	remove(request: T): boolean {
		this.#listOf(request).remove(request);
		return this.#since.delete(request);
	}

	/** All waiting, in the order they would be taken if nothing else came. */
	*[Symbol.iterator](): Generator<T> {
		yield* this.#interactive;
		yield* this.#batch;
	}

	#listOf({ priority }: T): FairList<T> {
		return priority === 'interactive' ? this.#interactive : this.#batch;
	}

	/** What a person holds of the queue, and how many others hold something. */
	#heldBy(owner: string | undefined): { size: number; work: number; others: number } {
		const held = { size: 0, work: 0 };
		const owners = new Set<string | undefined>();
		for (const list of [this.#interactive, this.#batch]) {
			for (const one of list.owners()) if (one !== owner) owners.add(one);
			const own = list.heldBy(owner);
			held.size += own.size;
			held.work += own.work;
		}
		return { ...held, others: owners.size };
	}
}
