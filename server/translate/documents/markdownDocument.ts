/**
 * Markdown and MDX: headings, paragraphs, list items, quotes and table cells. Front matter, fences,
 * indented code, HTML blocks, link definitions and link targets stay.
 */

import { pushAll } from '../../protocol/lists.ts';
import { firstLineEnd, leadingSpace, linesOf, type TextLine, withoutEnd } from '../whiteSpace.ts';
import { taggedText } from './inlineTags.ts';
import { inlineParts, withoutMarks } from './markdownMarks.ts';
import type { Extract, Piece } from './piece.ts';

/** Letters side by side make words. */
const word = /\p{L}{2}/u;

const container = /^(?:[ \t]*>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/;
const marker = /(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?$/;

/** Markdown as it is written in files that are no programs. */
export const extractMarkdown: Extract = (text) => extract(text, false);

/** Markdown with JSX: `import`, `export` and expressions in braces are code, too. */
export const extractMdx: Extract = (text) => extract(text, true);

function extract(text: string, isMdx: boolean): Piece[] {
	const lines = linesOf(text);
	const pieces: Piece[] = [];
	let index = frontMatterEnd(lines);
	let paragraph: TextLine[] = [];
	let paragraphDepth = -1;
	const close = () => {
		if (paragraph.length > 0) pushAll(pieces, paragraphPieces(text, paragraph));
		paragraph = [];
	};
	for (; index < lines.length; index++) {
		const line = lines[index];
		if (!line) break;
		const body = line.text.replace(/^(?:[ \t]*>[ \t]?)+/, '');
		const fence = /^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(`{3,}|~{3,})/.exec(body)?.[1];
		if (fence) {
			close();
			index = fenceEnd(lines, index, fence);
		} else if (isTableHead(line.text, lines[index + 1]?.text)) {
			close();
			pushAll(pieces, cells(line));
			index++;
			while (lines[index + 1]?.text.includes('|'))
				pushAll(pieces, cells(lines[++index] as TextLine));
		} else if (/^\s*<[A-Za-z!/?]/.test(body) && paragraph.length === 0) {
			while (index + 1 < lines.length && lines[index + 1]?.text.trim() !== '') index++;
		} else if (isMdx && paragraph.length === 0 && /^(?:(?:import|export)\b|\s*\{)/.test(body)) {
			while (index + 1 < lines.length && lines[index + 1]?.text.trim() !== '') index++;
		} else if (isCode(body) && paragraph.length === 0) {
			// Indented code, definitions, rules and underlines hold no prose.
		} else if (isRule(body.trim())) {
			close();
		} else if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(body)) {
			close();
			pieces.push(...heading(line));
		} else {
			const depth = quoteDepth(line);
			if (marker.test(container.exec(line.text)?.[0] ?? '') || depth !== paragraphDepth) close();
			paragraph.push(line);
			paragraphDepth = depth;
			// A hard break stays where it is.
			if (line.text.endsWith('  ') || line.text.endsWith('\\')) close();
		}
	}
	close();
	return pieces;
}

function frontMatterEnd(lines: readonly TextLine[]): number {
	const fence = lines[0]?.text;
	if (fence !== '---' && fence !== '+++') return 0;
	const end = lines.findIndex((line, index) => index > 0 && line.text.trimEnd() === fence);
	return end === -1 ? 0 : end + 1;
}

function fenceEnd(lines: readonly TextLine[], from: number, fence: string): number {
	for (let index = from + 1; index < lines.length; index++) {
		const line = lines[index]?.text.trim() ?? '';
		const ticks = line.slice(/^[\s>]*/.exec(line)?.[0].length);
		if (ticks.length >= fence.length && withoutEnd(ticks, fence.charAt(0)) === '') return index;
	}
	return lines.length;
}

/** Nothing, a thematic break or the underline of a heading. */
function isRule(line: string): boolean {
	return line === '' || /^(?:={2,}|-{2,}|[*_-](?:[ \t]*[*_-]){2,})$/.test(line);
}

function isTableHead(line: string, next = ''): boolean {
	if (!line.includes('|') || !next.includes('-')) return false;
	const row = next.trim();
	const inner = row.slice(row.startsWith('|') ? 1 : 0, row.endsWith('|') ? -1 : undefined);
	return inner.split('|').every((cell) => /^:?-+:?$/.test(cell.trim()));
}

function isCode(body: string): boolean {
	return /^(?: {4,}|\t)(?![-*+] |\d+[.)] )/.test(body) || /^ {0,3}\[[^\]]+\]:/.test(body);
}

function quoteDepth({ text }: TextLine): number {
	return /^(?:[ \t]*>)*/.exec(text)?.[0].replace(/[^>]/g, '').length ?? 0;
}

function cells(line: TextLine): Piece[] {
	const pieces: Piece[] = [];
	for (const match of line.text.matchAll(/(?:\\\||`[^`]*`|[^|])+/g)) {
		const lead = leadingSpace(match[0]).length;
		const text = match[0].trim();
		pieces.push(
			...piece(text, line.start + match.index + lead, text.length, (made) =>
				made.replace(/(?<!\\)\|/g, '\\|'),
			),
		);
	}
	return pieces;
}

function heading(line: TextLine): Piece[] {
	const before = /^\s*(?:>\s?)*#{1,6}[ \t]+/.exec(line.text)?.[0];
	if (before === undefined) return [];
	const text = headingText(line.text.slice(before.length));
	if (/[\u2028\u2029]/.test(text)) return [];
	return piece(text, line.start + before.length, text.length, (made) => made);
}

/** A heading without an identifier in braces and without the marks that close it. */
function headingText(source: string): string {
	let text = withoutEnd(source, ' \t');
	const brace = text.lastIndexOf('{#');
	if (brace >= 0 && /^\{#[\w-]+\}$/.test(text.slice(brace)))
		text = withoutEnd(text.slice(0, brace), ' \t');
	const open = withoutEnd(text, '#');
	return /[ \t]$/.test(open) && open.length < text.length ? withoutEnd(open, ' \t') : text;
}

function paragraphPieces(text: string, lines: readonly TextLine[]): Piece[] {
	const [first] = lines;
	const last = lines.at(-1);
	if (!first || !last) return [];
	const prefixes = lines.map((line) => container.exec(line.text)?.[0] ?? '');
	const bodies = lines.map((line, index) => line.text.slice(prefixes[index]?.length).trimEnd());
	const start = first.start + (prefixes[0]?.length ?? 0);
	const end = last.start + last.text.trimEnd().replace(/\\$/, '').trimEnd().length;
	const words = bodies.join(' ').replace(/\\$/, '').trimEnd();
	const eol = firstLineEnd(text.slice(start));
	const width = lines.reduce((widest, line) => Math.max(widest, line.text.length), 60);
	const rest = prefixes[1] ?? '';
	return piece(words, start, end - start, (made) =>
		lines.length === 1 ? made : wrap(made, width, (prefixes[0] ?? '').length, rest, eol),
	);
}

function wrap(text: string, width: number, indent: number, prefix: string, eol: string): string {
	const rows: string[] = [];
	let row = '';
	for (const word of text.split(' ')) {
		const before = rows.length === 0 ? indent : prefix.length;
		// A line must not begin with what would be a marker there.
		const breakable = !/^(?:[-*+#>]|\d+[.)])/.test(word);
		if (row !== '' && breakable && before + row.length + 1 + word.length > width) {
			rows.push(row);
			row = word;
		} else row = row === '' ? word : `${row} ${word}`;
	}
	rows.push(row);
	return rows.join(eol + prefix);
}

function piece(
	text: string,
	start: number,
	length: number,
	encode: (made: string) => string,
): Piece[] {
	if (!word.test(withoutMarks(text))) return [];
	const tagged = taggedText(inlineParts(text), (raw) => raw);
	const shown = (translation: string) => tagged.restore(translation, (words) => words);
	const codeSpans = /`+[^`\n]*`+/g;
	const delimiters = tagged.tags
		? new RegExp(`${tagged.tags.source}|${codeSpans.source}`, 'g')
		: codeSpans;
	return [
		{
			start,
			end: start + length,
			text: tagged.text,
			delimiters,
			isWhole: tagged.isWhole,
			shown,
			encode: (made) => encode(shown(made)),
		},
	];
}
