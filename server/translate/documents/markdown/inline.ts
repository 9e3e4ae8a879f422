/** What stands in a line of Markdown: words, pairs around them, and what must stay as it is. */

import type { Event, Token } from 'micromark-util-types';
import { defined } from '../../../protocol/defined.ts';
import { htmlAttributes } from '../htmlTexts.ts';
import { moved, type Piece } from '../piece.ts';
import { jsxTag } from './jsx.ts';
import type { MarkdownChunk } from './syntax.ts';
import { textPiece } from './textPiece.ts';

/**
 * A part of a line. `code` is kept by translators and helps them; `soft` and `hard` are ends of lines with what
 * the next one begins with; `cut` parts what is before it from what is behind.
 */
export interface InlineNode {
	readonly role: 'text' | 'code' | 'open' | 'close' | 'single' | 'soft' | 'hard' | 'cut';
	readonly start: number;
	readonly end: number;
	/** What it is, with all that must stay; of opens, singles and code. */
	readonly node?: string;
	/** Equal for the two of a pair. */
	readonly pair?: number;
	/** Name of the element, of tags. */
	readonly element?: string;
	/** Source code that stands for it where the words between it and its partner are others. */
	readonly full?: string;
	/** Words inside, such as the description of an image. */
	readonly inner?: readonly Piece[];
	/** Where the address of a link stands. */
	readonly address?: { readonly start: number; readonly end: number };
}

type Draft = { -readonly [K in keyof InlineNode]: InlineNode[K] };

const fillers = new Set([
	'lineEnding',
	'lineSuffix',
	'linePrefix',
	'whitespace',
	'blockQuotePrefix',
	'listItemIndent',
	'gfmFootnoteDefinitionIndent',
	'gfmFootnoteDefinitionWhitespace',
	'lineEndingBlank',
]);
const paired = new Map([
	['emphasis', 'emphasisSequence'],
	['strong', 'strongSequence'],
	['strikethrough', 'strikethroughSequence'],
]);

/** Reads the events between the enter and the exit of a line. */
export class InlineReader {
	readonly #text: string;
	readonly #events: readonly Event[];
	/** Offset of the events' text in its document. */
	readonly #base: number;
	/** Of each enter the index of its exit. */
	readonly #exits: Int32Array;
	readonly #nodes: Draft[] = [];
	/** Emphasis that is open. */
	readonly #marks: { readonly pair: number; readonly type: string; isBegun: boolean }[] = [];
	/** Tags that are open, with the emphasis they lie in. */
	readonly #tags: { readonly pair: number; readonly element: string; readonly depth: number }[] =
		[];
	#pairs = 0;

	constructor(chunk: MarkdownChunk, exits: Int32Array) {
		this.#text = chunk.text;
		this.#events = chunk.events;
		this.#base = chunk.start;
		this.#exits = exits;
	}

	/** The parts between the enter of a line and its exit. */
	read(enter: number): readonly InlineNode[] {
		const exit = this.#exitOf(enter);
		for (let index = enter + 1; index < exit; ) index = this.#next(index);
		return this.#nodes;
	}

