/** Texts of a translated document that stayed as they were, with their places, for whoever sees to them by hand. */

import type { DocumentTranslation } from './studioApi.ts';

/** A text that stayed. */
export interface KeptText {
	/** `LINE:COLUMN` from 1; absent where the text stands with marks that the file writes otherwise. */
	readonly place?: string;
	readonly text: string;
	/** In English, as the server says it. */
	readonly why?: string;
}

/** What stayed of a document, in its order where that is known. */
export function keptTexts(
	source: string,
	{ refused, refusedAt, left }: Pick<DocumentTranslation, 'refused' | 'refusedAt' | 'left'>,
): KeptText[] {
	const unusable = refused.map((own, index): KeptText => {
		const { line, column, why } = refusedAt[index] ?? {};
		return {
			text: own,
			...(line === undefined ? {} : { place: `${line}:${column}` }),
			...(why === undefined ? {} : { why }),
		};
	});
	const doubtful = left.flatMap(({ text: whole, sentences = [whole] }) =>
		sentences.map((own): KeptText => ({ text: own, ...placed(source, own) })),
	);
	return [...unusable, ...doubtful];
}

function placed(source: string, own: string): { place?: string } {
	const at = source.indexOf(own);
	if (at < 0) return {};
	const before = source.slice(0, at);
	return { place: `${before.split('\n').length}:${at - before.lastIndexOf('\n')}` };
}
