/**
 * AsciiDoc: titles, paragraphs, lists, cells, notes. Code, comments, attributes, macros, anchors and what is included stay.
 */

import { pushAll } from '../../../protocol/lists.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { linesOf, type TextLine } from '../../whiteSpace.ts';
import type { Extract, Piece } from '../piece.ts';
import { asciiDocAnchors } from './asciiAnchors.ts';
import { lineAfter, verbatimEnd } from './asciiBlocks.ts';
import { type AsciiDialect, asciiDialect, isSynopsis } from './asciiDialect.ts';
import { imagePieces } from './asciiImages.ts';
import { asciiDocApart, isUnderlined } from './marks.ts';
import { type ProseLine, prosePiece } from './proseLines.ts';

const opens =
	/^(?:[-*.=|]+|\.[^\s.].*|<\d+>|\d+\.|[A-Za-z]\.|[IVXivx]+\)|\/\/.*|:[\w-]+:.*|\[.*|NOTE:|TIP:|\+|.*::)$/;
const transparent = /^(?:={4,}|\*{4,}|_{4,}|--)$/;
const marker =
	/^(?:(?:\*{1,6}|-|\.{1,6}|\d{1,4}\.|<\d{1,3}>)[ \t]+(?:\[[ x*]\][ \t]+)?|(?:NOTE|TIP|IMPORTANT|CAUTION|WARNING):[ \t]+)/;
