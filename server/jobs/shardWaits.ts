/** Whether a shard gets on: what of its work runs or is about to, and what waits until it may be asked again. */

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

export class ShardWaits {
	readonly #onWait: OnWait | undefined;
	/** Lines of work, each of one item after the other. */
	#busy = 0;
	#waiting = 0;
	#move: (() => void) | undefined;
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
		this.#busy--;
		this.#waiting++;
		this.#look();
		try {
			await wait();
		} finally {
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
		this.#onWait?.(promise, () => this.#why);
	}
}
