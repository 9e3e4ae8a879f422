/** Whether a shard gets on: what of its work runs or is about to, and what waits until it may be asked again. */

import { isTurn } from './itemFailures.ts';
import type { ShardRef } from './jobTypes.ts';

/** What stands in the way of a shard. */
export interface ShardWait {
	readonly code: string;
	readonly message: string;
	/** When it may go on, in seconds since 1970; absent where nobody can say. */
	readonly until?: number;
}

/**
 * Told when all of a shard's work that has begun waits, and none can begin before some of it is done.
 *
 * @param moved resolves when an item has been done since
 * @param why what it waits for at the moment, if it is worth a word
 */
export type OnWait = (moved: Promise<void>, why: () => ShardWait | undefined) => void;

/** A shard that waits, with what it was told by {@link OnWait}. */
export interface WaitingShard {
	readonly until: Promise<void>;
	readonly why: () => ShardWait | undefined;
}

/** Shards of a batch that may wait for what is away before no more of it begin. */
const maxAway = 8;

/** Batches of which no more shards begin. A turn is of all of a batch; what is away may be needed by a few of its items. */
export function stalledBatches(waiting: ReadonlyMap<ShardRef, WaitingShard>): Set<string> {
	const counts = new Map<string, number>();
	for (const [{ batch }, { why }] of waiting)
		counts.set(batch, (counts.get(batch) ?? 0) + (isTurn(why()?.code) ? maxAway : 1));
	return new Set([...counts].filter(([, count]) => count >= maxAway).map(([batch]) => batch));
}

export class ShardWaits {
	readonly #onWait: OnWait | undefined;
	/** Lines of work, each of one item after the other. */
	#busy = 0;
	#waiting = 0;
	#move: (() => void) | undefined;
	/** What those that wait do so for. */
	readonly #whys = new Set<{ readonly why: ShardWait }>();
	/** The last of those, while it is asked for again. */
	#why: ShardWait | undefined;

	constructor(onWait: OnWait | undefined) {
		this.#onWait = onWait;
	}

	/** A line of work, from its first item to its last. */
	async during<T>(work: () => Promise<T>): Promise<T> {
		this.#busy++;
		try {
			return await work();
		} finally {
			this.#busy--;
			this.#look();
		}
	}

	/** What an item waits for, within a line of work. @param why absent: it is too short for a word */
	async pause(wait: () => Promise<void>, why?: ShardWait): Promise<void> {
		this.#why = why ?? this.#why;
		const own = why && { why };
		if (own) this.#whys.add(own);
		this.#busy--;
		this.#waiting++;
		this.#look();
		try {
			await wait();
		} finally {
			if (own) this.#whys.delete(own);
			this.#waiting--;
			this.#busy++;
		}
	}

	/** An item has its answer. */
	done(): void {
		this.#move?.();
		this.#move = undefined;
		this.#why = undefined;
	}

	#look(): void {
		if (this.#busy > 0 || this.#waiting === 0 || this.#move !== undefined) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#move = resolve;
		this.#onWait?.(promise, () => [...this.#whys].at(-1)?.why ?? this.#why);
	}
}
