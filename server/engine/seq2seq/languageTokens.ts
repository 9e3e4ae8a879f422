/** How languages are given to each family: tags in the source, tags in front of the target, or neither. */

import { AppError } from '../../protocol/index.ts';
import type { Seq2SeqItem, TextModel } from '../api.ts';

/** Source ids, and what the decoder starts with. */
export interface EncodedItem {
	readonly source: readonly number[];
	readonly start: readonly number[];
	/** UTF-16 `[start, end)` in the item's text for every source id; empty for tags and end tokens. */
	readonly offsets: readonly (readonly [number, number])[];
}

/** Spellings of a language tag, in the order in which they are tried. */
const targetTags = (code: string): string[] => [`>>${code}<<`, `<2${code}>`, `__${code}__`, code];
const sourceTags = (code: string): string[] => [`__${code}__`, code];

/**
 * Puts the tags around the tokens of one item; the family is recognised by the tags its vocabulary has.
 * @param encoded the item's text as {@link TextModel.encodeWithOffsets} reads it
 */
export function encodeItem(
	text: TextModel,
	item: Seq2SeqItem,
	startToken: number,
	encoded: ReturnType<TextModel['encodeWithOffsets']> = text.encodeWithOffsets(item.text),
): EncodedItem {
	const { ids, offsets } = encoded;
	const target = item.targetLanguage;
	if (target !== undefined) {
		const found = targetTags(target)
			.map((tag) => ({ tag, id: text.tokenToId(tag) }))
			.find(({ id }) => id !== undefined);
		if (found?.id !== undefined) {
			const inSource = found.tag.startsWith('>>') || found.tag.startsWith('<2');
			if (inSource) {
				// A caller that wrote the tag into the text itself gets it once.
				if (ids[0] === found.id) return { source: ids, start: [startToken], offsets };
				return {
					source: [found.id, ...ids],
					start: [startToken],
					offsets: [[0, 0], ...offsets],
				};
			}
			return {
				...withSourceTag(text, item, ids, offsets),
				start: [startToken, found.id],
			};
		}
		if (hasTags(text)) {
			throw new AppError(
				'invalid_request',
				`This model does not know the target language '${target}'.`,
				{
					param: 'to',
				},
			);
		}
	}
	return { source: ids, start: [startToken], offsets };
}

/** Families that name the source language do so with their first token, or with their last. */
function withSourceTag(
	text: TextModel,
	item: Seq2SeqItem,
	ids: readonly number[],
	offsets: readonly (readonly [number, number])[],
): { source: number[]; offsets: (readonly [number, number])[] } {
	const code = item.sourceLanguage;
	const id =
		code === undefined
			? undefined
			: sourceTags(code)
					.map((tag) => text.tokenToId(tag))
					.find((found) => found !== undefined);
	if (code !== undefined && id === undefined) {
		throw new AppError(
			'invalid_request',
			`This model does not know the source language '${code}'.`,
			{
				param: 'from',
			},
		);
	}
	if (id === undefined) return { source: [...ids], offsets: [...offsets] };
	const last = ids.at(-1);
	if (last !== undefined && text.specialIds.has(last) && isTag(text, last)) {
		// mBART names the source language after the end token.
		return { source: [...ids.slice(0, -1), id], offsets: [...offsets] };
	}
	const first = ids[0];
	const replaces = first !== undefined && text.specialIds.has(first) && isTag(text, first);
	const rest = replaces ? ids.slice(1) : ids;
	return { source: [id, ...rest], offsets: [[0, 0], ...(replaces ? offsets.slice(1) : offsets)] };
}

function isTag(text: TextModel, id: number): boolean {
	return /^__[a-z]{2,3}(_[A-Za-z]+)?__$|^[a-z]{3}_[A-Z][a-z]{3}$|^[a-z]{2}_[A-Z]{2}$/.test(
		new TextDecoder().decode(text.tokenBytes(id)),
	);
}

/** True if the vocabulary names languages, so that an unknown one is a mistake. */
function hasTags(text: TextModel): boolean {
	return ['en', 'de', 'fr', 'eng', 'deu', 'fra', 'eng_Latn']
		.flatMap(targetTags)
		.some((tag) => tag.length > 3 && text.tokenToId(tag) !== undefined);
}
