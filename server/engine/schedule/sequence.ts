/**
 * One answer being made. All its tokens are in `tokens`; what the cache does not hold yet is what
 * must be fed next, so prompt, decode and recomputation are one case.
 */

import type { SamplingOptions } from '../api.ts';
import type { Decoder, SequenceCache, StepRow } from '../decode/decoder.ts';
import type { Sampler } from '../sample/sampler.ts';
import type { Draft } from './draft.ts';

/** Most guesses of one step. */
const mostDrafted = 16;

/**
 * How sequences get the same text each time: by rows of an even number of tokens, or by running alone, in
 * the same way each time, where the decoder knows no better. `undefined` where this is not asked for.
 */
export function reproducibly(
	sampling: SamplingOptions,
	decoder: Pick<Decoder, 'bitwiseInvariant'>,
): 'even' | 'alone' | undefined {
	if (sampling.reproducible !== true) return undefined;
	return decoder.bitwiseInvariant === true ? 'even' : 'alone';
}

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
	readonly reproducible: ReturnType<typeof reproducibly>;
	/** The last token of the step in flight stands for none: it makes their number even. */
	#padded = false;
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
		reproducible?: ReturnType<typeof reproducibly>;
	}) {
		this.owner = options.owner;
		this.choice = options.choice;
		this.promptLength = options.promptLength;
		this.#end = options.promptLength + options.maxTokens;
		this.sampler = options.sampler;
		this.cache = options.cache;
		this.draft = options.draft;
		this.readsPrompt = options.readsPrompt ?? false;
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
			return this.#evenRow([last, ...this.drafted], 1 + this.drafted.length);
		}
		this.drafted = [];
		const least = this.reproducible === 'even' ? 2 : 1;
		const end = Math.min(tokens.length, cache.length + Math.max(least, budget));
		const part = tokens.slice(cache.length, end);
		const isLast = end === tokens.length;
		return this.#evenRow(part, this.readsPrompt ? part.length : isLast ? 1 : 0);
	}

	/** A row of these next tokens; where their number must be even, of one token more or fewer. */
	#evenRow(next: readonly number[], logits: number): StepRow {
		const { tokens, cache } = this;
		this.#padded = false;
		if (this.reproducible !== 'even') return { cache, tokens: next, logits };
		const row = { cache, tokens: next, logits, reproducible: true };
		if (next.length % 2 === 0) return row;
		// Reading the last token once more gives what is there already.
		if (cache.length > 0) {
			cache.truncate(cache.length - 1);
			return { ...row, tokens: [tokens[cache.length] as number, ...next] };
		}
		// A prompt read in one go has no token before it; one after it must not switch the factors.
		if (next.length < this.#switchAt) {
			this.#padded = true;
			return { ...row, tokens: [...next, next[0] as number], logits: logits + 1 };
		}
		return { ...row, tokens: next.slice(0, -1), logits: this.readsPrompt ? logits - 1 : 0 };
	}

	/** To be told of every step that has been made; returns the logits of tokens that are meant. */
	stepped(logits: Float32Array[]): Float32Array[] {
		const { cache } = this;
		if (this.#padded) cache.truncate(cache.length - 1);
		if (this.reproducible === 'even') cache.reproducibleTokens = cache.length;
		return this.#padded ? logits.slice(0, -1) : logits;
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
		this.cache.reproducibleTokens = 0;
		this.cache.minimumTotal = limit + 1;
	}
}
