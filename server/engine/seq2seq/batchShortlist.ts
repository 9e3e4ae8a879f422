/**
 * Which tokens a text is translated with, where the model has a table of them. A batch computes the
 * tokens of all its texts, but each of them may only say its own: its neighbours change nothing.
 */

import type { EncoderDecoder, Shortlist } from './encoderDecoder.ts';
import type { HeadColumns } from './headWeights.ts';
import { knowsAll } from './lexicon.ts';
import type { SearchOptions } from './searchOptions.ts';
import { ShortlistVocabulary } from './shortlistVocabulary.ts';

/** With more of the vocabulary than this, gathering costs more than it saves. */
const maxShare = 1 / 4;

/** Tokens of a text beside the frequent ones. */
export type OwnTokens = ReadonlySet<number>;

export interface ShortlistItem {
	readonly source: readonly number[];
	readonly start: readonly number[];
	readonly rules: SearchOptions;
}

export interface BatchShortlist {
	/** Of every text. */
	readonly vocabularies: readonly ShortlistVocabulary[];
	/** Of the tokens of all texts. */
	readonly columns: HeadColumns;
}

/** `undefined` = the text is translated with all tokens. */
export function ownTokens(
	{ shortlist }: EncoderDecoder,
	{ source, start, rules }: ShortlistItem,
): OwnTokens | undefined {
	if (shortlist === undefined || !knowsAll(shortlist.lexicon, source)) return undefined;
	const { lexicon, frequent, head } = shortlist;
	const own = new Set<number>();
	const add = (id: number | undefined): void => {
		if (id !== undefined && id < head.vocabulary && !frequent.has(id)) own.add(id);
	};
	for (const id of start) add(id);
	for (const id of rules.endTokens) add(id);
	add(rules.forcedBegin);
	add(rules.forcedEnd);
	for (const id of source) {
		if (lexicon.sharesVocabulary === true) add(id);
		for (const token of lexicon.targets.get(id) ?? []) add(token);
	}
	return own.size > maxOwnTokens(shortlist) ? undefined : own;
}

/** Adds a text's tokens to a batch's; false, and nothing is added, when there are too many for one. */
export function addTokens(
	{ shortlist }: EncoderDecoder,
	all: Set<number>,
	own: OwnTokens,
): boolean {
	if (shortlist === undefined) return false;
	const added = [...own].filter((id) => !all.has(id));
	if (all.size + added.length > maxOwnTokens(shortlist)) return false;
	for (const id of added) all.add(id);
	return true;
}

/** `undefined` = all tokens are computed. */
export function batchShortlist(
	{ shortlist }: EncoderDecoder,
	texts: readonly (OwnTokens | undefined)[],
): BatchShortlist | undefined {
	const own = texts.filter((tokens) => tokens !== undefined);
	if (shortlist === undefined || own.length < texts.length) return undefined;
	const all = new Set(shortlist.frequent);
	for (const tokens of own) for (const id of tokens) all.add(id);
	const computed = Int32Array.from(all).sort();
	return {
		columns: shortlist.head.columns(computed),
		vocabularies: own.map((tokens) => {
			const ids = Int32Array.from([...shortlist.frequent, ...tokens]).sort();
			return new ShortlistVocabulary(ids, computed);
		}),
	};
}

/** Tokens there may be beside the frequent ones. */
function maxOwnTokens({ head, frequent }: Shortlist): number {
	return head.vocabulary * maxShare - frequent.size;
}
