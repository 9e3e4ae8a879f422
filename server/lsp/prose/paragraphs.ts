/** Paragraphs of documents that are prose as a whole: plain text, Markdown and their kin. */

import type { TextDocument } from 'vscode-languageserver-textdocument';
import { withoutEnd } from '../../translate/whiteSpace.ts';
import type { Prose } from './prose.ts';

/** Languages whose documents are prose as a whole. */
export const proseLanguages: ReadonlySet<string> = new Set([
	'plaintext',
	'markdown',
	'mdx',
	'latex',
	'restructuredtext',
	'asciidoc',
	'git-commit',
	'scminput',
]);

/** Languages of {@link proseLanguages} that are read as Markdown. */
export const markdownLanguages: ReadonlySet<string> = new Set(['markdown', 'mdx']);

/**
 * A selection as it is; for a cursor the lines around it up to the next empty ones. In Markdown
 * nothing inside fences and front matter.
 */
export function paragraphsIn(document: TextDocument, from: number, to: number): Prose[] {
	if (from !== to) return [{ kind: 'text', start: from, end: to }];
	return blocksIn(document, from, to);
}

/** Every paragraph that touches the offsets, whole. */
export function blocksIn(document: TextDocument, from: number, to: number): Prose[] {
	const text = document.getText();
	const isEmpty = (line: number) => lineOf(document, text, line).trim() === '';
	let first = document.positionAt(from).line;
	let last = document.positionAt(to).line;
	while (first > 0 && !isEmpty(first) && !isEmpty(first - 1)) first--;
	while (last + 1 < document.lineCount && !isEmpty(last) && !isEmpty(last + 1)) last++;
	const isMarkdown = markdownLanguages.has(document.languageId);
	let code = isMarkdown ? openedAbove(text, document.offsetAt({ line: first, character: 0 })) : '';
	const found: Prose[] = [];
	let open: number | undefined;
	const close = (line: number) => {
		if (open !== undefined) {
			const start = document.offsetAt({ line: open, character: 0 });
			const end = document.offsetAt({ line: line - 1, character: 0 });
			found.push({ kind: 'text', start, end: end + lineOf(document, text, line - 1).length });
		}
		open = undefined;
	};
	for (let line = first; line <= last; line++) {
		const own = lineOf(document, text, line);
		if (code !== '') {
			if (closes(own, code)) code = '';
			continue;
		}
		const fence = isMarkdown ? openingOf(own, line) : '';
		if (fence !== '' || own.trim() === '') {
			close(line);
			code = fence;
		} else open ??= line;
	}
	close(last + 1);
	return found;
}

/** A fence of code or the line above front matter; empty for other lines. */
function openingOf(line: string, number: number): string {
	if (number === 0 && (line === '---' || line === '+++')) return line;
	return /^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
}

function closes(line: string, code: string): boolean {
	if (code === '---' || code === '+++') return line.trimEnd() === code;
	const mark = code[0] === '`' ? '`' : '~';
	const run = /^[ \t>]*([`~]{3,})[ \t]*$/.exec(line)?.[1];
	return run !== undefined && run[0] === mark && run.length >= code.length;
}

/** What is still open where a region begins. */
function openedAbove(text: string, at: number): string {
	let code = '';
	const scanner =
		/^(?:(?:---|\+\+\+)[ \t]*|[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:`{3}|~{3}).*)\r?$/gm;
	for (let match = scanner.exec(text); match && match.index < at; match = scanner.exec(text)) {
		const line = match[0].replace(/\r$/, '');
		if (code === '') code = openingOf(line, match.index === 0 ? 0 : 1);
		else if (closes(line, code)) code = '';
	}
	return code;
}

function lineOf(document: TextDocument, text: string, line: number): string {
	const start = document.offsetAt({ line, character: 0 });
	const end = document.offsetAt({ line: line + 1, character: 0 });
	return withoutEnd(text.slice(start, line + 1 < document.lineCount ? end : text.length), '\r\n');
}
