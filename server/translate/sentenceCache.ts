/**
 * Translations of sentences already seen. Bounded by size; the least recently used goes first. Each belongs
 * to somebody: a sentence that comes back at once would tell others that it was translated before.
 */

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
	#entries = new Map<string, { value: CachedTranslation; size: number }>();
	#limitBytes: number;
	#sizeBytes = 0;
	#hits = 0;
	#misses = 0;

	/** @param limitBytes 0 turns the cache off. */
	constructor(limitBytes: number) {
		this.#limitBytes = limitBytes;
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
		const entry = owner === undefined ? undefined : this.#entries.get(key);
		const lacks = needs.attention && !entry?.value.attention && !entry?.value.unaligned;
		if (!entry || lacks) {
			this.#misses++;
			return undefined;
		}
		this.#hits++;
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		return entry.value;
	}

	set(owner: string | undefined, sentence: string, value: CachedTranslation): void {
		if (owner === undefined) return;
		const key = keyOf(owner, sentence);
		const size =
			2 * (key.length + value.text.length) + 120 + (value.attention?.weights.byteLength ?? 0) * 2;
		if (size > this.#limitBytes / 8) return;
		this.#delete(key);
		this.#entries.set(key, { value, size });
		this.#sizeBytes += size;
		for (const oldest of this.#entries.keys()) {
			if (this.#sizeBytes <= this.#limitBytes) break;
			this.#delete(oldest);
		}
	}

	#delete(key: string): void {
		const entry = this.#entries.get(key);
		if (!entry) return;
		this.#sizeBytes -= entry.size;
		this.#entries.delete(key);
	}

	clear(): void {
		this.#entries.clear();
		this.#sizeBytes = 0;
	}

	get stats(): SentenceCacheStats {
		return {
			entries: this.#entries.size,
			sizeBytes: this.#sizeBytes,
			hits: this.#hits,
			misses: this.#misses,
		};
	}
}

const keyOf = (owner: string | undefined, sentence: string): string => `${owner}\u0000${sentence}`;
