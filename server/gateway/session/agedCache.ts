/** Remembers answers of the store for a few seconds, however the clock of the machine is set meanwhile. */

import { LruMap } from '../../protocol/lruMap.ts';

const maxEntries = 10_000;

interface Entry<T> {
	readonly value: T;
	readonly at: number;
	readonly elapsedAt: number;
}

export class AgedCache<T> {
	readonly #entries = new LruMap<string, Entry<T>>(maxEntries);
	readonly #lifeMs: number;
	readonly #now: () => number;
	readonly #elapsed: () => number;

	/**
	 * @param now Unix ms, which may be set back and forward.
	 * @param elapsed Milliseconds of a clock that nobody sets.
	 */
	constructor(lifeMs: number, now: () => number, elapsed: () => number) {
		this.#lifeMs = lifeMs;
		this.#now = now;
		this.#elapsed = elapsed;
	}

	/** Undefined when it is not there or too old by either clock. */
	get(key: string): T | undefined {
		const entry = this.#entries.get(key);
		if (!entry) return undefined;
		const ageMs = this.#now() - entry.at;
		const young =
			ageMs >= 0 && ageMs < this.#lifeMs && this.#elapsed() - entry.elapsedAt < this.#lifeMs;
		return young ? entry.value : undefined;
	}

	/** What was set last, however long ago. */
	last(key: string): T | undefined {
		return this.#entries.peek(key)?.value;
	}

	/** Adds or replaces an entry. */
	set(key: string, value: T): void {
		this.#entries.set(key, { value, at: this.#now(), elapsedAt: this.#elapsed() });
	}

	delete(key: string): void {
		this.#entries.delete(key);
	}
}
