/** How many texts of a document are in the other language: counted here for every door, and said in the same words. */

import type { TextCounts } from '../../protocol/editingMessages.ts';
import type { LeftText } from './documentLanguage.ts';
import { keptSentences } from './keptSentences.ts';

/** Whether a text that has changed holds sentences that stayed as they were. */
export type IsPartly = (source: string, made: string) => boolean;

/** By what stayed of the texts that a translator was asked for. */
export const partlyBy =
	(left: readonly LeftText[], language: string): IsPartly =>
	(source, made) =>
		left.length > 0 && keptSentences(source, made, language).length > 0;

/** @param texts Each with what has become of it; `undefined` where that cannot be used */
export function textCounts(
	texts: readonly (readonly [source: string, made: string | undefined])[],
	isPartly: IsPartly,
): TextCounts {
	let [translated, partly] = [0, 0];
	for (const [source, made] of texts) {
		if (made === undefined || made.trim() === source.trim()) continue;
		if (isPartly(source, made)) partly++;
		else translated++;
	}
	return { pieces: texts.length, translated, partly };
}

/** `3 of 5 texts translated from English, 1 in part`. */
export function countsText({ pieces, translated, partly }: TextCounts, from?: string): string {
	const texts = `${translated} of ${pieces} ${pieces === 1 ? 'text' : 'texts'} translated`;
	return [from === undefined ? texts : `${texts} from ${from}`]
		.concat(partly > 0 ? [`${partly} in part`] : [])
		.join(', ');
}

/** Of messages that were added without a translation, or with a part of one; nothing when there are none. */
export const keptText = (kept: number): string =>
	kept === 0 ? '' : `, ${kept} of them in whole or in part as in the source`;
