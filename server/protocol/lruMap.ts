/** The one map with a limit: entries that were used longest ago make room for new ones. */

interface Entry<V> {
	readonly value: V;
	readonly size: number;
}

export class LruMap<K, V> {
	/** The one that was used last comes last. */
	readonly #entries = new Map<K, Entry<V>>();
	readonly #limit: number;
	readonly #sizeOf: (key: K, value: V) => number;
	#total = 0;

	/**
	 * @param limit what the sizes of all entries may add up to
	 * @param sizeOf size of an entry, at least 0; without it each counts 1
	 */
	constructor(limit: number, sizeOf: (key: K, value: V) => number = () => 1) {
		this.#limit = limit;
		this.#sizeOf = sizeOf;
	}

	/** Number of entries. */
	get size(): number {
		return this.#entries.size;
	}

	/** Sum of the sizes of the entries. */
	get total(): number {
		return this.#total;
	}

	/** The value, which now counts as used last. */
	get(key: K): V | undefined {
		const entry = this.#entries.get(key);
		if (entry === undefined) return undefined;
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		return entry.value;
	}

	/** The value, without counting that as use. */
	peek(key: K): V | undefined {
		return this.#entries.get(key)?.value;
	}

	/** Adds or replaces an entry. One that alone is larger than the limit is not kept. */
	set(key: K, value: V): void {
		this.delete(key);
		const size = this.#sizeOf(key, value);
		if (size > this.#limit) return;
		this.#entries.set(key, { value, size });
		this.#total += size;
		for (const oldest of this.#entries.keys()) {
			if (this.#total <= this.#limit) break;
			this.delete(oldest);
		}
	}

	delete(key: K): void {
		const entry = this.#entries.get(key);
		if (entry === undefined) return;
		this.#entries.delete(key);
		this.#total -= entry.size;
	}

	clear(): void {
		this.#entries.clear();
		this.#total = 0;
	}
}
