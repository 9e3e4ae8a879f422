/** A translator for tests: swaps letters' case and the order of words, so that every change shows. */

import type { Span } from '../../server/translate/sentences.ts';
import type { SentenceTranslator } from '../../server/translate/translateBlocks.ts';
import { wordSpans } from '../../server/translate/wordSpans.ts';

const changed = (word: string): string => (/^\{\d+\}$/.test(word) ? word : word.toUpperCase());

/** Upper-cases every word and keeps the order; links are exact. */
export const shouting: SentenceTranslator = async (sentences) =>
	sentences.map((sentence) => {
		let text = '';
		let at = 0;
		const links: { source: Span; target: Span }[] = [];
		for (const [start, end] of wordSpans(sentence, 'en')) {
			text += sentence.slice(at, start);
			const word = changed(sentence.slice(start, end));
			links.push({ source: [start, end], target: [text.length, text.length + word.length] });
			text += word;
			at = end;
		}
		return { text: text + sentence.slice(at), links };
	});

/** Reverses the order of the words; links are exact. */
export const reversing: SentenceTranslator = async (sentences) =>
	sentences.map((sentence) => {
		let text = '';
		const links: { source: Span; target: Span }[] = [];
		for (const [start, end] of wordSpans(sentence, 'en').reverse()) {
			if (text !== '') text += ' ';
			const word = changed(sentence.slice(start, end));
			links.push({ source: [start, end], target: [text.length, text.length + word.length] });
			text += word;
		}
		return { text, links };
	});

/** Loses every placeholder, as small models do. */
export const losing: SentenceTranslator = async (sentences) =>
	sentences.map((sentence) => ({ text: sentence.replace(/\{\d+\}/g, '').toUpperCase() }));
