/**
 * Texts that are translated into several languages at once: a family that names the target with the
 * decoder's second token reads such a text the same way for all of them, so it is encoded once.
 */

import type { EncodedItem } from './languageTokens.ts';

export interface DeduplicatedSources {
	/** Sequences for the encoder. */
	readonly sources: readonly (readonly number[])[];
	/** Sequence of every item. */
	readonly sourceOf: readonly number[];
}

export interface SourceItem extends Pick<EncodedItem, 'source' | 'start'> {
	readonly owner?: string | undefined;
}

/**
 * Equal sources of the same owner become one sequence where the decoder's first token is the same and more are
 * fixed.
 */
export function deduplicateSources(items: readonly SourceItem[]): DeduplicatedSources {
	const first = items[0]?.start[0];
	const mayShare = items.every(({ start }) => start.length > 1 && start[0] === first);
	const indices = new Map<string, number>();
	const sources: (readonly number[])[] = [];
	const sourceOf = items.map(({ source, owner = '' }, index) => {
		const key = mayShare ? `${owner}\u0000${source.join()}` : String(index);
		const known = indices.get(key);
		if (known !== undefined) return known;
		indices.set(key, sources.length);
		return sources.push(source) - 1;
	});
	return { sources, sourceOf };
}