	#raw(token: Token): string {
		return this.#text.slice(token.start.offset, token.end.offset);
	}

	#add(role: InlineNode['role'], start: number, end: number, more: Partial<InlineNode> = {}): void {
		const from = start + this.#base;
		const last = this.#nodes.at(-1);
		const joins = (role === 'text' && last?.role === 'text') || (role === 'soft' && isEnd(last));
		if (joins && last?.end === from) last.end = end + this.#base;
		else if (end > start) this.#nodes.push({ role, start: from, end: end + this.#base, ...more });
	}

	/** Takes an event, and says which comes next. */
	#next(index: number): number {
		const [kind, token] = this.#events[index] ?? [];
		if (kind === undefined || token === undefined) return index + 1;
		const { start, end } = token;
		const type: string = token.type;
		if (kind === 'exit') {
			if (!paired.has(type)) return index + 1;
			this.#marks.pop();
			// What a tag opens inside of emphasis ends with it.
			while ((this.#tags.at(-1)?.depth ?? 0) > this.#marks.length) this.#tags.pop();
			return index + 1;
		}
		const after = () => this.#exitOf(index) + 1;
		const single = (node: string, more: Partial<InlineNode> = {}) => {
			this.#add('single', start.offset, end.offset, { node, ...more });
			return after();
		};
		if (fillers.has(type)) {
			this.#add('soft', start.offset, end.offset);
			return after();
		}
		switch (type) {
			case 'data':
			case 'characterEscape':
			case 'characterReference':
			case 'chunkText':
				this.#add('text', start.offset, end.offset);
				return after();
			case 'hardBreakEscape':
			case 'hardBreakTrailing':
				this.#add('hard', start.offset, end.offset, { node: 'break' });
				return after();
			case 'emphasis':
			case 'strong':
			case 'strikethrough':
				this.#marks.push({ pair: this.#pairs++, type, isBegun: false });
				return index + 1;
			case 'emphasisSequence':
			case 'strongSequence':
			case 'strikethroughSequence':
				this.#sequence(token);
				return after();
			case 'emphasisText':
			case 'strongText':
			case 'strikethroughText':
				return index + 1;
			case 'codeText': {
				const raw = this.#raw(token);
				if (raw.includes('\n')) return single(`code ${spaced(raw)}`);
				this.#add('code', start.offset, end.offset, { node: `code ${raw}` });
				return after();
			}
			case 'link':
				return this.#link(index);
			case 'image':
				return this.#image(index);
			case 'htmlText':
				return this.#html(token, after());
			case 'mdxJsxTextTag':
				return this.#jsx(index, after());
			default:
				return single(`${type} ${spaced(this.#raw(token))}`);
		}
	}

	#exitOf(index: number): number {
		return this.#exits[index] ?? this.#events.length;
	}

	#sequence({ start, end }: Token): void {
		const own = this.#marks.at(-1);
		if (!own) return;
		const { pair, type } = own;
		if (own.isBegun) this.#add('close', start.offset, end.offset, { pair });
		else this.#add('open', start.offset, end.offset, { node: type, pair });
		own.isBegun = true;
	}

	/** Parts of a link or an image by their types. */
	#parts(index: number): { exit: number; part: (type: string) => Token | undefined } {
		const exit = this.#exitOf(index);
		const found = new Map<string, Token>();
		for (let at = index + 1; at < exit; at++) {
			const [kind, token] = this.#events[at] ?? [];
			if (kind === 'exit' || !token) continue;
			// Links and images inside have parts of their own.
			if (token.type === 'link' || token.type === 'image') at = this.#exitOf(at);
			else if (!found.has(token.type)) found.set(token.type, token);
		}
		return { exit, part: (type) => found.get(type) };
	}

	/** Where a link or image leads to, and whether its words are the name by which that is found. */
	#target(label: string, part: (type: string) => Token | undefined) {
		const destination = part('resourceDestinationString') ?? part('resourceDestinationLiteral');
		if (part('resource'))
			return { to: destination ? this.#raw(destination) : '', isName: false, destination };
		const name = part('referenceString');
		return { to: `[${(name ? this.#raw(name) : label).toLowerCase()}]`, isName: !name };
	}

	#title(part: (type: string) => Token | undefined): Piece[] {
		const token = part('resourceTitleString');
		return token ? textPiece(this.#raw(token), token.start.offset + this.#base, 'title') : [];
	}

	#link(index: number): number {
		const { exit, part } = this.#parts(index);
		const token = this.#events[index]?.[1];
		const label = part('labelText');
		if (!token) return exit + 1;
		if (!label) {
			this.#add('single', token.start.offset, token.end.offset, { node: this.#raw(token) });
			return exit + 1;
		}
		const words = this.#raw(label);
		const { to, isName, destination } = this.#target(words, part);
		const pair = this.#pairs++;
		const node = `link ${to}`;
		const address = destination && {
			start: destination.start.offset + this.#base,
			end: destination.end.offset + this.#base,
		};
		const more = { node, pair, ...defined({ address }) };
		this.#add('open', token.start.offset, label.start.offset, more);
		let at = index;
		while (this.#events[at]?.[1] !== label) at++;
		for (at++; this.#events[at]?.[1] !== label; ) at = this.#next(at);
		const full = isName ? { full: `][${spaced(words)}]` } : {};
		const inner = this.#title(part);
		this.#add('close', label.end.offset, token.end.offset, { pair, inner, ...full });
		return exit + 1;
	}

	#image(index: number): number {
		const { exit, part } = this.#parts(index);
		const token = this.#events[index]?.[1];
		const label = part('labelText');
		if (!token) return exit + 1;
		const words = label ? this.#raw(label) : '';
		const { to, isName } = this.#target(words, part);
		const alt = label && !isName ? textPiece(words, label.start.offset + this.#base, 'alt') : [];
		const inner = [...alt, ...this.#title(part)];
		this.#add('single', token.start.offset, token.end.offset, { node: `image ${to}`, inner });
		return exit + 1;
	}

	#html(token: Token, next: number): number {
		const raw = this.#raw(token);
		const [, slash, name] = /^<(\/?)([A-Za-z][\w:.-]*)/.exec(raw) ?? [];
		const [start, end] = [token.start.offset, token.end.offset];
		const inner = name === undefined ? [] : moved(htmlAttributes(raw), start + this.#base);
		if (name === undefined) this.#add('single', start, end, { node: spaced(raw) });
		else this.#tag(start, end, name.toLowerCase(), slash === '/', isVoid(name, raw), raw, inner);
		return next;
	}

	#jsx(index: number, next: number): number {
		const token = this.#events[index]?.[1];
		if (!token) return next;
		const tag = jsxTag(this.#text, this.#events.slice(index, next), this.#base);
		const [start, end] = [token.start.offset, token.end.offset];
		const { name, isClosing, isSelfClosing, inner } = tag;
		this.#tag(start, end, name, isClosing, isSelfClosing, this.#raw(token), inner);
		return next;
	}

	#tag(
		start: number,
		end: number,
		element: string,
		isClosing: boolean,
		isSingle: boolean,
		raw: string,
		inner: readonly Piece[],
	): void {
		const node = withoutWords(raw, inner, start + this.#base);
		const more = { inner, element };
		if (isSingle) this.#add('single', start, end, { node, ...more });
		else if (!isClosing) {
			const pair = this.#pairs++;
			this.#tags.push({ pair, element, depth: this.#marks.length });
			this.#add('open', start, end, { node, pair, ...more });
		} else {
			const own = this.#tags.at(-1);
			if (own?.element === element && own.depth === this.#marks.length) {
				this.#tags.pop();
				this.#add('close', start, end, { pair: own.pair, element });
			} else this.#add('single', start, end, { node, element });
		}
	}
}

const isEnd = (node: InlineNode | undefined) => node?.role === 'soft' || node?.role === 'hard';

/** Source code however its lines were wrapped. */
export const spaced = (raw: string): string => raw.replace(/[\s>]+/g, ' ').trim();

function isVoid(name: string, raw: string): boolean {
	return raw.endsWith('/>') || /^(?:br|img|input|wbr|hr|source|embed)$/i.test(name);
}

/** Source code of a tag without the words in it. */
export function withoutWords(raw: string, inner: readonly Piece[], at: number): string {
	let out = '';
	let next = 0;
	for (const { start, end } of inner) {
		if (start < at || end > at + raw.length) continue;
		out += `${raw.slice(next, start - at)}…`;
		next = end - at;
	}
	return spaced(out + raw.slice(next));
}
