/** Guesses by a smaller model of the same vocabulary: it decodes a few tokens ahead, greedily. */

import { pushAll } from '../../protocol/lists.ts';
import type { Decoder, SequenceCache } from '../decode/decoder.ts';
import { argmax } from '../sample/candidates.ts';
import type { Draft } from './draft.ts';
import { commonPrefix } from './prefixCache.ts';

const mostAhead = 5;
const leastAhead = 1;

export class ModelDraft implements Draft {
	readonly #decoder: Decoder;
	readonly #contextLength: number;
	readonly #cache: SequenceCache;
	/** Tokens the cache holds. */
	#fed: number[] = [];
	#proposal: readonly number[] = [];
	/** Moving average of accepted / drafted. */
	#rate = 0.6;

	/** `decoder` runs nothing else while {@link prepare} is pending. */
	constructor(decoder: Decoder, contextLength: number) {
		this.#decoder = decoder;
		this.#contextLength = contextLength;
		this.#cache = decoder.createCache();
	}

	async prepare(tokens: readonly number[], signal?: AbortSignal): Promise<void> {
		this.#proposal = [];
		const ahead = Math.max(leastAhead, Math.round(this.#rate * mostAhead));
		if (tokens.length + ahead >= this.#contextLength) return;
		const common = Math.min(commonPrefix(this.#fed, tokens), tokens.length - 1);
		if (common < this.#cache.length) {
			const keep = this.#cache.canTruncate(common) ? common : 0;
			this.#cache.truncate(keep);
			this.#fed.length = keep;
		}
		const proposal: number[] = [];
		while (proposal.length < ahead) {
			const next = [...tokens, ...proposal].slice(this.#cache.length);
			const best = await this.#feed(next, signal);
			proposal.push(best);
		}
		this.#proposal = proposal;
	}

	async #feed(tokens: readonly number[], signal: AbortSignal | undefined): Promise<number> {
		let best = 0;
		for (let at = 0; at < tokens.length; ) {
			const part = tokens.slice(at, at + this.#decoder.maxStepTokens);
			at += part.length;
			const wanted = at === tokens.length ? 1 : 0;
			const row = { cache: this.#cache, tokens: part, logits: wanted };
			const [logits] = await this.#decoder.step([row], signal);
			pushAll(this.#fed, part);
			if (logits?.[0] !== undefined) best = argmax(logits[0]);
		}
		return best;
	}

	propose(_tokens: readonly number[], most: number): readonly number[] {
		return this.#proposal.slice(0, most);
	}

	learn(drafted: number, accepted: number): void {
		if (drafted > 0) this.#rate = 0.8 * this.#rate + 0.2 * (accepted / drafted);
	}

	dispose(): void {
		this.#cache.release();
	}
}
