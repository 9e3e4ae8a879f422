/** Which words a batch is translated with, where the model has a table of them. */

import { CompactWords } from './compactWords.ts';
import type { EncoderDecoder } from './encoderDecoder.ts';
import type { HeadColumns } from './headWeights.ts';
import { knowsAll, shortlistOf } from './lexicon.ts';
import type { SearchOptions } from './searchOptions.ts';

/** With more of the vocabulary than this, gathering costs more than it saves. */
const mostShare = 1 / 4;

export interface ShortlistItem {
	readonly source: readonly number[];
	readonly start: readonly number[];
	readonly rules: SearchOptions;
}

/** Words and their columns of the head; `undefined` = all words. */
export function batchShortlist(
	model: EncoderDecoder,
	items: readonly ShortlistItem[],
): { readonly words: CompactWords; readonly columns: HeadColumns } | undefined {
	if (model.shortlist === undefined) return undefined;
	const { lexicon, head } = model.shortlist;
	if (!items.every(({ source }) => knowsAll(lexicon, source))) return undefined;
	const always = items.flatMap(({ start, rules }) => [
		...start,
		...rules.endTokens,
		...[rules.forcedBegin, rules.forcedEnd].filter((id) => id !== undefined),
	]);
	const ids = shortlistOf(
		lexicon,
		items.map(({ source }) => source),
		always,
	);
	if (ids.length > head.vocabulary * mostShare) return undefined;
	return { words: new CompactWords(ids), columns: head.columns(ids) };
}
