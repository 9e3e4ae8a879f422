/** How one item is decoded; names and meanings as in the reference library's generation settings. */

import { type Blocks, findBlocks, logSumExpOf } from '../sample/blocks.ts';
import {
	type LogitsProcessor,
	type LogitsStep,
	processLogits,
	type SuppressionRules,
	suppression,
} from '../sample/logitsProcessor.ts';
import { suppressTokens } from '../sample/penalties.ts';

export interface SearchOptions extends SuppressionRules {
	/** 1 = greedy. */
	readonly beams: number;
	/** Maximum ids, start tokens included. */
	readonly maxLength: number;
	/** Minimum ids before an end token, start tokens included. */
	readonly minLength: number;
	readonly lengthPenalty: number;
	readonly earlyStopping: boolean | 'never';
	readonly endTokens: readonly number[];
	/** First token after the start token, where it is fixed. */
	readonly forcedBegin: number | undefined;
	/** Token at the length limit. */
	readonly forcedEnd: number | undefined;
	/** 1 = off. */
	readonly repetitionPenalty: number;
	/** Log-probabilities are normalised again after the suppression. */
	readonly renormalise: boolean;
}

export interface SearchItem {
	/** Tokens the decoder is started with; equal in number for all items of a batch. */
	readonly start: readonly number[];
	/**
	 * Index into the encoded batch; default: the item's own index. Items that share one have more than
	 * one start token, the first of them the same for all items.
	 */
	readonly encodedIndex?: number;
	readonly options: SearchOptions;
	/** True if no caller waits for the item any more. */
	readonly abandoned?: () => boolean;
}

/** Logits after the rules. */
export interface ProcessedLogits {
	/** What to subtract from a logit to get its log-probability. */
	readonly total: number;
	/** Their blocks; valid until the next call. */
	readonly blocks: Blocks;
}

interface SearchStep extends LogitsStep {
	/** ln Σ exp of the logits before the chain, where a processor or the search needs it. */
	readonly before: number;
}

/** The rules of a search as a chain of logits processors. */
export class SearchRules {
	readonly #options: SearchOptions;
	readonly #given: number;
	readonly #chain: readonly LogitsProcessor<SearchStep>[];

	/** @param given ids the decoder is started with; everything after them is generated */
	constructor(options: SearchOptions, given: number) {
		this.#options = options;
		this.#given = given;
		const { repetitionPenalty, minLength, endTokens } = options;
		this.#chain = [
			...(repetitionPenalty === 1 ? [] : [repetition(options)]),
			suppression(options),
			({ logits, tokens, changed }) => {
				if (tokens.length < minLength) suppressTokens(logits, endTokens, changed);
			},
			forcedTokens(options),
		];
	}

	/** Applies the rules in place; `ids`: start tokens and what was generated. */
	apply(logits: Float32Array, ids: readonly number[]): ProcessedLogits {
		const { renormalise } = this.#options;
		// Each pass over a large vocabulary costs, so what one found serves the next.
		const known = findBlocks(logits);
		const before = this.#needsBefore(ids.length) ? logSumExpOf(known) : 0;
		const step = {
			...{ logits, tokens: ids, given: this.#given, before },
			...{ changed: [], isRewritten: false },
		};
		const blocks = processLogits(this.#chain, step, known);
		return { total: renormalise ? logSumExpOf(blocks) : before, blocks };
	}

	#needsBefore(length: number): boolean {
		const { renormalise, repetitionPenalty, beams, maxLength } = this.#options;
		if (!renormalise || length === 1 || length === maxLength - 1) return true;
		return repetitionPenalty !== 1 && beams > 1;
	}
}

function repetition({ repetitionPenalty, beams }: SearchOptions): LogitsProcessor<SearchStep> {
	return ({ logits, tokens, changed, before }) => {
		// The reference applies it to log-probabilities in beam search, to logits in greedy search.
		const shift = beams > 1 ? before : 0;
		for (const id of new Set(tokens)) {
			const value = (logits[id] as number) - shift;
			const factor = value > 0 ? 1 / repetitionPenalty : repetitionPenalty;
			logits[id] = value * factor + shift;
			changed.push(id);
		}
	};
}

/** Where a token is fixed it alone is left, with probability 1. */
function forcedTokens(options: SearchOptions): LogitsProcessor<SearchStep> {
	const { forcedBegin, forcedEnd, maxLength } = options;
	const force = (step: SearchStep, token: number | undefined): void => {
		if (token === undefined) return;
		step.logits.fill(Number.NEGATIVE_INFINITY);
		step.logits[token] = step.before;
		step.isRewritten = true;
	};
	return (step) => {
		if (step.tokens.length === 1) force(step, forcedBegin);
		if (step.tokens.length === maxLength - 1) force(step, forcedEnd);
	};
}
