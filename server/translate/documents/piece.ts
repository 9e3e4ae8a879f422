/** A stretch of a document that is words, and how a translation of it is written back. */

import type { GateRules, Region, Spliced } from '../gate/gate.ts';
import { readableWords } from '../readableWords.ts';
import { leadingSpace, trailingSpace } from '../whiteSpace.ts';
import { hasSeveralWords } from './keptSentences.ts';
import type { DocumentAnchors } from './slugs.ts';

export interface Piece {
	/** Offsets in UTF-16 units; what lies between pieces is never touched. */
	readonly start: number;
	readonly end: number;
	/** The words, free of escapes and line breaks of the format. */
	readonly text: string;
	/** By what the format calls it, such as its keys from the root: `menu.open`. */
	readonly key?: string;
	/** What the document says of the text, for whoever translates it. */
	readonly comment?: string;
	/**
	 * Source code of the format for a translation.
	 *
	 * @param sourceOf The document between two offsets within the piece, with the translations of `inner` in it.
	 */
	readonly encode: (translation: string, sourceOf?: SourceOf) => string;
	/** Pieces that lie in what this one keeps as it is, such as the title of a link in a sentence. */
	readonly inner?: readonly Piece[];
	/** Delimiters inside the text that must come out in the same number; matches are kept. */
	readonly delimiters?: RegExp;
	/** Whether the delimiters of a translation stand where they may. */
	readonly isWhole?: (translation: string) => boolean;
	/** Why a translation cannot be written whose marks are all there, as a part of a sentence. */
	readonly fault?: (translation: string) => string | undefined;
	/** A translation as it reads in the document, for those who only show it. */
	readonly shown?: (translation: string) => string;
	/** A message of several texts (plural forms); `encode` then gets what `join` makes of them. */
	readonly branches?: Branches;
	/** What it is held to beside the rules of its document, where that is made of several. */
	readonly rules?: GateRules;
	/** Why it is not looked into and stays, as a part of a sentence; `text` is then its beginning only. */
	readonly unread?: string;
	/** Whether its place has no words yet: a short translation that says the same as its source is written, too. */
	readonly isNew?: boolean;
	/** Comes with the others: `encode` is applied to `text` when any other piece changes. */
	readonly companion?: boolean;
}

export type SourceOf = (start: number, end: number) => string;

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
	/** The language (BCP 47) that the document names for the texts that a target language gets. */
	readonly sourceLanguage?: (text: string, to: string) => string | undefined;
	/** The text as a target language needs it, such as with the keys of its plural forms. */
	readonly prepare?: (text: string, to: string) => string;
	/** The headings of a document and the links to them, which follow what becomes of their words. */
	readonly anchors?: (text: string) => DocumentAnchors;
	/** What translations of the format are held to; placeholders alone when absent. */
	readonly rules?: GateRules;
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
	const made = new Map<Piece, string>();
	pieces.forEach((piece, index) => {
		const translation = translations[index];
		if (translation !== undefined) made.set(piece, translation);
	});
	return spliced(text, pieces, made).text;
}

/** {@link splice}, with the places where the pieces stand afterwards. */
export function spliced(
	text: string,
	pieces: readonly Piece[],
	translations: ReadonlyMap<Piece, string>,
): Spliced {
	let out = '';
	let next = 0;
	const regions: Region[] = [];
	const isChanged = (piece: Piece) => {
		const translation = translations.get(piece);
		if (translation === undefined) return false;
		// The same words are the same bytes, whatever the encoder would make of them.
		return translation !== piece.text || (piece.isNew === true && saysTheSame(piece));
	};
	const sourceOf =
		({ inner = [] }: Piece): SourceOf =>
		(from, to) => {
			let source = '';
			let at = from;
			for (const one of inner) {
				if (one.start < at || one.end > to || !isChanged(one)) continue;
				source += text.slice(at, one.start) + one.encode(translations.get(one) ?? one.text);
				at = one.end;
			}
			return source + text.slice(at, to);
		};
	const changed = pieces.some((piece) => !piece.companion && isChanged(piece));
	for (const piece of pieces) {
		// Within the one in front of it, which has been written.
		if (piece.start < next) {
			regions.push({ start: out.length, end: out.length });
			continue;
		}
		const translation = piece.companion && changed ? piece.text : translations.get(piece);
		out += text.slice(next, piece.start);
		const start = out.length;
		if (translation !== undefined && (isChanged(piece) || (piece.companion && changed)))
			out += piece.encode(translation, sourceOf(piece));
		else out += sourceOf(piece)(piece.start, piece.end);
		regions.push({ start, end: out.length });
		next = piece.end;
	}
	return { text: out + text.slice(next), regions };
}

/**
 * Whether the texts of a piece are so short that they may be right as they are in another language: names, `OK`. Of
 * longer ones a model has made nothing.
 */
export const saysTheSame = ({ text, branches }: Piece): boolean =>
	(branches?.texts ?? [text]).every(
		(own) => !hasSeveralWords(readableWords(own)) && !unspacedWords.test(own),
	);

/** More than a name, in scripts that are written without spaces. */
const unspacedWords =
	/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{7}/u;

/** Pieces of a part of a document, where they stand in the whole. */
export const moved = (pieces: readonly Piece[], by: number): Piece[] =>
	pieces.map((piece) => ({
		...piece,
		start: piece.start + by,
		end: piece.end + by,
		...(piece.inner ? { inner: moved(piece.inner, by) } : {}),
		encode: (translation, sourceOf) =>
			piece.encode(translation, sourceOf && ((from, to) => sourceOf(from + by, to + by))),
	}));

/** A translation with the white space its source begins and ends with. */
export function padded(translation: string, source: string): string {
	const after = source.trim() === '' ? '' : trailingSpace(source);
	return leadingSpace(source) + translation.trim() + after;
}
