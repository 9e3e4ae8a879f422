/**
 * One answer being made. All its tokens are in `tokens`; what the cache does not hold yet is what
 * must be fed next, so prompt, decode and recomputation are one case.
 */

import type { SamplingOptions } from '../api.ts';
import type { BatchItem, Decoder } from '../decode/decoder.ts';
import type { KvCache } from '../kv/kvCache.ts';
import type { Sampler } from '../sample/sampler.ts';
import type { DraftProposer } from './draftProposer.ts';

/** Maximum drafted tokens of one step. */
const maxDrafted = 16;

/**
 * How sequences get the same text each time: by items of an even number of tokens, or by running alone, in
 * the same way each time, where the decoder knows no better. `undefined` where this is not asked for.
 */
export function reproducibilityMode(
	sampling: SamplingOptions,
	decoder: Pick<Decoder, 'bitwiseInvariant'>,
): 'even' | 'alone' | undefined {
	if (sampling.reproducible !== true) return undefined;
	return decoder.bitwiseInvariant === true ? 'even' : 'alone';
}

export class Sequence {
	/** Whose it is; see `Owned`. */
	readonly owner: string | undefined;
	/** It gives way to what people wait for. */
	readonly isBackground: boolean;
	/** Somebody waits for its first text. */
	isAwaited: boolean;
	readonly choice: number;
	readonly promptLength: number;
	readonly sampler: Sampler;
	readonly cache: KvCache;
	readonly draft: DraftProposer | undefined;
	/** The log-probabilities of the prompt's own tokens are wanted: the logits of all of them are read. */
	readonly wantsPromptLogprobs: boolean;
	readonly reproducible: ReturnType<typeof reproducibilityMode>;
	/** The last token of the step in flight stands for none: it makes their number even. */
	#padded = false;
	/** Tokens that steps have read; a plan that was not run may have shortened the cache since. */
	#read = 0;
	/** Length it never grows beyond: prompt and longest answer. */
	readonly #end: number;
	#switchAt = Number.POSITIVE_INFINITY;
	/** Tokens drafted for the step in flight. */
	drafted: readonly number[] = [];

	constructor(options: {
		owner: string | undefined;
		isBackground: boolean;
		choice: number;
		promptLength: number;
		maxTokens: number;
		sampler: Sampler;
		cache: KvCache;
		draft?: DraftProposer | undefined;
		wantsPromptLogprobs?: boolean;
		reproducible?: ReturnType<typeof reproducibilityMode>;
	}) {
		this.owner = options.owner;
		this.isBackground = options.isBackground;
		this.isAwaited = !options.isBackground;
		this.choice = options.choice;
		this.promptLength = options.promptLength;
		this.#end = options.promptLength + options.maxTokens;
		this.sampler = options.sampler;
		this.cache = options.cache;
		this.draft = options.draft;
		this.wantsPromptLogprobs = options.wantsPromptLogprobs ?? false;
		this.reproducible = options.reproducible;
	}

	get tokens(): readonly number[] {
		return this.sampler.tokens;
	}

	/** Tokens not in the cache yet; at least 1 while the sequence lives. */
	get pending(): number {
		return this.tokens.length - this.cache.length;
	}

	/** True while only the newest token is to be fed. */
	get isDecoding(): boolean {
		return this.pending === 1 && this.tokens.length > this.promptLength;
	}

	/** Item for the next step with at most `budget` tokens (at least 1). */
	nextItem(budget: number): BatchItem {
		const { tokens, cache } = this;
		if (this.isDecoding) {
			const last = tokens[tokens.length - 1] as number;
			// A drafted token must not take the run across the switch of rotary factors, nor beyond the end, where
			// the context may end as well: after it comes one token more.
			const end = Math.min(this.#switchAt, this.#end - 1);
			const room = Math.min(budget - 1, maxDrafted, end - tokens.length);
			// A cache that cannot be truncated (a ring) cannot drop a rejected token either.
			const forgets = cache.length > 1 && cache.canTruncate(cache.length - 1);
			this.drafted = room > 0 && forgets ? (this.draft?.propose(tokens, room) ?? []) : [];
			return this.#evenItem([last, ...this.drafted], 1 + this.drafted.length);
		}
		this.drafted = [];
		const minTokens = this.reproducible === 'even' ? 2 : 1;
		const end = Math.min(tokens.length, cache.length + Math.max(minTokens, budget));
		const part = tokens.slice(cache.length, end);
		const minLogits = end === tokens.length ? 1 : 0;
		// Whose logits came with an earlier step is not asked again.
		const known = Math.max(0, this.#read - cache.length);
		const wanted = this.wantsPromptLogprobs ? Math.max(minLogits, part.length - known) : minLogits;
		return this.#evenItem(part, wanted);
	}

	/** An item of these next tokens; if their number must be even, of one token more or fewer. */
	#evenItem(next: readonly number[], logits: number): BatchItem {
		const { tokens, cache } = this;
		this.#padded = false;
		const item = { cache, tokens: next, history: tokens, logits };
		if (this.reproducible !== 'even') return item;
		return this.#madeEven({ ...item, reproducible: true });
	}

	#madeEven(item: BatchItem): BatchItem {
		const { tokens, cache } = this;
		const { tokens: next, logits } = item;
		if (next.length % 2 === 0) return item;
		// Reading the last token once more gives what is there already.
		if (cache.length > 0) {
			cache.truncate(cache.length - 1);
			return { ...item, tokens: [tokens[cache.length] as number, ...next] };
		}
		// A prompt read in one go has no token before it; one after it must not switch the factors.
		if (next.length < this.#switchAt) {
			this.#padded = true;
			return { ...item, tokens: [...next, next[0] as number], logits: logits + 1 };
		}
		return {
			...item,
			tokens: next.slice(0, -1),
			logits: this.wantsPromptLogprobs ? logits - 1 : 0,
		};
	}

	/** Must be called after every successful step; returns the logits without those of padding. */
	afterStep(logits: Float32Array[]): Float32Array[] {
		const { cache } = this;
		if (this.#padded) cache.truncate(cache.length - 1);
		this.#read = Math.max(this.#read, cache.length);
		if (this.reproducible === 'even') cache.reproducibleTokens = cache.length;
		return this.#padded ? logits.slice(0, -1) : logits;
	}

	/**
	 * LongRoPE: starts over if the sequence has grown past the length at which the graph switches its
	 * rotary factors, because keys made with the old factors do not fit the new ones.
	 */
	switchRopeFactors(decoder: Decoder): void {
		const limit = decoder.longRopeThreshold;
		if (limit === undefined) return;
		const isAbove = this.cache.ropeTotalLength > limit;
		this.#switchAt = isAbove ? Number.POSITIVE_INFINITY : limit;
		if (isAbove || this.tokens.length <= limit) return;
		this.#switchAt = Number.POSITIVE_INFINITY;
		this.cache.truncate(0);
		this.cache.reproducibleTokens = 0;
		this.cache.ropeTotalLength = limit + 1;
	}
}
