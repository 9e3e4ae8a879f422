/** What a detector says of a text, and reading it from an answer of `/detect`. */

import { isRecord } from '../protocol/errorBody.ts';

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

const unknown: LanguageGuess = { language: '', score: 0, isSupported: false };

/** Rows of `/detect` (version 3.0) for that many texts; what cannot be read is unknown. */
export function readDetected(body: unknown, count: number): DetectedText[] {
	const rows: readonly unknown[] = Array.isArray(body) ? body : [];
	return Array.from({ length: count }, (_, index) => {
		const row = rows[index];
		const others = isRecord(row) && Array.isArray(row['alternatives']) ? row['alternatives'] : [];
		return { ...readGuess(row), alternatives: (others as unknown[]).map(readGuess) };
	});
}

function readGuess(row: unknown): LanguageGuess {
	if (!isRecord(row) || typeof row['language'] !== 'string') return unknown;
	return {
		language: row['language'],
		score: typeof row['score'] === 'number' ? row['score'] : 0,
		isSupported: row['isTranslationSupported'] === true,
	};
}
