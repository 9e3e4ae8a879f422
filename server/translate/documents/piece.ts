/** A stretch of a document that is words, and how a translation of it is written back. */

export interface Piece {
	/** Offsets in UTF-16 units; what lies between pieces is never touched. */
	readonly start: number;
	readonly end: number;
	/** The words, free of escapes and line breaks of the format. */
	readonly text: string;
	/** Source code of the format for a translation. */
	readonly encode: (translation: string) => string;
	/** Delimiters inside the text that must come out in the same number; matches are kept. */
	readonly delimiters?: RegExp;
}

/** Finds the pieces of a document, in order and without overlap. */
export type Extract = (text: string) => Piece[];

/** Text with translations in place of pieces; `undefined` leaves a piece as it is. */
export function splice(
	text: string,
	pieces: readonly Piece[],
	translations: readonly (string | undefined)[],
): string {
	let out = '';
	let next = 0;
	pieces.forEach((piece, index) => {
		const translation = translations[index];
		// The same words are the same bytes, whatever the encoder would make of them.
		if (translation === undefined || translation === piece.text) return;
		out += text.slice(next, piece.start) + piece.encode(translation);
		next = piece.end;
	});
	return out + text.slice(next);
}
