/** A document of a known format through a translator; what cannot be kept whole is left as it was. */

import { defined } from '../../protocol/defined.ts';
import { sameLanguage } from '../languageCodes.ts';
import {
	type DocumentLanguages,
	inItsLanguage,
	type LeftText,
	type TextTranslator,
	type TranslateTexts,
} from './documentLanguage.ts';
import { extractHtml } from './htmlDocument.ts';
import { icuBranches } from './icuBranches.ts';
import { extractJson } from './jsonDocument.ts';
import { extractMarkdown, extractMdx } from './markdownDocument.ts';
import { moreFormats, sharedFormatOf } from './moreFormats.ts';
import { type Extract, type Piece, padded, splice } from './piece.ts';
import { isIcuBranching, samePlaceholders } from './placeholders.ts';
import { extractPlainText } from './plainTextDocument.ts';
import { extractPo } from './poDocument.ts';
import { extractProperties } from './propertiesDocument.ts';
import { extractSubtitles } from './subtitlesDocument.ts';
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
export interface PiecesResult {
	readonly text: string;
	/** Pieces found. */
	readonly pieces: number;
	/** Source texts whose translation would have lost a placeholder, or that are malformed ICU messages. */
	readonly refused: readonly string[];
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
	const { to } = languages;
	const prose = proseOf(text, extract, to);
	const { translate, language, score, left } = await inItsLanguage(prose, translator, languages);
	const made = sameLanguage(language, to)
		? { text, pieces: prose.length, refused: [] }
		: await translatePieces(text, extract, translate, to);
	return { ...made, left, language, ...defined({ score }) };
}

/** The words of a document, piece by piece. */
export function proseOf(text: string, extract: Extract, to: string): string[] {
	if (extract.prose) return extract.prose(text);
	const pieces = [...(extract.before?.(text, to) ?? []), ...piecesOf(text, extract, to)];
	return pieces.flatMap((piece) => piece.branches?.texts ?? [piece.text]);
}

/**
 * Translates the pieces of a document; everything between them is the same, byte for byte.
 *
 * @param to Target language (BCP 47), whose plural forms messages get. Without it, messages with
 *   plural forms are left as they are.
 */
export async function translatePieces(
	text: string,
	extract: Extract,
	translate: TranslateTexts,
	to?: string,
): Promise<PiecesResult> {
	const source = to === undefined ? text : (extract.prepare?.(text, to) ?? text);
	const first = extract.before
		? await translatePieces(source, extract.before, translate, to)
		: { text: source, pieces: 0, refused: [] };
	const pieces = piecesOf(first.text, extract, to);
	const asked = pieces.filter((piece) => !piece.companion && !leavesAlone(piece));
	const texts = asked.map((piece) => piece.branches?.texts ?? [piece.text.trim()]);
	const comments = asked.some(({ comment }) => comment !== undefined)
		? asked.flatMap(({ comment }, index) => (texts[index] ?? []).map(() => comment))
		: undefined;
	const answers = asked.length === 0 ? [] : await translate(texts.flat(), comments);
	const found = new Map<Piece, string>();
	const broken: Piece[] = [];
	let next = 0;
	asked.forEach((piece, index) => {
		const own = texts[index] ?? [];
		const given = own.map((source) => (answers[next++] ?? source).trim());
		const answer = piece.branches
			? joinBranches(piece, given)
			: padded(given[0] ?? piece.text, piece.text);
		if (answer !== undefined && (piece.branches || keeps(piece, answer))) found.set(piece, answer);
		else broken.push(piece);
	});
	for (const [piece, answer] of await inParts(broken, translate)) found.set(piece, answer);
	const counted = pieces.filter((piece) => !piece.companion);
	const refused = counted.filter((piece) => !found.has(piece)).map((piece) => piece.text);
	const made = splice(
		first.text,
		pieces,
		pieces.map((piece) => found.get(piece)),
	);
	return {
		// Where no word has changed, nothing has.
		text: made === source ? text : made,
		pieces: first.pieces + counted.length,
		refused: [...first.refused, ...refused],
	};
}

/** Pieces, of which messages with branches have those of the target language. */
function piecesOf(text: string, extract: Extract, to?: string): Piece[] {
	return extract(text, to).map((piece) => {
		if (piece.branches || to === undefined || !isIcuBranching(piece.text)) return piece;
		const branches = icuBranches(piece.text, to);
		return branches ? { ...piece, branches } : piece;
	});
}

function leavesAlone({ text, branches }: Piece): boolean {
	return !branches && isIcuBranching(text);
}

function joinBranches({ text, branches }: Piece, translations: readonly string[]) {
	// Texts that are all the same in the other language leave the message as its author wrote it.
	if (branches?.texts.length === 0) return branches.join([]);
	if (branches?.texts.every((source, index) => source.trim() === translations[index])) return text;
	return branches?.join(translations);
}

/** Whether placeholders and delimiters of a piece are all in its translation. */
function keeps(piece: Piece, translation: string): boolean {
	return (
		samePlaceholders(piece.text, translation) &&
		marks(piece, piece.text) === marks(piece, translation) &&
		(piece.isWhole?.(translation) ?? true)
	);
}

function marks({ delimiters }: Piece, text: string): string {
	// Words move in other languages, and what marks them goes along.
	return delimiters ? (text.match(delimiters) ?? []).sort().join('\n') : '';
}

/** Translates what lies between the delimiters on its own: plainer, but nothing is lost. */
async function inParts(
	pieces: readonly Piece[],
	translate: TranslateTexts,
): Promise<(readonly [Piece, string])[]> {
	const cut = pieces
		.filter(({ delimiters }) => delimiters)
		.map((piece) => ({ piece, parts: partsOf(piece) }));
	const wanted = cut.flatMap(({ parts }) =>
		parts.filter(({ words }) => words).map(({ text }) => text.trim()),
	);
	if (wanted.length === 0) return [];
	const answers = await translate(wanted);
	let next = 0;
	return cut.flatMap(({ piece, parts }) => {
		const made = parts
			.map(({ text, words }) => {
				if (!words) return text;
				return padded(answers[next++] ?? text, text);
			})
			.join('');
		return keeps(piece, made) ? [[piece, made] as const] : [];
	});
}

function partsOf({ text, delimiters }: Piece): { text: string; words: boolean }[] {
	const parts: { text: string; words: boolean }[] = [];
	let next = 0;
	const add = (part: string) => {
		if (part !== '') parts.push({ text: part, words: /\p{L}{2}/u.test(part) });
	};
	for (const match of text.matchAll(delimiters as RegExp)) {
		add(text.slice(next, match.index));
		parts.push({ text: match[0], words: false });
		next = match.index + match[0].length;
	}
	add(text.slice(next));
	return parts;
}
