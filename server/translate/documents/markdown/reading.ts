/** A document of Markdown read once: the pieces of it that are words, and its syntax for the gate. */

import type { Event, Token } from 'micromark-util-types';
import { pushAll } from '../../../protocol/lists.ts';
import type { SyntaxNode } from '../../gate/gate.ts';
import { htmlNodes } from '../../gate/htmlNodes.ts';
import { isWithin } from '../edits.ts';
import { htmlAttributes, htmlSentences } from '../htmlTexts.ts';
import { moved, type Piece } from '../piece.ts';
import { type DocumentAnchors, markdownSlugs } from '../slugs.ts';
import { AnchorCollector } from './anchors.ts';
import { frontMatterPieces } from './frontMatter.ts';
import { type InlineNode, InlineReader, spaced, withoutWords } from './inline.ts';
import { jsxTag } from './jsx.ts';
import { refined } from './line.ts';
import { type LineKind, piecesOfLine } from './linePieces.ts';
import { type MarkdownChunk, type MarkdownDialect, markdownChunks } from './syntax.ts';
import { templateCode } from './templates.ts';
import { textPiece } from './textPiece.ts';

export interface MarkdownReading {
	readonly pieces: readonly Piece[];
	readonly nodes: readonly SyntaxNode[];
	readonly anchors: DocumentAnchors;
}

let last: { text: string; dialect: MarkdownDialect; reading: MarkdownReading } | undefined;
/** Of the document whose syntax was asked for last. */
let lastAnchors: { text: string; dialect: MarkdownDialect; anchors: DocumentAnchors } | undefined;

/**
 * Reads a document.
 *
 * @throws AppError `invalid_request` when it is nested too deeply, VFileMessage when it is no MDX.
 */
export function readMarkdown(text: string, dialect: MarkdownDialect): MarkdownReading {
	// It is asked for its language, for its texts and for its syntax.
	if (last?.text === text && last.dialect === dialect) return last.reading;
	const reading = newReading();
	for (const chunk of markdownChunks(text, dialect)) new ChunkReader(text, chunk, reading).read();
	const code = templateCode(text);
	const isWords = ({ start, end }: Piece) => !isWithin(code, start, end);
	const pieces = reading.pieces.filter(isWords).sort((a, b) => a.start - b.start);
	reading.nodes.sort((a, b) => a.at - b.at);
	last = { text, dialect, reading: { ...reading, pieces } };
	return last.reading;
}

/** The syntax of a document alone, which takes less memory. Throws as {@link readMarkdown}. */
export function markdownNodes(text: string, dialect: MarkdownDialect): readonly SyntaxNode[] {
	if (last?.text === text && last.dialect === dialect) return last.reading.nodes;
	const reading = newReading();
	for (const chunk of markdownChunks(text, dialect)) {
		new ChunkReader(text, chunk, reading).read();
		reading.pieces.length = 0;
	}
	lastAnchors = { text, dialect, anchors: reading.anchors };
	return reading.nodes.sort((a, b) => a.at - b.at);
}

/** Headings of a document and the links to them. Throws as {@link readMarkdown}. */
export function markdownAnchors(text: string, dialect: MarkdownDialect): DocumentAnchors {
	if (last?.text === text && last.dialect === dialect) return last.reading.anchors;
	if (lastAnchors?.text !== text || lastAnchors.dialect !== dialect) markdownNodes(text, dialect);
	return lastAnchors?.anchors ?? newReading().anchors;
}

interface GatheredReading extends MarkdownReading {
	readonly pieces: Piece[];
	readonly nodes: SyntaxNode[];
	readonly collector: AnchorCollector;
}

function newReading(): GatheredReading {
	const collector = new AnchorCollector();
	const { headings, links, outward, ids } = collector;
	const anchors = { headings, links, outward, ids, slugs: markdownSlugs };
	return { pieces: [], nodes: [], anchors, collector };
}

const lines: ReadonlyMap<string, LineKind> = new Map([
	['paragraph', 'paragraph'],
	['chunkText', 'paragraph'],
	['atxHeadingText', 'heading'],
	['setextHeadingText', 'heading'],
	['tableContent', 'cell'],
]);
/** Blocks that hold others. */
const holders = new Set([
	'blockQuote',
	'listOrdered',
	'listUnordered',
	'gfmFootnoteDefinition',
	'table',
	'tableRow',
	'tableHeader',
	'tableData',
	'setextHeading',
]);
/** Blocks that stay whole. */
const kept = new Set([
	'codeFenced',
	'codeIndented',
	'mathFlow',
	'mdxjsEsm',
	'mdxFlowExpression',
	'thematicBreak',
	'tableDelimiterRow',
]);

