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
	/** Texts of cells that something in their workbook compares with. */
	readonly compared?: readonly string[];
	/** What became of the file; `translated` when absent. */
	readonly outcome?: 'unchanged' | 'failed';
}

/** What has become of texts; of those that were refused, their number is enough. */
type TextsOf<K extends keyof DocumentResult> = Pick<DocumentResult, K> & {
	readonly refused: ArrayLike<unknown>;
};

/**
 * Whether none of the texts of a file could be translated. That is a failure, for every command: nothing is written,
 * and the exit code is 1. Where only some stay as they were, they are named, and `--check` tells of them.
 */
export const isUntranslated = ({ pieces, refused }: TextsOf<'pieces'>): boolean =>
	pieces > 0 && refused.length === pieces;

/** What is said of such a file. */
export const untranslatedLine = (source: string): string =>
	`${source}: no text could be translated, so nothing is written`;

/** What is to be said instead of writing a translation; `undefined` when there is one. */
export function notMade(
	{ source, target, to }: PlannedFile,
	result: Pick<DocumentResult, 'pieces' | 'refused' | 'left' | 'language'>,
	isSame: boolean,
): Made | undefined {
	const { pieces, refused, left, language } = result;
	if (sameLanguage(language, to) && isSame && pieces > 0)
		return {
			...{ line: `${source} is in the language of ${target} already`, refused: [], left: [] },
			outcome: 'unchanged',
		};
	if (isUntranslated(result))
		return { line: untranslatedLine(source), refused, left, outcome: 'failed' };
	return undefined;
}

/** How many texts stayed as they were and may be asked for once more, for the record. */
export const leftOf = (
	{ pieces, translated, refused }: TextsOf<'pieces' | 'translated'>,
	{ doubtful = false }: { readonly doubtful?: boolean },
): { readonly left?: number } => {
	const left = pieces - translated - refused.length;
	return doubtful || left <= 0 ? {} : { left };
};