/** Terms of lists that are typed. */
const isOption = /^['`+*_]{0,2}(?:\[?-{1,2}[A-Za-z[]|<[\w-]+>)/;
/** The names of a page of a manual, before what it says of them. */
const pageName = /^[\w.+-]{1,80}(?:, [\w.+-]{1,80}){0,20} -{1,2} /;
/** Begins an item of a list, but no line within a paragraph. */
const lettered = /^(?:[A-Za-z]\.|[IVXivx]{1,6}\))[ \t]+(?=\S)/;
const coded =
	/^\[(?:source|synopsis|listing|literal|stem|latexmath|asciimath|plantuml|mermaid|ditaa|graphviz|pass|comment)\b|^\[,/;

export const extractAsciiDoc: Extract = Object.assign(extract, {
	rules: gateRules.asciiDoc,
	before: imagePieces,
	anchors: asciiDocAnchors,
});

function extract(text: string): Piece[] {
	const lines = linesOf(text);
	const dialect = asciiDialect(text);
	const pieces: Piece[] = [];
	let paragraph: ProseLine[] = [];
	/** Title of the section, of a manual page. */
	let section = '';
	let isCode = false;
	/** Whether lines of the document, and those of this block, are kept apart. */
	let areLines = false;
	let isVerse = false;
	/** Whether the lines that are gathered are an item of a list. */
	let isItem = false;
	/** Line of a term that waits for its text, which may be indented. */
	let termAt = -1;
	let inTable = false;
	let inVerse = false;
	const close = () => {
		pushAll(pieces, pieceOf(text, paragraph, dialect));
		paragraph = [];
	};
	const lineAt = (
		{ start, text: line }: TextLine,
		offset: number,
		end = line.length,
	): ProseLine => ({
		start: start + offset,
		text: line.slice(offset, end),
		before: line.slice(0, offset),
	});
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] as TextLine;
		const body = line.text.trimEnd();
		const isBlock = isCode;
		const below = lines[at + 1];
		if (below && paragraph.length === 0 && !inTable && !isBlock && isUnderlined(body, below.text)) {
			const isPage = dialect.isManual && below.text.startsWith('=');
			if (!isPage) pushAll(pieces, underlined(text, line, below, dialect));
			section = body.trim().toLowerCase();
			at++;
			// The author and the version follow the title of the document.
			if (below.text.startsWith('='))
				while (at + 1 < lines.length && !/^\s*$|^:|^\/\//.test(lines[at + 1]?.text ?? '')) at++;
			continue;
		}
		if (body === '') {
			close();
			isVerse &&= inVerse;
			continue;
		}
		const blockEnd = verbatimEnd(lines, at);
		if (blockEnd !== undefined) {
			close();
			at = blockEnd;
			isCode = false;
			continue;
		}
		if (transparent.test(body)) {
			close();
			if (isBlock) at = lineAfter(lines, at, body);
			inVerse = isVerse && !inVerse;
			isVerse = inVerse;
			isCode = false;
			continue;
		}
		if (/^[|,:!]={3,}$/.test(body)) {
			close();
			if (body.startsWith('|')) inTable = !inTable;
			else at = lineAfter(lines, at, body);
			continue;
		}
		const heading = /^(?:={1,6}|#{1,6})[ \t]+(?=\S)/.exec(body)?.[0];
		if (heading !== undefined && paragraph.length === 0) {
			const isPage = dialect.isManual && heading.trim() === '=';
			if (!isPage) pushAll(pieces, pieceOf(text, [lineAt(line, heading.length)], dialect));
			section = body.slice(heading.length).trim().toLowerCase();
			// The author and the version follow the title of the document.
			if (heading.trim() === '=') {
				while (at + 1 < lines.length && !/^\s*$|^:|^\/\//.test(lines[at + 1]?.text ?? '')) at++;
			}
			continue;
		}
		if (/^\/\/|^:!?[\w-]+!?:(?:[ \t]|$)|^(?:'''|<<<|---|\*\*\*)$|^\+$/.test(body)) {
			close();
			if (/^:!?hardbreaks(?:-option)?!?:/.test(body)) areLines = !body.includes('!');
			// Values of attributes may go on.
			if (body.startsWith(':')) while (/ \\$/.test(lines[at]?.text.trimEnd() ?? '')) at++;
			continue;
		}
		if (/^\[.*\]$/.test(body) && paragraph.length === 0) {
			isCode =
				coded.test(body) || (/^\[verse\b/.test(body) && isSynopsis(lines, at + 1, dialect.program));
			isVerse = /^\[verse\b|%hardbreaks\b|options="?hardbreaks/.test(body);
			continue;
		}
		if (/^\w{1,30}::?\S{0,500}\[.{0,1000}\]$/.test(body) && /^\w+::/.test(body)) {
			close();
			continue;
		}
		if (inTable) {
			close();
			pushCells(text, line, pieces, dialect);
			continue;
		}
		const isText =
			termAt >= 0 && lines.slice(termAt + 1, at).every(({ text: one }) => one.trim() === '');
		termAt = -1;
		if (
			paragraph.length === 0 &&
			!isText &&
			(isBlock || /^[ \t]/.test(line.text)) &&
			!marker.test(body.trimStart()) &&
			!lettered.test(body.trimStart())
		) {
			at = lineAfter(lines, at, '') - 1;
			isCode = false;
			continue;
		}
		isCode = false;
		if (dialect.isManual && section === 'synopsis') continue;
		if (/^\.[^\s.]/.test(body) && paragraph.length === 0) {
			pushAll(pieces, pieceOf(text, [lineAt(line, 1)], dialect));
			continue;
		}
		const indent = line.text.length - line.text.trimStart().length;
		const own = line.text.slice(indent);
		const mayBeLettered: boolean = paragraph.length === 0 || isItem;
		const item: RegExpExecArray | null =
			marker.exec(own) ?? (mayBeLettered ? lettered.exec(own) : null);
		const isName = dialect.isManual && section === 'name';
		const mark: string | undefined = (isName ? pageName.exec(own) : item)?.[0];
		const term =
			mark === undefined ? /^(\S.{0,200}?)(:{2,4}|;;)(?:[ \t]+|$)/.exec(body.slice(indent)) : null;
		if (mark !== undefined || term) close();
		if (paragraph.length === 0) isItem = mark !== undefined;
		if (term) {
			const [all, name = ''] = term;
			const words = [lineAt(line, indent, indent + name.length)];
			if (!isOption.test(name)) pushAll(pieces, pieceOf(text, words, dialect));
			if (all.length >= body.length - indent) termAt = at;
			else paragraph.push(lineAt(line, indent + all.length));
			continue;
		}
		const isBroken = / \+$/.test(body);
		paragraph.push(
			lineAt(line, indent + (mark?.length ?? 0), isBroken ? body.length - 2 : undefined),
		);
		if (isBroken || areLines || isVerse) close();
	}
	close();
	return pieces;
}

const pieceOf = (
	text: string,
	lines: readonly ProseLine[],
	{ marks, isName }: AsciiDialect,
): Piece[] => prosePiece(text, lines, marks, opens, asciiDocApart, isName);

/** A title; the line under it gets its length. */
function underlined(
	text: string,
	words: TextLine,
	under: TextLine,
	dialect: AsciiDialect,
): Piece[] {
	const own = { start: words.start, text: words.text.trimEnd(), before: '' };
	const gap = text.slice(words.start + own.text.length, under.start);
	const sign = under.text.charAt(0);
	return pieceOf(text, [own], dialect).map((piece) => ({
		...piece,
		end: under.start + under.text.trimEnd().length,
		encode: (made) => {
			const title = piece.encode(made);
			return title + gap + sign.repeat([...title].length);
		},
	}));
}

/** What stands between the bars of a line of a table. */
function pushCells(
	text: string,
	{ start, text: line }: TextLine,
	pieces: Piece[],
	dialect: AsciiDialect,
): void {
	const bar = /(?:\d{0,3}(?:\.\d{1,3})?[+*])?[<^>]{0,2}[a-z]?\|/g;
	const borders = [...line.matchAll(bar)].filter(({ index }) => line[index - 1] !== '\\');
	let from = 0;
	const add = (to: number) => {
		const cell = line.slice(from, to);
		const lead = cell.length - cell.trimStart().length;
		const own = { start: start + from + lead, text: cell.trim(), before: '' };
		for (const piece of pieceOf(text, [own], dialect))
			pieces.push({
				...piece,
				encode: (made) => piece.encode(made).replace(/(?<!\\)\|/g, '\\|'),
			});
	};
	for (const { index, 0: found } of borders) {
		// A letter before a bar is a word's, unless it stands alone.
		const isWord = /\w$/.test(line.slice(0, index));
		const at = isWord || !/[\s|]$|^$/.test(line.slice(0, index)) ? index + found.length - 1 : index;
		add(at);
		from = index + found.length;
	}
	add(line.length);
}
