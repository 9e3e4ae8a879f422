/** Proposes tokens of a smaller (draft) model with the same vocabulary, which decodes a few tokens ahead, greedily. */

import { pushAll } from '../../protocol/lists.ts';
import type { Decoder } from '../decode/decoder.ts';
import type { KvCache } from '../kv/kvCache.ts';
import { argmax } from '../sample/candidates.ts';
import type { DraftProposer } from './draftProposer.ts';
import { commonPrefix } from './prefixCache.ts';

const maxAhead = 5;
const minAhead = 1;

export class DraftModelProposer implements DraftProposer {
	readonly #decoder: Decoder;
	readonly #contextLength: number;
	readonly #cache: KvCache;
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
		const ahead = Math.max(minAhead, Math.round(this.#rate * maxAhead));
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
			const item = { cache: this.#cache, tokens: part, logits: wanted };
			const [logits] = await this.#decoder.step([item], signal);
			pushAll(this.#fed, part);
			if (logits?.[0] !== undefined) best = argmax(logits[0]);
		}
		return best;
	}

	propose(_tokens: readonly number[], max: number): readonly number[] {
		return this.#proposal.slice(0, max);
	}

	learn(drafted: number, accepted: number): void {
		if (drafted > 0) this.#rate = 0.8 * this.#rate + 0.2 * (accepted / drafted);
	}

	dispose(): void {
		this.#cache.release();
	}
}
