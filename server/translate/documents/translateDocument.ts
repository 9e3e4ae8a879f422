/** A document of a known format through a translator; what cannot be kept whole is left as it was. */

import { defined } from '../../protocol/defined.ts';
import type { TextCounts } from '../../protocol/editingMessages.ts';
import { sameLanguage } from '../languageCodes.ts';
import {
	type DocumentLanguages,
	inItsLanguage,
	type LeftText,
	type TextTranslator,
	type TranslateTexts,
} from './documentLanguage.ts';
import { withHeadingLinks } from './headingLinks.ts';
import { extractHtml } from './htmlDocument.ts';
import { icuBranches } from './icuBranches.ts';
import { extractJson } from './jsonDocument.ts';
import { extractMarkdown, extractMdx } from './markdownDocument.ts';
import { moreFormats, sharedFormatOf } from './moreFormats.ts';
import type { Extract, Piece } from './piece.ts';
import { isIcuBranching } from './placeholders.ts';
import { extractPlainText } from './plainTextDocument.ts';
import { extractPo } from './poDocument.ts';
import { extractProperties } from './propertiesDocument.ts';
import { extractSubtitles } from './subtitlesDocument.ts';
import { type IsPartly, partlyBy, textCounts } from './textCounts.ts';
import { throughGate } from './throughGate.ts';
import { extractXliff } from './xliffDocument.ts';
import { extractYaml } from './yamlDocument.ts';

/** File name ending (without the dot) → how its words are found. */
export const documentFormats: Readonly<Record<string, Extract>> = {
	arb: extractJson,
	htm: extractHtml,
	html: extractHtml,
	json: extractJson,
	jsonc: extractJson,
	markdown: extractMarkdown,
	md: extractMarkdown,
	mdx: extractMdx,
	po: extractPo,
	pot: extractPo,
	properties: extractProperties,
	srt: extractSubtitles,
	txt: extractPlainText,
	vtt: extractSubtitles,
	xlf: extractXliff,
	xliff: extractXliff,
	yaml: extractYaml,
	yml: extractYaml,
	...moreFormats,
};

/** What became of the pieces of a document. */
export interface PiecesResult extends TextCounts {
	readonly text: string;
	/** Source texts whose translation did not pass the gate, or that are malformed ICU messages. */
	readonly refused: readonly string[];
	/** Of each of them, where it stands and why. */
	readonly refusedAt: readonly RefusedPlace[];
}

/** Where a text stands that was left as it was. */
export interface RefusedPlace {
	/** From 1. */
	readonly line: number;
	readonly column: number;
	/** Its keys from the root, `menu.open`, where the format says them. */
	readonly key?: string;
	/** Part of a sentence. */
	readonly why: string;
}

export interface DocumentResult extends PiecesResult {
	/** Language the document was translated from. */
	readonly language: string;
	/** 0…1: how certain that is; absent when the caller named it. */
	readonly score?: number;
	readonly left: readonly LeftText[];
}

/**
 * Format of a file by its name, or `undefined`.
 *
 * @param text what is in it, which tells messages from programs of the same ending
 */
export function formatOf(fileName: string, text?: string): Extract | undefined {
	const ending = /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	const known = Object.hasOwn(documentFormats, ending) ? documentFormats[ending] : undefined;
	return known ?? sharedFormatOf(fileName, text);
}

/**
 * Translates a document from its own language; only its words change. One that is in the target
 * language already stays as it is.
 *
 * @throws AppError `model_not_found` when no model here translates from the document's language.
 */
export async function translateDocumentText(
	text: string,
	extract: Extract,
	translator: TextTranslator,
	languages: DocumentLanguages,
): Promise<DocumentResult> {
	const { to, from = extract.sourceLanguage?.(text, to) } = languages;
	const prose = proseOf(text, extract, to);
	const known = { to, ...defined({ from }) };
	const { translate, language, score, left } = await inItsLanguage(prose, translator, known);
	const made = sameLanguage(language, to)
		? { text, pieces: prose.length, translated: 0, partly: 0, refused: [], refusedAt: [] }
		: await translatePieces(text, extract, translate, to, partlyBy(left, language));
	return { ...made, left, language, ...defined({ score }) };
}

