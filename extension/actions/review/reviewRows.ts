/** Messages that a file lacks, and those whose source has changed, as rows to be looked through. Pure. */

import type {
	MessageRow,
	ReviewRow,
	TranslateMissingResult,
} from '../../../server/protocol/index.ts';

/**
 * Rows in the order of the source.
 *
 * @param before messages of the file as it is
 * @param after messages of the file with the translations in it
 */
export function reviewRows(
	{ path, to }: { readonly path: string; readonly to: string },
	before: readonly MessageRow[],
	after: readonly MessageRow[],
	{ added, refused }: Pick<TranslateMissingResult, 'added' | 'refused'>,
): ReviewRow[] {
	const isSaid = ({ target, isStale }: MessageRow) => target !== undefined && !isStale;
	const there = new Set(before.filter(isSaid).map(({ key }) => key));
	const stale = new Map(before.map(({ key, target, isStale }) => [key, isStale && target]));
	const notes = new Map(added.map((message) => [message.text.trim(), message]));
	const lost = new Set(refused.map((text) => text.trim()));
	// Of a message with several texts one is enough.
	const isLost = (source: string) =>
		lost.has(source) || [...lost].some((text) => source.includes(text));
	return after.flatMap(({ key, source, target, fault }): ReviewRow[] => {
		if (there.has(key) || (target === undefined && !isLost(source.trim()))) return [];
		const { quality, terms } = notes.get(source.trim()) ?? {};
		const old = stale.get(key) || undefined;
		return [
			{
				...{ id: `${path}\n${key}`, key, path, to, source, text: target ?? '' },
				...{ decision: 'open', isEdited: false },
				...(old === undefined ? {} : { before: old }),
				...(fault === undefined ? {} : { fault }),
				...(quality === undefined ? {} : { quality }),
				...(terms === undefined ? {} : { terms }),
			},
		];
	});
}
