/** How one item is decoded; names and meanings as in the reference library's generation settings. */

import { logSumExp } from '../sample/logprobs.ts';
import { banRepeatedNgrams, banSequences, banTokens } from '../sample/penalties.ts';

export interface SearchOptions {
	/** 1 = greedy. */
	readonly beams: number;
	/** Most ids, start tokens included. */
	readonly maxLength: number;
	/** Fewest ids before an end token, start tokens included. */
	readonly minLength: number;
	readonly lengthPenalty: number;
	readonly earlyStopping: boolean | 'never';
	readonly endTokens: readonly number[];
	/** First token after the start token, where it is fixed. */
	readonly forcedBegin: number | undefined;
	/** Token at the length limit. */
	readonly forcedEnd: number | undefined;
	readonly badSequences: readonly (readonly number[])[];
	readonly suppress: readonly number[];
	readonly beginSuppress: readonly number[];
	/** 1 = off. */
	readonly repetitionPenalty: number;
	/** 0 = off. */
	readonly noRepeatNgram: number;
	/** Log-probabilities are normalised again after the bans. */
	readonly renormalise: boolean;
}

/** Number of ids the decoder is started with; everything after them is generated. */
export type StartLength = number;

/**
 * Changes a logits row by the rules and returns what to subtract to get log-probabilities.
 * `ids`: start tokens and what was generated.
 */
export function applyRules(
	logits: Float32Array,
	ids: readonly number[],
	startLength: StartLength,
	options: SearchOptions,
): number {
	// Each pass over a large vocabulary costs, so the sum is taken once where once is enough.
	const needsBefore =
		!options.renormalise ||
		(options.repetitionPenalty !== 1 && options.beams > 1) ||
		ids.length === 1 ||
		ids.length === options.maxLength - 1;
	const before = needsBefore ? logSumExp(logits) : 0;
	if (options.repetitionPenalty !== 1) {
		for (const id of new Set(ids)) {
			// The reference applies it to log-probabilities in beam search, to logits in greedy search.
			const shift = options.beams > 1 ? before : 0;
			const value = (logits[id] as number) - shift;
			const factor = value > 0 ? 1 / options.repetitionPenalty : options.repetitionPenalty;
			logits[id] = value * factor + shift;
		}
	}
	banRepeatedNgrams(logits, ids, options.noRepeatNgram);
	banSequences(logits, ids, options.badSequences);
	if (ids.length < options.minLength) banTokens(logits, options.endTokens);
	banTokens(logits, options.suppress);
	if (ids.length === startLength) banTokens(logits, options.beginSuppress);
	if (ids.length === 1) force(logits, options.forcedBegin, before);
	if (ids.length === options.maxLength - 1) force(logits, options.forcedEnd, before);
	return options.renormalise ? logSumExp(logits) : before;
}

/** Leaves one token, with probability 1. */
function force(logits: Float32Array, token: number | undefined, total: number): void {
	if (token === undefined) return;
	logits.fill(Number.NEGATIVE_INFINITY);
	logits[token] = total;
}
