/**
 * Markdown and MDX through micromark: events with offsets, so that texts are replaced where they stand and all
 * other bytes stay. Tables, footnotes, task lists, bare addresses, struck text, front matter and formulas are read,
 * too; MDX has its expressions, elements, imports and exports instead of HTML.
 */

import { parse, preprocess } from 'micromark';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';
import { subtokenize } from 'micromark-util-subtokenize';
import type { Event, Extension, Token } from 'micromark-util-types';
import { nestedTooDeeply } from '../../nesting.ts';
import { startOfRun } from '../../whiteSpace.ts';
import { math } from './math.ts';
import { mdxPlain, mdxReadAlong } from './script.ts';

export type MarkdownDialect = 'markdown' | 'mdx';

const matter = frontmatter(['yaml', 'toml']);
const shared: readonly Extension[] = [
	gfmTable(),
	gfmStrikethrough(),
	gfmAutolinkLiteral(),
	gfmFootnote(),
	gfmTaskListItem(),
	math,
];
type Reading = MarkdownDialect | 'mdxPlain';
const extensions: Readonly<Record<Reading, Extension[]>> = {
	markdown: [...shared],
	mdx: [...shared, mdxReadAlong],
	mdxPlain: [...shared, mdxPlain],
};

/** Characters of one paragraph that may be marks, and all its characters: pairs are looked for among them. */
const maxMarks = 3000;
const maxParagraph = 100_000;
/** More quotes and lists in each other than a hundred: the parser's time grows with the square of their number. */
const containers = /^(?:[ \t]{0,8}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){101}/m;

/** Characters that are read at once, as many more as their last block needs: events take much memory. */
const chunkLength = 60_000;

/** A stretch of whole blocks. */
export interface MarkdownChunk {
	/** Offset of its beginning; offsets of events count from there. */
	readonly start: number;
	readonly text: string;
	readonly events: readonly Event[];
}

/**
 * A document part by part; paragraphs of more marks than anybody writes are not looked into.
 *
 * @throws AppError `invalid_request` when it is nested too deeply, VFileMessage when it is no MDX.
 */
export function* markdownChunks(
	text: string,
	dialect: MarkdownDialect,
): Generator<MarkdownChunk, void, undefined> {
	if (containers.test(text) || hasLongLaziness(text) || hasDeepItems(text)) throw nestedTooDeeply();
	const names: DefinedNames = { defined: new Names(), gfmFootnotes: new Names() };
	// What a part refers to may be defined in any other.
	if (text.length > chunkLength && text.includes(']:')) {
		const blocks = parts(text, dialect, names, 'blocks');
		while (!blocks.next().done);
	}
	yield* parts(text, dialect, names, 'all');
}

/** How much of a document is read: its blocks, which say what is defined, or what is in their lines as well. */
type Depth = 'blocks' | 'all';

/** A document part by part; names that are defined are noted. */
function* parts(
	text: string,
	dialect: MarkdownDialect,
	names: DefinedNames,
	depth: Depth,
): Generator<MarkdownChunk, void, undefined> {
	// The parser leaves out a mark of the byte order and does not count it.
	for (let start = text.startsWith('\ufeff') ? 1 : 0; start < text.length; ) {
		const isFirst = start <= 1;
		let chunk: MarkdownChunk | undefined;
		for (let length = chunkLength; chunk === undefined; length *= 2) {
			const end = blockEnd(text, start + length);
			const part = text.slice(start, end);
			if (end >= text.length) {
				const events = from(start, () => surely(part, dialect, isFirst, names, depth));
				chunk = { start, text: part, events };
				break;
			}
			const events = read(() => eventsOf(part, dialect, isFirst, names, depth));
			const last = events && lastBlock(events);
			// The last block may go on behind the end.
			if (!events || !last || last.offset === 0) continue;
			// How far it is indented tells which items belong to it.
			const offset = startOfRun(part, last.offset, ' \t');
			if (offset === 0) continue;
			const own = events.slice(0, last.index);
			chunk = { start, text: part.slice(0, offset), events: own };
		}
		yield chunk;
		start += chunk.text.length;
	}
}

/** Reads a part; what is wrong with it is told of its place in the whole. */
function from(start: number, events: () => Event[]): Event[] {
	try {
		return events();
	} catch (error) {
		throw error instanceof Error ? Object.assign(error, { partStart: start }) : error;
	}
}

/** What a part that may end amid an expression of MDX is made of. */
function read(events: () => Event[]): Event[] | undefined {
	try {
		return events();
	} catch {
		// It is read again with more behind it, and in the end as a whole.
		return undefined;
	}
}

/** The first offset from some place on where a line begins behind an empty one. */
function blockEnd(text: string, from: number): number {
	const empty = /\n[ \t]*\r?\n(?=\S)/g;
	empty.lastIndex = from;
	const found = from >= text.length ? null : empty.exec(text);
	return found ? found.index + found[0].length : text.length;
}