/** The words of a document, piece by piece. */
export function proseOf(text: string, extract: Extract, to: string): string[] {
	if (extract.prose) return extract.prose(text);
	const pieces = [...(extract.before?.(text, to) ?? []), ...piecesOf(text, extract, to)];
	const all = pieces.flatMap((piece) => [piece, ...(piece.inner ?? [])]);
	return all.flatMap((piece) => piece.branches?.texts ?? [piece.text]);
}

/**
 * Translates the pieces of a document; everything between them is the same, byte for byte. What does not pass
 * the gate of the format is translated in smaller parts, and at last left as it was.
 *
 * @param to Target language (BCP 47), whose plural forms messages get. Without it, messages with
 *   plural forms are left as they are.
 * @param isPartly Whether a changed text has sentences that stayed as they were.
 */
export async function translatePieces(
	text: string,
	extract: Extract,
	translate: TranslateTexts,
	to?: string,
	isPartly: IsPartly = () => false,
): Promise<PiecesResult> {
	const source = to === undefined ? text : (extract.prepare?.(text, to) ?? text);
	const first = extract.before
		? await translatePieces(source, partOf(extract.before, extract), translate, to, isPartly)
		: { text: source, pieces: 0, translated: 0, partly: 0, refused: [], refusedAt: [] };
	const pieces = piecesOf(first.text, extract, to);
	const made = await throughGate(first.text, pieces, extract.rules ?? {}, translate);
	const all = pieces.flatMap((piece) => [piece, ...(piece.inner ?? [])]);
	const counted = all.filter((piece) => !piece.companion);
	const refused = counted.filter((piece) => !made.translations.has(piece));
	const counts = textCounts(
		counted.map((piece) => [piece.text, made.translations.get(piece)] as const),
		isPartly,
	);
	const linked =
		extract.anchors && made.text !== first.text
			? withHeadingLinks(made.text, extract.anchors(first.text), extract.anchors(made.text))
			: made.text;
	return {
		// Where no word has changed, nothing has.
		text: made.text === source ? text : linked,
		pieces: first.pieces + counts.pieces,
		translated: first.translated + counts.translated,
		partly: first.partly + counts.partly,
		refused: [...first.refused, ...refused.map((piece) => piece.text)],
		refusedAt: [
			...first.refusedAt,
			...refused.map((piece) => ({
				...placeIn(text, first.text, piece),
				...defined({ key: piece.key }),
				why: made.faults.get(piece) ?? 'it is a message that cannot be read',
			})),
		],
	};
}

/** A part of a format that is translated before the rest of it, held to the same. */
const partOf = (before: Extract, { rules }: Extract): Extract =>
	Object.assign((text: string, to?: string) => before(text, to), {
		...before,
		...defined({ rules }),
	});

/** Line and column of a piece in the document as it came. */
function placeIn(
	text: string,
	now: string,
	{ start, end }: Piece,
): Pick<RefusedPlace, 'line' | 'column'> {
	const raw = now.slice(start, end);
	// What came before may have grown or shrunk; the piece itself has not changed.
	const after = text.indexOf(raw, start);
	const at = after < 0 ? text.lastIndexOf(raw, start) : after;
	const lines = text.slice(0, at < 0 ? Math.min(start, text.length) : at).split('\n');
	return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** Pieces, of which messages with branches have those of the target language. */
function piecesOf(text: string, extract: Extract, to?: string): Piece[] {
	return extract(text, to).map((piece) => {
		if (piece.branches || piece.unread || to === undefined || !isIcuBranching(piece.text))
			return piece;
		const branches = icuBranches(piece.text, to);
		return branches ? { ...piece, branches } : piece;
	});
}
