/** Items of kept entries in their order, and pages of them. */

import { notThere } from './answerRows.ts';
import type { ItemRange, ItemSlice, KeptItem } from './answerStore.ts';

/** Inputs and outputs of entries, one entry after the other. */
export const itemsIn = (
	entries: readonly { readonly input: readonly KeptItem[]; readonly output: readonly KeptItem[] }[],
): KeptItem[] => entries.flatMap(({ input, output }) => [...input, ...output]);

/** @throws AppError `not_found` where it begins after an item that is none of them */
export function sliceOf(items: readonly KeptItem[], { limit, order, after }: ItemRange): ItemSlice {
	const ordered = order === 'asc' ? items : items.toReversed();
	const start = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after);
	if (after !== undefined && start < 0) notThere('item', after);
	const page = ordered.slice(start + 1, start + 1 + limit);
	return { items: page, hasMore: ordered.length > start + 1 + limit };
}

/** Bytes of items as they are kept. */
export const sizeOf = (items: readonly KeptItem[]): number =>
	items.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
