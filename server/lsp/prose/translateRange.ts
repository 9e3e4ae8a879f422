/** Translates the words of a range and leaves everything around them as it is. */

import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
	inItsLanguage,
	type TextTranslator,
	type TranslateTexts,
} from '../../translate/documents/documentLanguage.ts';
import { extractMarkdown, extractMdx } from '../../translate/documents/markdownDocument.ts';
import { type Extract, splice } from '../../translate/documents/piece.ts';
import { extractPlainText } from '../../translate/documents/plainTextDocument.ts';
import { passed } from '../../translate/documents/throughGate.ts';
import { translateDocumentText } from '../../translate/documents/translateDocument.ts';
import {
	readableName,
	splitIdentifier,
	translatedIdentifier,
} from '../../translate/identifiers.ts';
import {
	type CommentLine,
	type Paragraph,
	paragraphs,
	readComment,
	rebuild,
} from './commentLines.ts';
import { markdownLanguages, proseLanguages } from './paragraphs.ts';
import type { Prose } from './prose.ts';
import type { ProseFinder } from './proseFinder.ts';
import { stringParts } from './stringParts.ts';

/** A piece of a document with the texts in it and the way back. */
export interface Job {
	readonly start: number;
	readonly end: number;
	readonly texts: readonly string[];
	readonly render: (translations: readonly string[]) => string;
	/** A translation of one of the texts as people read it. */
	readonly shown: (translation: string, index: number) => string;
}

/**
 * The new text of a range (offsets in UTF-16 units). In source code only comments, docstrings and
 * strings are translated when there are any; a single name keeps its case style; elsewhere every
 * paragraph with words is. The words of the range are of one language, like those of a document.
 *
 * @param target BCP 47 code the texts come back in.
 */
export async function translateRange(
	document: TextDocument,
	from: number,
	to: number,
	finder: ProseFinder,
	translator: TextTranslator,
	target: string,
	signal?: AbortSignal,
): Promise<string> {
	const languages = { to: target };
	const text = document.getText().slice(from, to);
	if (proseLanguages.has(document.languageId)) {
		const made = await translateDocumentText(text, extractOf(document), translator, languages);
		return made.text;
	}
	const found = await finder.find(document, from, to, signal);
	const inside = found
		.map((prose) => ({
			...prose,
			start: Math.max(prose.start, from),
			end: Math.min(prose.end, to),
		}))
		.filter((prose) => prose.start < prose.end);
	if (inside.length === 0) {
		const name = await translateName(text, translator, target);
		return (
			name ?? (await translateDocumentText(text, extractPlainText, translator, languages)).text
		);
	}
	const comments = inside.filter(({ kind }) => kind !== 'string');
	const chosen = comments.length > 0 ? comments : inside;
	const jobs = chosen.map((prose) => jobFor(document, prose));
	const texts = jobs.flatMap((job) => job.texts);
	const { translate } = await inItsLanguage(texts, translator, languages);
	return spliceJobs(text, from, jobs, await translateJobs(jobs, translate));
}

/** A selected name of several words in its own case style; `undefined` for other texts. */
async function translateName(
	text: string,
	translator: TextTranslator,
	target: string,
): Promise<string | undefined> {
	const parts = splitIdentifier(text.trim());
	if (!parts || (parts.words.length < 2 && parts.before === '')) return undefined;
	const words = readableName(parts);
	const { translate } = await inItsLanguage([words], translator, { to: target });
	const [answer = ''] = await translate([words]);
	const made = translatedIdentifier(answer, parts, target);
	return made === undefined ? text : text.replace(text.trim(), () => made);
}

/** Translates all texts of all jobs in one go and renders each job. */
export async function translateJobs(
	jobs: readonly Job[],
	translate: TranslateTexts,
): Promise<string[]> {
	const texts = jobs.flatMap((job) => job.texts);
	const answers = texts.length === 0 ? [] : await translate(texts);
	let next = 0;
	return jobs.map((job) => {
		const own = answers.slice(next, next + job.texts.length);
		next += job.texts.length;
		return job.render(own);
	});
}

/** What there is to translate in a piece of prose. */
export function jobFor(document: TextDocument, prose: Prose): Job {
	const { kind, start, end } = prose;
	const text = document.getText().slice(start, end);
	const shown = (translation: string) => translation;
	if (kind === 'text') {
		const extract = extractOf(document);
		const pieces = extract(text);
		return {
			start,
			end,
			texts: pieces.map((piece) => piece.text),
			render: (translations) =>
				splice(
					text,
					pieces,
					pieces.map((piece, index) => passed(piece, translations[index], extract.rules)),
				),
			shown: (translation, index) => pieces[index]?.shown?.(translation) ?? translation,
		};
	}
	if (kind === 'string') {
		const { before, body, after, quote } = stringParts(text);
		if (!/\p{L}{2}/u.test(body)) return { start, end, texts: [], render: () => text, shown };
		return {
			start,
			end,
			texts: [body],
			render: ([translation = body]) => before + quote(translation) + after,
			shown,
		};
	}
	const lines: readonly CommentLine[] = readComment(text);
	const parts: readonly Paragraph[] = paragraphs(lines);
	return {
		start,
		end,
		texts: parts.map((part) => part.text),
		render: (translations) =>
			translations.length === 0 ? text : rebuild(lines, parts, translations),
		shown,
	};
}

/** Puts rendered jobs into the text that begins at an offset of the document. */
export function spliceJobs(
	text: string,
	offset: number,
	jobs: readonly Job[],
	rendered: readonly string[],
): string {
	let out = '';
	let next = 0;
	jobs.forEach((job, place) => {
		out += text.slice(next, job.start - offset) + (rendered[place] ?? '');
		next = job.end - offset;
	});
	return out + text.slice(next);
}

function extractOf({ languageId }: TextDocument): Extract {
	if (languageId === 'mdx') return extractMdx;
	return markdownLanguages.has(languageId) ? extractMarkdown : extractPlainText;
}
