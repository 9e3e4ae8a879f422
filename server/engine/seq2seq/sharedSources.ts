/**
 * Texts that are translated into several languages at once: a family that names the target with the
 * decoder's second token reads such a text the same way for all of them, so it is encoded once.
 */

import type { EncodedItem } from './languageTokens.ts';

export interface SharedSources {
	/** Rows for the encoder. */
	readonly sources: readonly (readonly number[])[];
	/** Row of every item. */
	readonly rowOf: readonly number[];
}

export interface SharedItem extends Pick<EncodedItem, 'source' | 'start'> {
	readonly owner?: string | undefined;
}

/**
 * Equal sources of the same owner become one row where the decoder's first token is the same and more are
 * fixed.
 */
export function shareSources(items: readonly SharedItem[]): SharedSources {
	const first = items[0]?.start[0];
	const mayShare = items.every(({ start }) => start.length > 1 && start[0] === first);
	const rows = new Map<string, number>();
	const sources: (readonly number[])[] = [];
	const rowOf = items.map(({ source, owner = '' }, index) => {
		const key = mayShare ? `${owner}\u0000${source.join()}` : String(index);
		const known = rows.get(key);
		if (known !== undefined) return known;
		rows.set(key, sources.length);
		return sources.push(source) - 1;
	});
	return { sources, rowOf };
}
