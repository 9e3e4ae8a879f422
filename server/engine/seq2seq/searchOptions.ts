/** How one item is decoded; names and meanings as in the reference library's generation settings. */

import { type Blocks, changedBlocks, findBlocks, logSumExpOf } from '../sample/blocks.ts';
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
	/** Ids that count as if the model did not have them: no likelihood is lost to them. */
	readonly outside?: readonly number[];
	/** Log-probabilities are normalised again after the bans. */
	readonly renormalise: boolean;
}

/** Number of ids the decoder is started with; everything after them is generated. */
export type StartLength = number;

/** A row after the rules. */
export interface RuledRow {
	/** What to subtract from a logit to get its log-probability. */
	readonly total: number;
	/** The row's blocks; valid until the next row. */
	readonly blocks: Blocks;
}

/**
 * Changes a logits row by the rules.
 * `ids`: start tokens and what was generated.
 */
export function applyRules(
	logits: Float32Array,
	ids: readonly number[],
	startLength: StartLength,
	options: SearchOptions,
): RuledRow {
	banTokens(logits, options.outside ?? []);
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
	banRepeatedNgrams(logits, ids, options.noRepeatNgram, changed);
	banSequences(logits, ids, options.badSequences, changed);
	if (ids.length < options.minLength) banTokens(logits, options.endTokens, changed);
	banTokens(logits, options.suppress, changed);
	if (ids.length === startLength) banTokens(logits, options.beginSuppress, changed);
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
