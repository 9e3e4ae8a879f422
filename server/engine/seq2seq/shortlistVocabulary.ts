/** Search over a shortlist: token ids are indices into it during the search, and ids of the vocabulary again afterwards. */

import type { Finished } from './beamItem.ts';
import type { SearchItem } from './searchOptions.ts';

/** The tokens that one text of a batch may become. */
export class ShortlistVocabulary {
	/** Ascending. */
	readonly ids: Int32Array;
	/** Where the tokens are among those that the batch computes. */
	readonly #places: Int32Array;

	/** @param computed tokens of the batch, ascending; all of `ids` among them */
	constructor(ids: Int32Array, computed: Int32Array) {
		this.ids = ids;
		this.#places = ids.map((id) => indexOf(computed, id) as number);
	}

	/** The logits of these tokens, of those that were computed. */
	pick(logits: Float32Array): Float32Array {
		const places = this.#places;
		const picked = new Float32Array(places.length);
		for (let k = 0; k < places.length; k++) picked[k] = logits[places[k] as number] as number;
		return picked;
	}

	/** An item whose start tokens and rules are indices. Tokens outside cannot be generated, so rules on them fall away. */
	compactItem(item: SearchItem): SearchItem {
		const { options } = item;
		const index = (id: number | undefined): number | undefined =>
			id === undefined ? undefined : indexOf(this.ids, id);
		const known = (ids: readonly number[]): number[] => ids.flatMap((id) => index(id) ?? []);
		return {
			...item,
			start: known(item.start),
			options: {
				...options,
				endTokens: known(options.endTokens),
				forcedBegin: index(options.forcedBegin),
				forcedEnd: index(options.forcedEnd),
				suppressTokens: known(options.suppressTokens),
				beginSuppressTokens: known(options.beginSuppressTokens),
				badSequences: options.badSequences.flatMap((sequence) => {
					const indices = known(sequence);
					return indices.length === sequence.length ? [indices] : [];
				}),
			},
		};
	}

	/** Token ids for the decoder. */
	toTokens(indices: readonly number[]): number[] {
		return indices.map((index) => this.ids[index] as number);
	}

	expandFinished(found: readonly Finished[]): Finished[] {
		return found.map((text) => ({ ...text, ids: this.toTokens(text.ids) }));
	}
}

/** Place of an id in ascending ones. */
function indexOf(ids: Int32Array, id: number): number | undefined {
	let from = 0;
	let to = ids.length;
	while (from < to) {
		const middle = (from + to) >>> 1;
		if ((ids[middle] as number) < id) from = middle + 1;
		else to = middle;
	}
	return ids[from] === id ? from : undefined;
}
