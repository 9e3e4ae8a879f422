/**
 * One answer being made. All its tokens are in `tokens`; what the cache does not hold yet is what
 * must be fed next, so prompt, decode and recomputation are one case.
 */

import type { Decoder, SequenceCache, StepRow } from '../decode/decoder.ts';
import type { Sampler } from '../sample/sampler.ts';
import type { Draft } from './draft.ts';

/** Most guesses of one step. */
const mostDrafted = 16;

export class Sequence {
	/** Whose it is; see `Owned`. */
	readonly owner: string | undefined;
	readonly choice: number;
	readonly promptLength: number;
	readonly sampler: Sampler;
	readonly cache: SequenceCache;
	readonly draft: Draft | undefined;
	/** Tokens of the prompt whose own log-probability is wanted: logits of every row are read. */
	readonly readsPrompt: boolean;
	/** Length it never grows beyond: prompt and longest answer. */
	readonly #end: number;
	#switchAt = Number.POSITIVE_INFINITY;
	/** Tokens drafted for the step in flight. */
	drafted: readonly number[] = [];

	constructor(options: {
		owner: string | undefined;
		choice: number;
		promptLength: number;
		maxTokens: number;
		sampler: Sampler;
		cache: SequenceCache;
		draft?: Draft | undefined;
		readsPrompt?: boolean;
	}) {
		this.owner = options.owner;
		this.choice = options.choice;
		this.promptLength = options.promptLength;
		this.#end = options.promptLength + options.maxTokens;
		this.sampler = options.sampler;
		this.cache = options.cache;
		this.draft = options.draft;
		this.readsPrompt = options.readsPrompt ?? false;
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

	/** Row for the next step with at most `budget` tokens (at least 1). */
	row(budget: number): StepRow {
		const { tokens, cache } = this;
		if (this.isDecoding) {
			const last = tokens[tokens.length - 1] as number;
			// A guess must not take the run across the switch of rotary factors, nor beyond the end, where
			// the context may end as well: after it comes one token more.
			const end = Math.min(this.#switchAt, this.#end - 1);
			const room = Math.min(budget - 1, mostDrafted, end - tokens.length);
			// A cache that cannot go back (a ring) cannot forget a wrong guess either.
			const forgets = cache.length > 1 && cache.canTruncate(cache.length - 1);
			this.drafted = room > 0 && forgets ? (this.draft?.propose(tokens, room) ?? []) : [];
			return { cache, tokens: [last, ...this.drafted], logits: 1 + this.drafted.length };
		}
		this.drafted = [];
		const end = Math.min(tokens.length, cache.length + Math.max(1, budget));
		const part = tokens.slice(cache.length, end);
		const isLast = end === tokens.length;
		return { cache, tokens: part, logits: this.readsPrompt ? part.length : isLast ? 1 : 0 };
	}

	/**
	 * Starts over when the sequence has grown past the length at which the graph changes its rotary
	 * factors: keys made with the old factors do not fit the new ones.
	 */
	respectFactors(decoder: Decoder): void {
		const limit = decoder.recomputeAbove;
		if (limit === undefined) return;
		const isAbove = this.cache.minimumTotal > limit;
		this.#switchAt = isAbove ? Number.POSITIVE_INFINITY : limit;
		if (isAbove || this.tokens.length <= limit) return;
		this.#switchAt = Number.POSITIVE_INFINITY;
		this.cache.truncate(0);
		this.cache.minimumTotal = limit + 1;
	}
}
