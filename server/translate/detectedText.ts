/** What a detector says of a text, and what `/detect` answers of it. */

import type { detect } from '../protocol/addresses.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';

/** A language a text may be in. */
export interface LanguageGuess {
	/** Canonical code; empty when nothing is known. */
	readonly language: string;
	/** 0…1; 1 means no doubt. */
	readonly score: number;
	/** Whether a model on this machine knows the language. */
	readonly isSupported: boolean;
}

/** The best guess, and others, best first. */
export interface DetectedText extends LanguageGuess {
	readonly alternatives: readonly LanguageGuess[];
}

type Row = AnswerOf<typeof detect>[number];
type Guess = Pick<Row, 'language' | 'score' | 'isTranslationSupported'>;

/** A row of `/detect` (version 3.0). */
export const detectedText = (row: Row): DetectedText => ({
	...guessOf(row),
	alternatives: (row.alternatives ?? []).map(guessOf),
});

const guessOf = ({ language, score, isTranslationSupported }: Guess): LanguageGuess => ({
	...{ language, score, isSupported: isTranslationSupported },
});