/** Characters of a paragraph nobody looks into that are told. */
const shownOfUnread = 200;

class ChunkReader {
	readonly #document: string;
	readonly #chunk: MarkdownChunk;
	readonly #events: readonly Event[];
	readonly #exits: Int32Array;
	readonly #pieces: Piece[];
	readonly #nodes: SyntaxNode[];
	readonly #anchors: AnchorCollector;
	/** Elements of MDX around this whose words are code. */
	#codeDepth = 0;

	constructor(
		document: string,
		chunk: MarkdownChunk,
		{ pieces, nodes, collector }: GatheredReading,
	) {
		this.#document = document;
		this.#chunk = chunk;
		this.#events = chunk.events;
		this.#exits = exitsOf(chunk.events);
		this.#pieces = pieces;
		this.#nodes = nodes;
		this.#anchors = collector;
	}

	read(): void {
		for (let index = 0; index < this.#events.length; ) index = this.#next(index);
	}

	#raw({ start, end }: Token): string {
		return this.#chunk.text.slice(start.offset, end.offset);
	}

	#node(token: Token, node: string): void {
		this.#nodes.push({ at: token.start.offset + this.#chunk.start, node });
	}

	#next(index: number): number {
		const [kind, token] = this.#events[index] ?? [];
		if (kind !== 'enter' || token === undefined) return index + 1;
		const after = (this.#exits[index] ?? index) + 1;
		const type: string = token.type;
		const line = lines.get(type);
		if (line !== undefined) {
			this.#line(index, line);
			return after;
		}
		if (kept.has(type)) {
			this.#node(token, `${type} ${spaced(this.#raw(token))}`);
			return after;
		}
		if (holders.has(type)) {
			this.#node(token, type);
			return index + 1;
		}
		const at = token.start.offset + this.#chunk.start;
		switch (type) {
			case 'atxHeading':
				this.#node(token, `heading ${/^#+/.exec(this.#raw(token))?.[0].length}`);
				return index + 1;
			case 'listItemPrefix':
				this.#node(token, 'item');
				return after;
			case 'gfmFootnoteDefinitionLabel':
				this.#node(token, this.#raw(token));
				return after;
			case 'definition':
				this.#definition(index, after);
				return after;
			case 'yaml':
			case 'toml': {
				const pieces = frontMatterPieces(this.#raw(token), type);
				this.#node(token, withoutWords(this.#raw(token), moved(pieces, at), at));
				pushAll(this.#pieces, moved(pieces, at));
				return after;
			}
			case 'htmlFlow':
				this.#html(token, at);
				return after;
			case 'mdxJsxFlowTag':
				this.#jsx(token, this.#events.slice(index, after));
				return after;
			default:
				return index + 1;
		}
	}

	#line(index: number, kind: LineKind): void {
		const [, token] = this.#events[index] ?? [];
		if (!token) return;
		const { start } = this.#chunk;
		this.#node(token, kind);
		// A paragraph of too many marks has not been looked into.
		const isWhole = token.type !== 'chunkText' && this.#isRead(index);
		if (!isWhole) {
			const raw = this.#raw(token);
			this.#node(token, raw);
			if (kind === 'heading') this.#anchors.unread(raw);
			if (this.#codeDepth > 0 || !/\p{L}{2}/u.test(raw)) return;
			const at = token.start.offset + start;
			this.#pieces.push({
				...{ start: at, end: at + raw.length, text: raw.slice(0, shownOfUnread) },
				encode: () => raw,
				unread: 'its paragraph is too long, or has too many marks, to be looked into',
			});
			return;
		}
		const read = new InlineReader(this.#chunk, this.#exits).read(index);
		const nodes = refined(read, this.#document, kind === 'paragraph');
		this.#lineAnchors(read);
		if (kind === 'heading') this.#anchors.heading(nodes, this.#document);
		const base = token.start.offset + start;
		for (const { at, node } of inlineSyntax(nodes, this.#document))
			this.#nodes.push({ at: Math.max(at, base), node });
		if (this.#codeDepth === 0) pushAll(this.#pieces, piecesOfLine(nodes, this.#document, kind));
	}

	#lineAnchors(nodes: readonly InlineNode[]): void {
		for (const { start, end, address, element } of nodes) {
			if (address)
				this.#anchors.target(this.#document.slice(address.start, address.end), address.start);
			else if (element !== undefined) this.#anchors.tag(this.#document.slice(start, end), start);
		}
	}

	#isRead(index: number): boolean {
		const exit = this.#exits[index] ?? index;
		for (let at = index + 1; at < exit; at++)
			if (this.#events[at]?.[1].type === 'chunkText') return false;
		return true;
	}

	#definition(index: number, after: number): void {
		let label = '';
		let destination = '';
		const [, token] = this.#events[index] ?? [];
		for (let at = index + 1; at < after; at++) {
			const [kind, part] = this.#events[at] ?? [];
			if (kind !== 'enter' || !part) continue;
			if (part.type === 'definitionLabelString') label = this.#raw(part);
			else if (part.type === 'definitionDestination') destination = this.#raw(part);
			else if (part.type === 'definitionDestinationString')
				this.#anchors.target(this.#raw(part), part.start.offset + this.#chunk.start);
			else if (part.type === 'definitionTitleString') {
				const start = part.start.offset + this.#chunk.start;
				pushAll(this.#pieces, textPiece(this.#raw(part), start, 'title'));
			}
		}
		if (token) this.#node(token, `definition ${label.toLowerCase()} ${destination}`);
	}

	#jsx(token: Token, events: readonly Event[]): void {
		const { start } = this.#chunk;
		const raw = this.#raw(token);
		const tag = jsxTag(this.#chunk.text, events, start);
		this.#anchors.tag(raw, token.start.offset + start);
		this.#node(token, withoutWords(raw, tag.inner, token.start.offset + start));
		if (this.#codeDepth === 0) pushAll(this.#pieces, tag.inner);
		if (tag.isSelfClosing) return;
		if (tag.isClosing) this.#codeDepth -= this.#codeDepth > 0 ? 1 : 0;
		else if (this.#codeDepth > 0 || isCode(tag.name, raw)) this.#codeDepth++;
	}

	#html(token: Token, at: number): void {
		const raw = this.#raw(token);
		this.#anchors.html(raw, at);
		// Marks of a quote between its lines are no part of it.
		const isQuoted = raw.includes('\n') && lineBefore(this.#document, at).includes('>');
		if (isQuoted) {
			this.#node(token, spaced(raw));
			return;
		}
		for (const { at: own, node } of htmlNodes(raw)) this.#nodes.push({ at: own + at, node });
		const attributes = htmlAttributes(raw);
		const sentences = htmlSentences(raw);
		const free = attributes.filter(
			({ start, end }) => !sentences.some((one) => one.start <= start && end <= one.end),
		);
		const all = sentences.map((sentence) => {
			const inner = attributes.filter(
				({ start, end }) => sentence.start <= start && end <= sentence.end,
			);
			return inner.length > 0 ? { ...sentence, inner } : sentence;
		});
		pushAll(this.#pieces, moved([...free, ...all], at));
	}
}

const isCode = (name: string, raw: string): boolean =>
	/^(?:pre|code|style|script|svg|math)$/.test(name) || /\stranslate=["']no["']/.test(raw);

const lineBefore = (text: string, at: number): string =>
	text.slice(text.lastIndexOf('\n', at - 1) + 1, at);

/** Index of the exit of every enter. */
function exitsOf(events: readonly Event[]): Int32Array {
	const exits = new Int32Array(events.length);
	const open: number[] = [];
	events.forEach(([kind], index) => {
		if (kind === 'enter') open.push(index);
		else exits[open.pop() ?? index] = index;
	});
	return exits;
}

/** The syntax in a line; a pair that holds nothing any more is another one, and so is a tag without its end. */
function* inlineSyntax(nodes: readonly InlineNode[], text: string): Generator<SyntaxNode> {
	const open: { at: number; node: string; isFull: boolean }[] = [];
	for (const { role, start, end, node = role } of nodes) {
		const isFull = role === 'text' ? /[\p{L}\p{N}]/u.test(text.slice(start, end)) : role !== 'soft';
		if (role === 'close') {
			const own = open.pop();
			if (own) yield { at: own.at, node: `${own.node} ${own.isFull ? 'pair' : 'empty'}` };
		} else if (isFull) for (const one of open) one.isFull = true;
		if (role === 'open') open.push({ at: start, node, isFull: false });
		else if (role === 'single' || role === 'code' || role === 'hard' || role === 'cut')
			yield { at: start, node };
	}
	for (const { at, node } of open) yield { at, node };
}
