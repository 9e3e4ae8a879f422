/**
 * Markdown and MDX: headings, paragraphs, list items, quotes and table cells. Front matter, fences,
 * indented code, HTML blocks, link definitions and link targets stay.
 */

import { type InlinePart, taggedText } from './inlineTags.ts';
import type { Extract, Piece } from './piece.ts';

/** Marks inside a line: emphasis, code spans, link ends with their targets, images, footnotes. */
const inlineMarks =
	/`+[^`\n]*`+|!?\[(?=[^\]]*\]\()|\]\([^()\s]*(?:\s+"[^"]*")?\)|\]\[[^\]]*\]|\[\^[^\]]+\]|<[^<>\s][^<>]*>|\*\*|__|~~|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)/g;

interface Line {
	readonly start: number;
	/** Without its end. */
	readonly text: string;
}

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
	let paragraph: Line[] = [];
	const close = () => {
		if (paragraph.length > 0) pieces.push(...paragraphPieces(text, paragraph));
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
			pieces.push(...cells(line));
			index++;
			while (lines[index + 1]?.text.includes('|')) pieces.push(...cells(lines[++index] as Line));
		} else if (/^\s*<[A-Za-z!/?]/.test(body) && paragraph.length === 0) {
			while (index + 1 < lines.length && lines[index + 1]?.text.trim() !== '') index++;
		} else if (isMdx && paragraph.length === 0 && /^(?:(?:import|export)\b|\s*\{)/.test(body)) {
			while (index + 1 < lines.length && lines[index + 1]?.text.trim() !== '') index++;
		} else if (isCode(body) && paragraph.length === 0) {
			// Indented code, definitions, rules and underlines hold no prose.
		} else if (/^\s*(?:={2,}|-{2,}|(?:[*_-][ \t]*){3,})\s*$/.test(body) || body.trim() === '') {
			close();
		} else if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(body)) {
			close();
			pieces.push(...heading(line));
		} else {
			if (
				marker.test(container.exec(line.text)?.[0] ?? '') ||
				quoteDepth(line) !== quoteDepth(paragraph[0])
			)
				close();
			paragraph.push(line);
			// A hard break stays where it is.
			if (/(?: {2,}|\\)$/.test(line.text)) close();
		}
	}
	close();
	return pieces;
}

function linesOf(text: string): Line[] {
	return [...text.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)]
		.filter(([all], place, every) => all !== '' || place < every.length - 1)
		.map((match) => ({ start: match.index, text: match[0].replace(/[\r\n]+$/, '') }));
}

function frontMatterEnd(lines: readonly Line[]): number {
	const fence = lines[0]?.text;
	if (fence !== '---' && fence !== '+++') return 0;
	const end = lines.findIndex((line, index) => index > 0 && line.text.trimEnd() === fence);
	return end === -1 ? 0 : end + 1;
}

function fenceEnd(lines: readonly Line[], from: number, fence: string): number {
	const closing = new RegExp(`^[\\s>]*${fence[0] === '`' ? '`' : '~'}{${fence.length},}\\s*$`);
	for (let index = from + 1; index < lines.length; index++) {
		if (closing.test(lines[index]?.text ?? '')) return index;
	}
	return lines.length;
}

function isTableHead(line: string, next: string | undefined): boolean {
	return (
		line.includes('|') &&
		/^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(next ?? '') &&
		(next ?? '').includes('-')
	);
}

function isCode(body: string): boolean {
	return /^(?: {4,}|\t)(?![-*+] |\d+[.)] )/.test(body) || /^ {0,3}\[[^\]]+\]:/.test(body);
}

function quoteDepth(line: Line | undefined): number {
	return line ? (/^(?:[ \t]*>)*/.exec(line.text)?.[0].replace(/[^>]/g, '').length ?? 0) : -1;
}

function cells(line: Line): Piece[] {
	const pieces: Piece[] = [];
	for (const match of line.text.matchAll(/(?:\\\||`[^`]*`|[^|])+/g)) {
		const lead = /^\s*/.exec(match[0])?.[0].length ?? 0;
		const text = match[0].trim();
		pieces.push(
			...piece(text, line.start + match.index + lead, text.length, (made) =>
				made.replace(/(?<!\\)\|/g, '\\|'),
			),
		);
	}
	return pieces;
}

function heading(line: Line): Piece[] {
	const match = /^(\s*(?:>\s?)*#{1,6}[ \t]+)(.*?)(?:[ \t]+#+)?[ \t]*(?:\{#[\w-]+\}[ \t]*)?$/.exec(
		line.text,
	);
	if (!match) return [];
	const [, before = '', text = ''] = match;
	return piece(text, line.start + before.length, text.length, (made) => made);
}

function paragraphPieces(text: string, lines: readonly Line[]): Piece[] {
	const [first] = lines;
	const last = lines.at(-1);
	if (!first || !last) return [];
	const prefixes = lines.map((line) => container.exec(line.text)?.[0] ?? '');
	const bodies = lines.map((line, index) => line.text.slice(prefixes[index]?.length).trimEnd());
	const start = first.start + (prefixes[0]?.length ?? 0);
	const end = last.start + last.text.trimEnd().replace(/\\$/, '').trimEnd().length;
	const words = bodies.join(' ').replace(/\\$/, '').trimEnd();
	const eol = /\r\n|\n|\r/.exec(text.slice(start))?.[0] ?? '\n';
	const width = Math.max(60, ...lines.map((line) => line.text.length));
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
	if (!/\p{L}{2}/u.test(text.replace(inlineMarks, ''))) return [];
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

/** Marks and what is between them; code spans are left to translators, who keep them. */
function inlineParts(text: string): InlinePart[] {
	const parts: { raw: string; role: InlinePart['role']; pair?: number }[] = [];
	/** Places of marks that wait for their partners, with what ends them. */
	let open: { at: number; end: string }[] = [];
	let next = 0;
	const add = (raw: string, role: InlinePart['role']) => parts.push({ raw, role }) - 1;
	for (const match of text.matchAll(inlineMarks)) {
		const [raw] = match;
		if (raw.startsWith('`')) continue;
		if (match.index > next) add(text.slice(next, match.index), 'text');
		next = match.index + raw.length;
		const at = add(raw, 'single');
		const kind = endOf(raw);
		const start = open.findLast(({ end }) => end === kind.closes);
		if (start && kind.closes !== undefined) {
			Object.assign(parts[start.at] ?? {}, { role: 'open', pair: start.at });
			Object.assign(parts[at] ?? {}, { role: 'close', pair: start.at });
			// What was opened in between and not closed stands for itself.
			open = open.slice(0, open.indexOf(start));
		} else if (kind.opens !== undefined) open.push({ at, end: kind.opens });
	}
	if (next < text.length) add(text.slice(next), 'text');
	return parts;
}

/** What a mark may close, and what would close it. */
function endOf(raw: string): { opens?: string; closes?: string } {
	if (raw === '[' || raw === '![') return { opens: ']' };
	if (raw.startsWith(']')) return { closes: ']' };
	const tag = /^<(\/?)([A-Za-z][\w.-]*)[^<>]*?(\/?)>$/.exec(raw);
	if (tag) {
		const [, slash, name = '', self] = tag;
		if (slash === '/') return { closes: `<${name}` };
		return self === '/' || /^(?:br|img|input|wbr)$/i.test(name) ? {} : { opens: `<${name}` };
	}
	return /^(?:\*\*|__|~~|\*|_)$/.test(raw) ? { opens: raw, closes: raw } : {};
}
