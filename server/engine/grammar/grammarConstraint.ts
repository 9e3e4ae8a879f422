/** One sequence's position in a compiled grammar. */

import type { GrammarMatcher } from '@mlc-ai/web-xgrammar';
import type { TokenConstraint } from '../sample/constraint.ts';

/** The part of the library's matcher that its types keep private: the mask without a promise. */
interface MatcherHandle {
	GetNextTokenBitmask(vocabularySize: number): {
		size(): number;
		get(index: number): number;
		delete(): void;
	};
}

/** Follows a grammar token by token. */
export class GrammarConstraint implements TokenConstraint {
	readonly #matcher: GrammarMatcher;
	readonly #vocabularySize: number;
	readonly #stopIds: readonly number[];
	readonly #release: () => void;
	#mask: Int32Array | undefined;
	#version = 0;
	#disposed = false;

	/** @param release called once when the constraint is disposed of */
	constructor(
		matcher: GrammarMatcher,
		vocabularySize: number,
		stopIds: readonly number[],
		release: () => void,
	) {
		this.#matcher = matcher;
		this.#vocabularySize = vocabularySize;
		this.#stopIds = stopIds;
		this.#release = release;
	}

	/** Computes the mask ahead of time, in bulk instead of word by word. */
	async prepare(): Promise<void> {
		const version = this.#version;
		const mask = await this.#matcher.getNextTokenBitmask();
		if (version === this.#version && !this.#disposed) this.#mask = mask;
	}

	mask(): Int32Array | null {
		this.#mask ??= this.#matcher.isTerminated() ? this.#onlyStops() : this.#readMask();
		return this.#mask;
	}

	accept(tokenId: number): boolean {
		if (this.#matcher.isTerminated() || !this.#matcher.acceptToken(tokenId)) return false;
		this.#changed();
		return true;
	}

	rollback(count: number): void {
		if (count <= 0) return;
		this.#matcher.rollBack(count);
		this.#changed();
	}

	isTerminated(): boolean {
		if (this.#matcher.isTerminated()) return true;
		const mask = this.mask() as Int32Array;
		const stops = new Map<number, number>();
		for (const id of this.#stopIds) {
			stops.set(id >> 5, (stops.get(id >> 5) ?? 0) | (1 << (id & 31)));
		}
		let any = false;
		for (let word = 0; word < mask.length; word++) {
			const bits = mask[word] as number;
			if (bits === 0) continue;
			if ((bits & ~(stops.get(word) ?? 0)) !== 0) return false;
			any = true;
		}
		return any;
	}

	dispose(): void {
		if (this.#disposed) return;
		this.#disposed = true;
		this.#matcher.dispose();
		this.#release();
	}

	#changed(): void {
		this.#version++;
		this.#mask = undefined;
		if (!this.#matcher.isTerminated()) void this.prepare().catch(() => undefined);
	}

	#onlyStops(): Int32Array {
		const mask = new Int32Array(Math.ceil(this.#vocabularySize / 32));
		for (const id of this.#stopIds) {
			mask[id >> 5] = (mask[id >> 5] as number) | (1 << (id & 31));
		}
		return mask;
	}

	#readMask(): Int32Array {
		const handle = this.#matcher['handle'] as MatcherHandle;
		const words = handle.GetNextTokenBitmask(this.#vocabularySize);
		const mask = new Int32Array(words.size());
		for (let word = 0; word < mask.length; word++) mask[word] = words.get(word);
		words.delete();
		return mask;
	}
}
