/** Search over a shortlist: token ids are indices into it during the search, and ids of the vocabulary again afterwards. */

import type { Finished } from './beamItem.ts';
import type { SearchItem } from './searchOptions.ts';

/** The tokens of a shortlist; `ids` is ascending. */
export class ShortlistVocabulary {
	readonly ids: readonly number[];
	readonly #indices: ReadonlyMap<number, number>;

	constructor(ids: readonly number[]) {
		this.ids = ids;
		this.#indices = new Map(ids.map((id, index) => [id, index]));
	}

	/** An item whose start tokens and rules are indices. Tokens outside cannot be generated, so rules on them fall away. */
	compactItem(item: SearchItem): SearchItem {
		const { options } = item;
		const known = (ids: readonly number[]): number[] =>
			ids.flatMap((id) => this.#indices.get(id) ?? []);
		const index = (id: number | undefined): number | undefined =>
			id === undefined ? undefined : this.#indices.get(id);
		return {
			...item,
			start: known(item.start),
			options: {
				...options,
				endTokens: known(options.endTokens),
				forcedBegin: index(options.forcedBegin),
				forcedEnd: index(options.forcedEnd),
				maskedTokens: known(options.maskedTokens ?? []),
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
	toTokens(indices: readonly (readonly number[])[]): number[][] {
		return indices.map((sequence) => sequence.map((index) => this.ids[index] as number));
	}

	expandFinished(found: readonly Finished[][]): Finished[][] {
		return found.map((one) =>
			one.map((text) => ({ ...text, ids: this.toTokens([text.ids])[0] as number[] })),
		);
	}
}
