/** What of a text stands in its translation as it was. */

import { protectedSpans } from '../protect.ts';
import { readableWords } from '../readableWords.ts';
import { splitSentences } from '../sentences.ts';

/**
 * Sentences that stand in a translation as they were: the model made nothing of them. Told by their words,
 * whoever translated; what is around them may have moved.
 */
export function keptSentences(text: string, translation: string, language: string): string[] {
	const sentencesOf = (whole: string) =>
		splitSentences(whole, language).map(([start, end]) => whole.slice(start, end).trim());
	const found = ` ${sentencesOf(translation).map(readableWords).join(' ')} `;
	const isKept = (words: string) => hasSeveralWords(words) && found.includes(` ${words} `);
	return sentencesOf(text).filter((sentence) => {
		const spans = protectedSpans(sentence);
		// What lies between code and names goes through a model alone when the whole did not.
		const between = [...spans, [sentence.length] as const].map(([end], index) =>
			sentence.slice(spans[index - 1]?.[1] ?? 0, end),
		);
		return [sentence, ...between].some((part) => isKept(readableWords(part)));
	});
}

/** Whether four words stand beside each other; one to three may be names. */
export function hasSeveralWords(text: string): boolean {
	let words = 0;
	for (const [letters] of text.matchAll(/\p{L}+/gu)) {
		words = /\p{L}{2}/u.test(letters) ? words + 1 : 0;
		if (words === 4) return true;
	}
	return false;
}
