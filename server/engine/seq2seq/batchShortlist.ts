/**
 * Which words a text is translated with, where the model has a table of them. A batch computes the
 * words of all its texts, but each of them may only say its own: its neighbours change nothing.
 */

import { CompactWords } from './compactWords.ts';
import type { EncoderDecoder, Shortlist } from './encoderDecoder.ts';
import type { HeadColumns } from './headWeights.ts';
import { knowsAll } from './lexicon.ts';
import type { SearchOptions } from './searchOptions.ts';

/** With more of the vocabulary than this, gathering costs more than it saves. */
const mostShare = 1 / 4;

/** Words of a text beside the frequent ones. */
export type OwnWords = ReadonlySet<number>;

export interface ShortlistItem {
	readonly source: readonly number[];
	readonly start: readonly number[];
	readonly rules: SearchOptions;
}

export interface BatchShortlist {
	readonly words: CompactWords;
	readonly columns: HeadColumns;
	/** Per text: computed words that are not its own. */
	readonly outside: readonly (readonly number[])[];
}

/** `undefined` = the text is translated with all words. */
export function ownWords(
	{ shortlist }: EncoderDecoder,
	{ source, start, rules }: ShortlistItem,
): OwnWords | undefined {
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
	for (const id of source) for (const word of lexicon.targets.get(id) ?? []) add(word);
	return own.size > room(shortlist) ? undefined : own;
}

/** Adds a text's words to a batch's; false, and nothing is added, when there are too many for one. */
export function addWords({ shortlist }: EncoderDecoder, all: Set<number>, own: OwnWords): boolean {
	if (shortlist === undefined) return false;
	const added = [...own].filter((id) => !all.has(id));
	if (all.size + added.length > room(shortlist)) return false;
	for (const id of added) all.add(id);
	return true;
}

/** `undefined` = all words are computed. */
export function batchShortlist(
	{ shortlist }: EncoderDecoder,
	texts: readonly (OwnWords | undefined)[],
): BatchShortlist | undefined {
	const own = texts.filter((words) => words !== undefined);
	if (shortlist === undefined || own.length < texts.length) return undefined;
	const all = new Set(own.flatMap((words) => [...words]));
	const ids = [...shortlist.frequent, ...all].sort((a, b) => a - b);
	return {
		words: new CompactWords(ids),
		columns: shortlist.head.columns(ids),
		outside: own.map((words) => [...all].filter((id) => !words.has(id))),
	};
}

/** Words there may be beside the frequent ones. */
function room({ head, frequent }: Shortlist): number {
	return head.vocabulary * mostShare - frequent.size;
}
