/** Requests that wait to be admitted: interactive before batch, first come first served, no starvation. */

export interface QueuedRequest {
	readonly priority: 'interactive' | 'batch';
	/** Tokens it is expected to read and write. */
	readonly expectedTokens: number;
}

export interface WaitingLimits {
	/** Maximum requests waiting. */
	readonly maxWaiting?: number;
	/** Tokens that waiting requests are expected to read and write. */
	readonly maxWaitingTokens?: number;
}

/** After so many interactive requests in a row a waiting batch request gets its turn. */
const maxPassed = 8;

export class RequestQueue<T extends QueuedRequest> {
	readonly #interactive: T[] = [];
	readonly #batch: T[] = [];
	#passed = 0;
	#tokens = 0;

	get size(): number {
		return this.#interactive.length + this.#batch.length;
	}

	/** Expected of all that wait. */
	get tokens(): number {
		return this.#tokens;
	}

	/** What there is too much of for another request, if it is; one alone may expect any number of tokens. */
	fullOf(
		{ expectedTokens }: T,
		{ maxWaiting = 256, maxWaitingTokens = 262_144 }: WaitingLimits,
	): string | undefined {
		if (this.size >= maxWaiting) return `${this.size} requests`;
		if (this.size > 0 && this.#tokens + expectedTokens > maxWaitingTokens)
			return `${this.#tokens} tokens`;
		return undefined;
	}

	add(item: T): void {
		this.#tokens += item.expectedTokens;
		(item.priority === 'interactive' ? this.#interactive : this.#batch).push(item);
	}

	/** The next in turn, left in place. */
	peek(): T | undefined {
		const isBatchNext = this.#batch.length > 0 && this.#passed >= maxPassed;
		return isBatchNext ? this.#batch[0] : (this.#interactive[0] ?? this.#batch[0]);
	}

	/** Takes the next in turn. */
	shift(): T | undefined {
		const item = this.peek();
		if (item === undefined) return undefined;
		this.remove(item);
		if (item.priority === 'batch' || this.#batch.length === 0) this.#passed = 0;
		else this.#passed++;
		return item;
	}

	/** Takes an item out; false when it was not waiting. */
	remove(item: T): boolean {
		for (const list of [this.#interactive, this.#batch]) {
			const index = list.indexOf(item);
			if (index === -1) continue;
			list.splice(index, 1);
			this.#tokens -= item.expectedTokens;
			return true;
		}
		return false;
	}

	/** All waiting, in the order they would be taken if nothing else came. */
	*[Symbol.iterator](): Generator<T> {
		yield* this.#interactive;
		yield* this.#batch;
	}
}
