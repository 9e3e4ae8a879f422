/**
 * Translations of sentences already seen. Bounded by size; the least recently used goes first. Each belongs
 * to somebody: a sentence that comes back at once would tell others that it was translated before.
 */

import { LruMap } from '../protocol/lruMap.ts';
import type { Attention } from './align.ts';

/** What a model made of one sentence. */
export interface CachedTranslation {
	readonly text: string;
	/** Mean natural-log probability per token. */
	readonly score: number;
	readonly attention?: Attention;
	/** The model cannot say which word became which, so asking it again would not help. */
	readonly unaligned?: boolean;
	readonly alternatives?: readonly string[];
}

export interface SentenceCacheStats {
	readonly entries: number;
	readonly sizeBytes: number;
	readonly hits: number;
	readonly misses: number;
}

export class SentenceCache {
	readonly #entries: LruMap<string, CachedTranslation>;
	readonly #maxEntryBytes: number;
	#hits = 0;
	#misses = 0;

	/** @param limitBytes 0 turns the cache off. */
	constructor(limitBytes: number) {
		this.#entries = new LruMap(limitBytes, sizeOf);
		this.#maxEntryBytes = limitBytes / 8;
	}

	/**
	 * @param owner Whose sentence; `undefined` = nobody's, which is never kept
	 * @param needs Whether the entry must hold attention.
	 */
	get(
		owner: string | undefined,
		sentence: string,
		needs: { readonly attention: boolean },
	): CachedTranslation | undefined {
		const key = keyOf(owner, sentence);
		const entry = owner === undefined ? undefined : this.#entries.peek(key);
		const lacks = needs.attention && !entry?.attention && !entry?.unaligned;
		if (!entry || lacks) {
			this.#misses++;
			return undefined;
		}
		this.#hits++;
		return this.#entries.get(key);
	}

	set(owner: string | undefined, sentence: string, value: CachedTranslation): void {
		if (owner === undefined) return;
		const key = keyOf(owner, sentence);
		if (sizeOf(key, value) <= this.#maxEntryBytes) this.#entries.set(key, value);
	}

	clear(): void {
		this.#entries.clear();
	}

	get stats(): SentenceCacheStats {
		return {
			entries: this.#entries.size,
			sizeBytes: this.#entries.total,
			hits: this.#hits,
			misses: this.#misses,
		};
	}
}

const keyOf = (owner: string | undefined, sentence: string): string => `${owner}\u0000${sentence}`;

/** Bytes in memory, about. */
const sizeOf = (key: string, { text, attention }: CachedTranslation): number =>
	2 * (key.length + text.length) + 120 + (attention?.weights.byteLength ?? 0) * 2;
