/** What every token of a vocabulary writes, in memory that threads share. */

import type { TextModel } from '../api.ts';

/** What of a text model a grammar needs. */
export type GrammarVocabulary = Pick<TextModel, 'vocabularySize' | 'specialIds' | 'tokenBytes'>;

export interface TokenTable {
	readonly bytes: SharedArrayBuffer;
	/** Int32: where the bytes of each token begin, and after the last where they end. */
	readonly starts: SharedArrayBuffer;
	readonly specialIds: readonly number[];
}

export function tokenTableOf({
	vocabularySize,
	specialIds,
	tokenBytes,
}: GrammarVocabulary): TokenTable {
	const all = Array.from({ length: vocabularySize }, (_, id) => tokenBytes(id));
	const starts = new SharedArrayBuffer((vocabularySize + 1) * 4);
	const places = new Int32Array(starts);
	for (const [id, one] of all.entries()) places[id + 1] = (places[id] as number) + one.length;
	const bytes = new SharedArrayBuffer(places[vocabularySize] as number);
	const view = new Uint8Array(bytes);
	for (const [id, one] of all.entries()) view.set(one, places[id]);
	return { bytes, starts, specialIds: [...specialIds] };
}

export function vocabularyOf(table: TokenTable): GrammarVocabulary {
	const bytes = new Uint8Array(table.bytes);
	const starts = new Int32Array(table.starts);
	return {
		vocabularySize: starts.length - 1,
		specialIds: new Set(table.specialIds),
		tokenBytes: (id) => bytes.slice(starts[id], starts[id + 1]),
	};
}
