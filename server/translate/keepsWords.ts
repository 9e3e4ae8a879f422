/** Whether a translation still says something where its source did: small models answer placeholders alone. */

import { protectedSpans } from './protect.ts';
import { splitSentences } from './sentences.ts';

/** Letters a source has at least before none may be too few: an article before a placeholder may go. */
const minLetters = 4;
/** Letters from which on their number tells; abbreviations are short. */
const letterSample = 24;
/** Letters that stay at least of many. */
const minShare = 0.2;
/** The same where sentences are fewer than they were: they may have become one, or one is lost. */
const minShareOfSentences = 0.45;

const letter = /\p{L}/gu;
const syllable = /[\p{Script=Han}\p{Script=Hangul}]/gu;
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Letters as an alphabet would need them: a syllable or a sign counts for several. */
function lettersOf(text: string): number {
	const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
	return count(letter) + 2 * count(syllable) + count(kana);
}

/** A text without tags, placeholders and what no translation of the source may touch. */
function wordsOf(text: string, source: string): string {
	const bare = text.replace(/<\/?[A-Za-z][^<>]*>|\{\d+\}/g, ' ');
	let out = '';
	let at = 0;
	for (const [start, end] of protectedSpans(bare)) {
		// What the source has not is what the translator says.
		if (text !== source && !source.includes(bare.slice(start, end))) continue;
		out += `${bare.slice(at, Math.max(at, start))} `;
		at = Math.max(at, end);
	}
	return out + bare.slice(at);
}

function holds(source: number, translation: number, share: number): boolean {
	if (source >= minLetters && translation === 0) return false;
	return source < letterSample || translation >= share * source;
}

/** Whether a translation of one sentence has words, and not far fewer than its source. */
export function keepsWords(source: string, translation: string): boolean {
	if (source === translation) return true;
	return holds(
		lettersOf(wordsOf(source, source)),
		lettersOf(wordsOf(translation, source)),
		minShare,
	);
}

/** The same of a text of several sentences and lines, each of which has words where it had some. */
export function keepsAllWords(source: string, translation: string): boolean {
	if (source === translation) return true;
	if (!keepsWords(source, translation)) return false;
	const [from, to] = [source, translation].map((text) => partsWithWords(text, source));
	if (!from || !to || from.length <= 1) return true;
	if (to.length >= from.length) return true;
	const sum = (parts: readonly number[]) => parts.reduce((all, one) => all + one, 0);
	return holds(sum(from), sum(to), minShareOfSentences);
}

/** Letters of every sentence that has words. */
function partsWithWords(text: string, source: string): number[] {
	return splitSentences(text, 'en')
		.map(([start, end]) => lettersOf(wordsOf(text.slice(start, end), source)))
		.filter((letters) => letters > 0);
}
