/** Translates the words of a range and leaves everything around them as it is. */

import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
	type CommentLine,
	type Paragraph,
	paragraphs,
	readComment,
	rebuild,
} from './commentLines.ts';
import { type Prose, proseIn } from './prose.ts';
import { stringParts } from './stringParts.ts';
import type { SyntaxTrees } from './syntaxTree.ts';

/** Translates texts, keeping their order and number. */
export type TranslateMany = (texts: readonly string[]) => Promise<readonly string[]>;

/** A piece of a document with the texts in it and the way back. */
export interface Job {
	readonly start: number;
	readonly end: number;
	readonly texts: readonly string[];
	readonly render: (translations: readonly string[]) => string;
}

/**
 * The new text of a range (offsets in UTF-16 units). In source code only comments, docstrings and
 * strings are translated when there are any; elsewhere every line with words is.
 */
export async function translateRange(
	document: TextDocument,
	from: number,
	to: number,
	trees: SyntaxTrees,
	translate: TranslateMany,
): Promise<string> {
	const text = document.getText().slice(from, to);
	const found = await proseIn(document, from, to, trees);
	const inside = found
		.map((prose) => ({
			...prose,
			start: Math.max(prose.start, from),
			end: Math.min(prose.end, to),
		}))
		.filter((prose) => prose.start < prose.end);
	const comments = inside.filter(({ kind }) => kind !== 'string');
	const chosen = comments.length > 0 ? comments : inside;
	const jobs =
		chosen.length > 0 ? chosen.map((prose) => jobFor(document, prose)) : [lineJob(text, from, to)];
	return splice(text, from, jobs, await translateJobs(jobs, translate));
}

/** Translates all texts of all jobs in one go and renders each job. */
export async function translateJobs(
	jobs: readonly Job[],
	translate: TranslateMany,
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
	if (kind === 'text') return lineJob(text, start, end);
	if (kind === 'string') {
		const { before, body, after, quote } = stringParts(text);
		if (!/\p{L}{2}/u.test(body)) return { start, end, texts: [], render: () => text };
		return {
			start,
			end,
			texts: [body],
			render: ([translation = body]) => before + quote(translation) + after,
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
	};
}

/** Line by line: white space around the words, empty lines and line ends stay. */
function lineJob(text: string, start: number, end: number): Job {
	const parts = text.split(/(\r\n|\n|\r)/);
	const wanted: { index: number; before: string; body: string; after: string }[] = [];
	parts.forEach((part, index) => {
		const match = /^(\s*)(.*?)(\s*)$/su.exec(part);
		if (!match || !/\p{L}/u.test(part)) return;
		wanted.push({ index, before: match[1] ?? '', body: match[2] ?? '', after: match[3] ?? '' });
	});
	return {
		start,
		end,
		texts: wanted.map((line) => line.body),
		render: (translations) => {
			const out = [...parts];
			wanted.forEach(({ index, before, body, after }, place) => {
				out[index] = before + (translations[place] ?? body) + after;
			});
			return out.join('');
		},
	};
}

function splice(
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