/** Where the last block that is inside no other begins. */
function lastBlock(events: readonly Event[]): { index: number; offset: number } | undefined {
	let depth = 0;
	let found: { index: number; offset: number } | undefined;
	events.forEach(([kind, token], index) => {
		if (kind === 'exit') depth--;
		else if (depth++ === 0 && !/^lineEnding|^linePrefix|^whitespace/.test(token.type))
			found = { index, offset: token.start.offset };
	});
	return found;
}

/** Names as the parser notes and looks for them, which it does in lists. */
class Names {
	readonly #all = new Set<string>();

	push(name: string): void {
		this.#all.add(name);
	}

	includes(name: string): boolean {
		return this.#all.has(name);
	}
}

interface DefinedNames {
	readonly defined: Names;
	readonly gfmFootnotes: Names;
}

/** Reads a part to its end, at last in the way that takes long. */
function surely(
	text: string,
	dialect: MarkdownDialect,
	isFirst: boolean,
	names: DefinedNames,
	depth: Depth,
): Event[] {
	try {
		return eventsOf(text, dialect, isFirst, names, depth);
	} catch (error) {
		if (dialect === 'markdown') throw error;
		return eventsOf(text, 'mdxPlain', isFirst, names, depth);
	}
}

function eventsOf(
	text: string,
	dialect: Reading,
	isFirst: boolean,
	names: DefinedNames,
	depth: Depth,
): Event[] {
	const context = parse({ extensions: [...(isFirst ? [matter] : []), ...extensions[dialect]] });
	Object.assign(context, names);
	const code = dialect === 'markdown' ? text : withoutOlderForms(text);
	const events = context.document().write(preprocess()(code, undefined, true));
	do
		if (depth === 'blocks') leaveLines(events);
		else leaveLong(events, text);
	while (!subtokenize(events));
	return events;
}

/** The address of a heading at the end of its line. */
const headingId = /^(#{1,6}[ \t][^\n]*?)\{(#[\w:.-]{1,200})\}(?=[ \t]*\r?$)/gm;

/** MDX with what Docusaurus reads in it beyond its grammar, comments of HTML among it, in code of the same length. */
function withoutOlderForms(text: string): string {
	let made = '';
	let next = 0;
	for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', next)) {
		const end = text.indexOf('-->', at + 4);
		if (end < 0) break;
		const words = text.slice(at + 4, end);
		made += text.slice(next, at);
		made += words.includes('*/') ? text.slice(at, end + 3) : `{/* ${words}*/}`;
		next = end + 3;
	}
	return (made + text.slice(next)).replace(headingId, '$1($2)');
}

/** Takes what lines are made of out of what is still to be read. */
function leaveLines(events: readonly Event[]): void {
	for (const [kind, token] of events)
		if (kind === 'enter' && token.contentType === 'text') delete token.contentType;
}

/** Lines of a quote or list that go on without its marks: each is compared with all before it. */
const maxLazyLines = 300;
const blank = /^[ \t>]*$/;
const contained = /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^)/;

function hasLongLaziness(text: string): boolean {
	let isInside = false;
	let lazy = 0;
	for (let at = 0; at < text.length; ) {
		const found = text.indexOf('\n', at);
		const end = found < 0 ? text.length : found;
		const line = text.slice(at, Math.min(end, at + 40));
		if (blank.test(line.trimEnd())) isInside = false;
		else if (contained.test(line)) isInside = true;
		if (!isInside || contained.test(line)) lazy = 0;
		else if (++lazy > maxLazyLines) return true;
		at = end + 1;
	}
	return false;
}

/** Items within items: each line of one is compared with all that it lies in. */
const maxItems = 100;
const marker = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]/gm;

function hasDeepItems(text: string): boolean {
	const indents: number[] = [];
	for (const [, before = ''] of text.matchAll(marker)) {
		while (indents.length > 0 && (indents.at(-1) ?? 0) >= before.length) indents.pop();
		if (indents.push(before.length) > maxItems) return true;
	}
	return false;
}

/** Takes those paragraphs out of what is still to be read whose reading would take too long. */
function leaveLong(events: readonly Event[], text: string): void {
	for (const [kind, token] of events) {
		if (kind !== 'enter' || token.contentType !== 'text' || token.previous) continue;
		let length = 0;
		let marks = 0;
		for (let part: Token | undefined = token; part; part = part.next) {
			length += part.end.offset - part.start.offset;
			for (let at = part.start.offset; at < part.end.offset; at++)
				if (isMark(text.charCodeAt(at))) marks++;
		}
		if (marks <= maxMarks && length <= maxParagraph) continue;
		for (let part: Token | undefined = token; part; part = part.next) delete part.contentType;
	}
}

const marks = new Set([...'*_~[]!<$`'].map((letter) => letter.charCodeAt(0)));
const isMark = (code: number): boolean => marks.has(code);
