/** Where a document has words for people: comments, docstrings, strings, paragraphs of prose. */

import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Node } from 'web-tree-sitter';
import { type GrammarUse, lineMarkers } from './grammars.ts';
import type { SyntaxTrees } from './syntaxTree.ts';

export interface Prose {
	readonly kind: 'comment' | 'docstring' | 'string' | 'text';
	/** Offsets in UTF-16 units; of a comment from the first marker on. */
	readonly start: number;
	readonly end: number;
}

/** Languages whose documents are prose as a whole. */
export const proseLanguages = new Set([
	'plaintext',
	'markdown',
	'mdx',
	'latex',
	'restructuredtext',
	'asciidoc',
	'git-commit',
	'scminput',
]);

/**
 * What lies in (or touches) the offsets `from`…`to`, in the order of the text. Line comments that
 * follow each other at the same column are one.
 */
export async function proseIn(
	document: TextDocument,
	from: number,
	to: number,
	trees: SyntaxTrees,
): Promise<Prose[]> {
	if (proseLanguages.has(document.languageId)) return [paragraphAt(document, from, to)];
	const parsed = await trees.root(document);
	if (!parsed) return markedLines(document, from, to);
	const found: Prose[] = [];
	collect(parsed.node, parsed.use, from, to, found);
	return joined(document, parsed, found, from, to);
}

function collect(node: Node, use: GrammarUse, from: number, to: number, found: Prose[]): void {
	if (node.endIndex < from || node.startIndex > to) return;
	const { type } = node;
	if (use.comments.includes(type)) {
		found.push({ kind: 'comment', start: node.startIndex, end: trimmedEnd(node) });
		return;
	}
	if (use.strings.includes(type)) {
		const statement = use.docstrings && node.parent?.type === 'expression_statement';
		found.push({
			kind: statement ? 'docstring' : 'string',
			start: node.startIndex,
			end: node.endIndex,
		});
		return;
	}
	for (const child of node.children) if (child) collect(child, use, from, to, found);
}

/** Some grammars count the line end as part of a line comment. */
function trimmedEnd(node: Node): number {
	return node.endIndex - (/\s*$/.exec(node.text)?.[0].length ?? 0);
}

/** Joins line comments of neighbouring lines; around a cursor also those that were not asked for. */
function joined(
	document: TextDocument,
	parsed: { node: Node; use: GrammarUse },
	found: readonly Prose[],
	from: number,
	to: number,
): Prose[] {
	const result: Prose[] = [];
	for (const prose of found) {
		if (prose.kind !== 'comment') {
			result.push(prose);
			continue;
		}
		const last = result.at(-1);
		if (last?.kind === 'comment' && prose.end <= last.end) continue;
		// A cursor means the whole comment, a selection what is selected.
		const start = from === to ? neighbour(document, parsed, prose, -1) : prose;
		const end = from === to ? neighbour(document, parsed, prose, 1) : prose;
		const whole: Prose = { kind: 'comment', start: start.start, end: end.end };
		if (last?.kind === 'comment' && follows(document, last, whole)) {
			result[result.length - 1] = { ...last, end: whole.end };
		} else {
			result.push(whole);
		}
	}
	return result;
}

/** The furthest comment reached by stepping from line to line. */
function neighbour(
	document: TextDocument,
	{ node, use }: { node: Node; use: GrammarUse },
	prose: Prose,
	step: 1 | -1,
): Prose {
	let current = prose;
	for (;;) {
		const edge = document.positionAt(step === 1 ? current.end : current.start);
		const line = edge.line + step;
		if (line < 0 || line >= document.lineCount) return current;
		const text = lineText(document, line);
		const column = text.length - text.trimStart().length;
		if (column === text.length) return current;
		const at = document.offsetAt({ line, character: column });
		const near = node.descendantForIndex(at, at);
		if (!near || !use.comments.includes(near.type) || near.startIndex !== at) return current;
		const other: Prose = { kind: 'comment', start: near.startIndex, end: trimmedEnd(near) };
		if (!(step === 1 ? follows(document, current, other) : follows(document, other, current))) {
			return current;
		}
		current = other;
	}
}

/** Whether a line comment goes on in the next line: same column, alone there, same marker. */
function follows(document: TextDocument, first: Prose, second: Prose): boolean {
	const end = document.positionAt(first.end);
	const start = document.positionAt(second.start);
	if (start.line !== end.line + 1) return false;
	const text = document.getText();
	const marker = (at: number) => /^(?:\/\/+[!/]?|#+|--+|;+|%+)/.exec(text.slice(at, at + 4))?.[0];
	const head = document.offsetAt({ line: end.line, character: 0 });
	const own = first.end > head ? lineText(document, end.line) : '';
	const column = own.length - own.trimStart().length;
	return (
		marker(second.start) !== undefined &&
		marker(head + column) === marker(second.start) &&
		column === start.character
	);
}

/** Lines with a comment marker, for languages without a grammar. */
function markedLines(document: TextDocument, from: number, to: number): Prose[] {
	const marker = lineMarkers[document.languageId];
	if (marker === undefined) return [];
	const marked = (line: number) => lineText(document, line).trimStart().startsWith(marker);
	let first = document.positionAt(from).line;
	let last = document.positionAt(to).line;
	if (!marked(first) && first === last) return [];
	while (first > 0 && marked(first) && marked(first - 1)) first--;
	while (last + 1 < document.lineCount && marked(last) && marked(last + 1)) last++;
	const found: Prose[] = [];
	for (let line = first; line <= last; line++) {
		if (!marked(line)) continue;
		const text = lineText(document, line);
		const offset = document.offsetAt({ line, character: 0 });
		const start = offset + text.length - text.trimStart().length;
		const previous = found.at(-1);
		if (previous && marked(line - 1))
			found[found.length - 1] = { ...previous, end: offset + text.trimEnd().length };
		else found.push({ kind: 'comment', start, end: offset + text.trimEnd().length });
	}
	return found;
}

/** The lines around a place up to the next empty ones. */
function paragraphAt(document: TextDocument, from: number, to: number): Prose {
	let first = document.positionAt(from).line;
	let last = document.positionAt(to).line;
	const empty = (line: number) => lineText(document, line).trim() === '';
	if (from === to) {
		while (first > 0 && !empty(first) && !empty(first - 1)) first--;
		while (last + 1 < document.lineCount && !empty(last) && !empty(last + 1)) last++;
		const end = document.offsetAt({ line: last, character: 0 }) + lineText(document, last).length;
		return { kind: 'text', start: document.offsetAt({ line: first, character: 0 }), end };
	}
	return { kind: 'text', start: from, end: to };
}

/** A line without its end. */
export function lineText(document: TextDocument, line: number): string {
	const start = { line, character: 0 };
	const end = { line: line + 1, character: 0 };
	return document.getText({ start, end }).replace(/[\r\n]+$/, '');
}
