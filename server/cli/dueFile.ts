/** A file that is to be translated, and what became of it. */

import type { LeftText, TextTranslator } from '../translate/documents/documentLanguage.ts';
import type { DocumentResult } from '../translate/documents/translateDocument.ts';
import { sameLanguage } from '../translate/languageCodes.ts';
import type { PlannedFile } from './translationPlan.ts';

/** A file whose translation is not up to date. */
export interface Due {
	readonly file: PlannedFile;
	readonly sizeBytes: number;
	/** Makes it; resolves to the line that says what was done. */
	readonly make: (translator: TextTranslator, signal: AbortSignal) => Promise<Made>;
}

export interface Made {
	readonly line: string;
	readonly refused: readonly string[];
	readonly left: readonly LeftText[];
	readonly isFailed?: boolean;
}

/** What is to be said instead of writing a translation; `undefined` when there is one. */
export function notMade(
	{ source, target, to }: PlannedFile,
	result: Pick<DocumentResult, 'pieces' | 'refused' | 'left' | 'language'>,
	isSame: boolean,
): Made | undefined {
	const { pieces, refused, left, language } = result;
	if (sameLanguage(language, to) && isSame && pieces > 0)
		return { line: `${source} is in the language of ${target} already`, refused: [], left: [] };
	if (pieces > 0 && refused.length === pieces)
		return { line: `${source}: no text could be translated`, refused, left, isFailed: true };
	return undefined;
}
