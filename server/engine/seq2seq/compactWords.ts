/** Search over a shortlist: ids are places in it while texts are searched, and words again afterwards. */

import type { Finished } from './beamItem.ts';
import type { SearchItem } from './search.ts';

/** Places of words; `ids` is ascending. */
export class CompactWords {
	readonly ids: readonly number[];
	readonly #places: ReadonlyMap<number, number>;

	constructor(ids: readonly number[]) {
		this.ids = ids;
		this.#places = new Map(ids.map((id, place) => [id, place]));
	}

	/** An item whose start tokens and rules name places. Words outside cannot be said, so rules on them fall away. */
	item(item: SearchItem): SearchItem {
		const { options } = item;
		const known = (ids: readonly number[]): number[] =>
			ids.flatMap((id) => this.#places.get(id) ?? []);
		const place = (id: number | undefined): number | undefined =>
			id === undefined ? undefined : this.#places.get(id);
		return {
			...item,
			start: known(item.start),
			options: {
				...options,
				endTokens: known(options.endTokens),
				forcedBegin: place(options.forcedBegin),
				forcedEnd: place(options.forcedEnd),
				outside: known(options.outside ?? []),
				suppress: known(options.suppress),
				beginSuppress: known(options.beginSuppress),
				badSequences: options.badSequences.flatMap((sequence) => {
					const places = known(sequence);
					return places.length === sequence.length ? [places] : [];
				}),
			},
		};
	}

	/** Words for the decoder. */
	words(places: readonly (readonly number[])[]): number[][] {
		return places.map((row) => row.map((place) => this.ids[place] as number));
	}

	finished(found: readonly Finished[][]): Finished[][] {
		return found.map((one) =>
			one.map((text) => ({ ...text, ids: this.words([text.ids])[0] as number[] })),
		);
	}
}
