/** A stretch of a document that is words, and how a translation of it is written back. */

import { leadingSpace, trailingSpace } from '../whiteSpace.ts';

export interface Piece {
	/** Offsets in UTF-16 units; what lies between pieces is never touched. */
	readonly start: number;
	readonly end: number;
	/** The words, free of escapes and line breaks of the format. */
	readonly text: string;
	/** What the document says of the text, for whoever translates it. */
	readonly comment?: string;
	/** Source code of the format for a translation. */
	readonly encode: (translation: string) => string;
	/** Delimiters inside the text that must come out in the same number; matches are kept. */
	readonly delimiters?: RegExp;
	/** Whether the delimiters of a translation stand where they may. */
	readonly isWhole?: (translation: string) => boolean;
	/** A translation as it reads in the document, for those who only show it. */
	readonly shown?: (translation: string) => string;
	/** A message of several texts (plural forms); `encode` then gets what `join` makes of them. */
	readonly branches?: Branches;
	/** Comes with the others: `encode` is applied to `text` when any other piece changes. */
	readonly companion?: boolean;
}

export interface Branches {
	readonly texts: readonly string[];
	/** The message from the translations of `texts`; `undefined` refuses them. */
	readonly join: (translations: readonly string[]) => string | undefined;
}

/** How the pieces of a document are found. */
export interface Extract {
	/**
	 * Pieces in order and without overlap.
	 *
	 * @param to Target language (BCP 47). Without it, messages with plural forms are left alone.
	 */
	(text: string, to?: string): Piece[];
	/** All words of a document whose pieces are only some of them. */
	readonly prose?: (text: string) => string[];
	/** What is translated first, where pieces would lie inside others. */
	readonly before?: Extract;
	/** The text as a target language needs it, such as with the keys of its plural forms. */
	readonly prepare?: (text: string, to: string) => string;
	/** The first place where a document of the format cannot be read. */
	readonly faultOf?: (text: string) => Fault | undefined;
	/** A document whose words are encoded once more in another format: its texts, joined. */
	readonly open?: (text: string) => OpenedText;
	/** The same for some columns of a table. */
	readonly forColumns?: (columns: readonly string[]) => Extract;
}

/** The texts in a document, to be translated in its place. */
export interface OpenedText {
	readonly text: string;
	readonly extract: Extract;
	/** The document with what has become of {@link text}. */
	readonly close: (text: string) => string;
}

export interface Fault {
	/** Offset in UTF-16 units. */
	readonly at: number;
	/** Part of a sentence. */
	readonly what: string;
}

/** Text with translations in place of pieces; `undefined` leaves a piece as it is. */
export function splice(
	text: string,
	pieces: readonly Piece[],
	translations: readonly (string | undefined)[],
): string {
	let out = '';
	let next = 0;
	// The same words are the same bytes, whatever the encoder would make of them.
	const changed = pieces.some(
		({ text: own, companion }, index) =>
			!companion && translations[index] !== undefined && translations[index] !== own,
	);
	pieces.forEach((piece, index) => {
		const translation = piece.companion && changed ? piece.text : translations[index];
		if (translation === undefined) return;
		if (translation === piece.text && !(piece.companion && changed)) return;
		out += text.slice(next, piece.start) + piece.encode(translation);
		next = piece.end;
	});
	return out + text.slice(next);
}

/** A translation with the white space its source begins and ends with. */
export function padded(translation: string, source: string): string {
	const after = source.trim() === '' ? '' : trailingSpace(source);
	return leadingSpace(source) + translation.trim() + after;
}
