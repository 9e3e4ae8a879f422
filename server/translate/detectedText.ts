/** What a detector says of a text, and what `/detect` answers of it. */

import type { detect } from '../protocol/routeAddresses.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';

/** A language a text may be in. */
export interface ScoredLanguage {
	/** Canonical code; empty when nothing is known. */
	readonly language: string;
	/** 0…1; 1 means no doubt. */
	readonly score: number;
	/** Whether a model on this machine knows the language. */
	readonly isSupported: boolean;
}

/** The best guess, and others, best first. */
export interface DetectedText extends ScoredLanguage {
	readonly alternatives: readonly ScoredLanguage[];
}

type Row = AnswerOf<typeof detect>[number];
type WireScore = Pick<Row, 'language' | 'score' | 'isTranslationSupported'>;

/** A row of `/detect` (version 3.0). */
export const detectedText = (row: Row): DetectedText => ({
	...scoredLanguageOf(row),
	alternatives: (row.alternatives ?? []).map(scoredLanguageOf),
});

const scoredLanguageOf = ({
	language,
	score,
	isTranslationSupported,
}: WireScore): ScoredLanguage => ({
	...{ language, score, isSupported: isTranslationSupported },
});
