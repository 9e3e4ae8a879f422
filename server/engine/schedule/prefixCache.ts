/**
 * Caches of finished requests, found again by the longest common beginning of their tokens. Each has
 * an owner and serves no other: a hit shows in counts and times, and would disclose what others wrote.
 */

import type { KvCache } from '../kv/kvCache.ts';

/** Whose tokens, which ones, and the cache that holds them. */
export interface OwnedPrefix {
	/** `undefined`: neither kept nor found. */
	readonly owner: string | undefined;
	readonly tokens: readonly number[];
	readonly cache: KvCache;
}

interface Entry extends OwnedPrefix {
	usedAt: number;
}

/** Shorter common beginnings are not worth a copy. */
const minPrefix = 4;

/** Number of equal tokens at the beginning of both. */
export function commonPrefix(a: readonly number[], b: readonly number[]): number {
	const shorter = Math.min(a.length, b.length);
	let length = 0;
	while (length < shorter && a[length] === b[length]) length++;
	return length;
}

/** Prefixes kept however small they are: more are seldom asked for again, and their memory adds up. */
export const maxPrefixes = 32;

/** Least-recently-used store of idle caches under a byte limit shared with running sequences. */
export class PrefixCache {
	#entries: Entry[] = [];
	#clock = 0;

	get size(): number {
		return this.#entries.length;
	}

	get bytes(): number {
		return this.#entries.reduce((sum, { cache }) => sum + cache.bytes, 0);
	}

	/** Keeps a cache that holds exactly `tokens`; it is the store's from now on. */
	add({ owner, tokens, cache }: OwnedPrefix): void {
		if (owner === undefined || tokens.length < minPrefix) {
			cache.release();
			return;
		}
		// An entry that is a beginning of the new one can never be the better find.
		this.#entries = this.#entries.filter((entry) => {
			const covered =
				entry.owner === owner &&
				entry.cache.ropeTotalLength === cache.ropeTotalLength &&
				entry.cache.reproducibleTokens <= cache.reproducibleTokens &&
				commonPrefix(entry.tokens, tokens) === entry.tokens.length;
			if (covered) entry.cache.release();
			return !covered;
		});
		this.#entries.push({ owner, tokens, cache, usedAt: ++this.#clock });
	}

	/**
	 * A cache holding the longest known beginning of `prompt` (never all of it: one token must be fed
	 * to get logits), cut to that length; of the same owner's. `running` sequences are copied from, never
	 * taken. `reproducible`: only what was read so.
	 */
	take(
		owner: string | undefined,
		prompt: readonly number[],
		ropeTotalLength: number,
		running: Iterable<OwnedPrefix>,
		reproducible = false,
	): KvCache | undefined {
		if (owner === undefined) return undefined;
		let length = minPrefix - 1;
		let found: Entry | undefined;
		let from: KvCache | undefined;
		const consider = (known: OwnedPrefix, entry?: Entry): void => {
			const { cache } = known;
			if (known.owner !== owner || cache.ropeTotalLength !== ropeTotalLength) return;
			const held = reproducible ? Math.min(cache.length, cache.reproducibleTokens) : cache.length;
			const common = Math.min(commonPrefix(known.tokens, prompt), held, prompt.length - 1);
			if (common <= length || !cache.canTruncate(common)) return;
			length = common;
			from = cache;
			found = entry;
		};
		for (const entry of this.#entries) consider(entry, entry);
		for (const known of running) consider(known);
		if (from === undefined) return undefined;
		if (found === undefined) return from.fork(length);
		found.usedAt = ++this.#clock;
		// Most of it would stay unused: leave it to its own conversation.
		if (length < found.cache.length / 2) return from.fork(length);
		this.#entries.splice(this.#entries.indexOf(found), 1);
		from.truncate(length);
		from.reproducibleTokens = Math.min(length, from.reproducibleTokens);
		return from;
	}

	/** Releases the least recently used until at most `bytes` are held. */
	shrink(bytes: number): void {
		let held = this.bytes;
		this.#entries.sort((a, b) => a.usedAt - b.usedAt);
		while (held > bytes || this.#entries.length > maxPrefixes) {
			const entry = this.#entries.shift();
			if (entry === undefined) return;
			held -= entry.cache.bytes;
			entry.cache.release();
		}
	}

	clear(): void {
		for (const { cache } of this.#entries) cache.release();
		this.#entries = [];
	}
}
