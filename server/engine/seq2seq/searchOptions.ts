/** How one item is decoded; names and meanings as in the reference library's generation settings. */

import { type Blocks, changedBlocks, findBlocks, logSumExpOf } from '../sample/blocks.ts';
import { suppressRepeatedNgrams, suppressSequences, suppressTokens } from '../sample/penalties.ts';

export interface SearchOptions {
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
	readonly badSequences: readonly (readonly number[])[];
	readonly suppressTokens: readonly number[];
	readonly beginSuppressTokens: readonly number[];
	/** 1 = off. */
	readonly repetitionPenalty: number;
	/** 0 = off. */
	readonly noRepeatNgram: number;
	/** Ids that count as if the model did not have them: no likelihood is lost to them. */
	readonly maskedTokens?: readonly number[];
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

/** Number of ids the decoder is started with; everything after them is generated. */
export type StartLength = number;

/** Logits after the rules. */
export interface ProcessedLogits {
	/** What to subtract from a logit to get its log-probability. */
	readonly total: number;
	/** Their blocks; valid until the next call. */
	readonly blocks: Blocks;
}

/**
 * Applies the rules to logits, in place (a chain of logits processors).
 * `ids`: start tokens and what was generated.
 */
export function applySearchRules(
	logits: Float32Array,
	ids: readonly number[],
	startLength: StartLength,
	options: SearchOptions,
): ProcessedLogits {
	suppressTokens(logits, options.maskedTokens ?? []);
	// Each pass over a large vocabulary costs, so what one found serves the next.
	let blocks = findBlocks(logits);
	const changed: number[] = [];
	const needsBefore =
		!options.renormalise ||
		(options.repetitionPenalty !== 1 && options.beams > 1) ||
		ids.length === 1 ||
		ids.length === options.maxLength - 1;
	const before = needsBefore ? logSumExpOf(blocks) : 0;
	if (options.repetitionPenalty !== 1) {
		for (const id of new Set(ids)) {
			// The reference applies it to log-probabilities in beam search, to logits in greedy search.
			const shift = options.beams > 1 ? before : 0;
			const value = (logits[id] as number) - shift;
			const factor = value > 0 ? 1 / options.repetitionPenalty : options.repetitionPenalty;
			logits[id] = value * factor + shift;
			changed.push(id);
		}
	}
	suppressRepeatedNgrams(logits, ids, options.noRepeatNgram, changed);
	suppressSequences(logits, ids, options.badSequences, changed);
	if (ids.length < options.minLength) suppressTokens(logits, options.endTokens, changed);
	suppressTokens(logits, options.suppressTokens, changed);
	if (ids.length === startLength) suppressTokens(logits, options.beginSuppressTokens, changed);
	let forced = ids.length === 1 && force(logits, options.forcedBegin, before);
	if (ids.length === options.maxLength - 1) {
		forced = force(logits, options.forcedEnd, before) || forced;
	}
	blocks = forced ? findBlocks(logits) : changedBlocks(blocks, changed);
	return { total: options.renormalise ? logSumExpOf(blocks) : before, blocks };
}

/** Leaves one token, with probability 1; false when none is given. */
function force(logits: Float32Array, token: number | undefined, total: number): boolean {
	if (token === undefined) return false;
	logits.fill(Number.NEGATIVE_INFINITY);
	logits[token] = total;
	return true;
}
