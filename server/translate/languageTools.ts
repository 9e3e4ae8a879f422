/**
 * What is done with a text without a model: telling its language, changing its script, finding its
 * sentences. Tables of many megabytes are loaded when first needed.
 */

import { detectLanguage } from './detect.ts';
import type { DetectedLanguage } from './detectedLanguage.ts';
import { type Span, splitSentences } from './sentences.ts';
import { transliterate } from './transliterate.ts';

export interface LanguageTools {
	/** @param likely Languages (canonical codes) that a short text is rather in. */
	detect(text: string, likely?: readonly string[]): Promise<DetectedLanguage>;
	/** Ask `transliterationBetween` first; equal scripts copy. */
	transliterate(text: string, language: string, from: string, to: string): Promise<string>;
	sentences(text: string, language: string): Promise<readonly Span[]>;
}

/** Everything on the spot, for threads and for processes that serve one person. */
export const languageToolsHere: LanguageTools = {
	detect: detectLanguage,
	transliterate,
	sentences: async (text, language) => splitSentences(text, language),
};
