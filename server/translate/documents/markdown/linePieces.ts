/** Parts of a line as pieces: marks become tags that translators move, and lines are wrapped again. */

import { firstLineEnd, leadingSpace, trailingSpace } from '../../whiteSpace.ts';
import { type InlinePart, taggedText } from '../inlineTags.ts';
import type { Piece, SourceOf } from '../piece.ts';
import type { InlineNode } from './inline.ts';
import { isWordLike } from './line.ts';

/** Letters side by side make words. */
const word = /\p{L}{2}/u;
const codeSpans = /`+[^`\n]*`+/g;
const escaping = /\\([!-/:-@[-`{-~])/g;

/** Where a line stands: a cell or a heading has no second line. */
export type LineKind = 'paragraph' | 'heading' | 'cell';

/** The pieces of a line, in order. */
export function piecesOfLine(nodes: readonly InlineNode[], text: string, kind: LineKind): Piece[] {
	return segments(collapsed(nodes, text)).flatMap((segment) => {
		const core = trimmed(segment, text);
		const own = core.some(
			({ role, start, end }) => role === 'text' && word.test(text.slice(start, end)),
		);
		// What is around the words has words of its own.
		const [from, to] = [core[0]?.start ?? 0, core.at(-1)?.end ?? 0];
		const beside = segment
			.filter(({ start, end }) => end <= from || start >= to)
			.flatMap(({ inner = [] }) => inner);
		if (!own) return [...beside, ...core.flatMap(({ inner = [] }) => inner)].sort(inOrder);
		return [...beside, linePiece(core, text, kind)].sort(inOrder);
	});
}

const inOrder = (a: Piece, b: Piece) => a.start - b.start;

/** Pairs without words in them, such as a link around an image, are one part. */
function collapsed(nodes: readonly InlineNode[], text: string): InlineNode[] {
	const made: InlineNode[] = [];
	const places: number[] = [];
	for (const node of nodes) {
		if (node.role === 'open') places.push(made.length);
		if (node.role !== 'close') {
			made.push(node);
			continue;
		}
		const place = places.pop();
		const inside = made.slice((place ?? made.length) + 1);
		const hasWords = inside.some(
			({ role, start, end, pair }) =>
				(role === 'text' && word.test(text.slice(start, end))) || pair !== undefined,
		);
		const open = place === undefined ? undefined : made[place];
		if (hasWords || place === undefined || !open) {
			made.push(node);
			continue;
		}
		const inner = [open, ...inside, node].flatMap((one) => one.inner ?? []).sort(inOrder);
		made.length = place;
		const isSpoken = inside.some(
			(one) => one.role === 'code' || one.role === 'text' || isWordLike(one),
		);
		const kept = isSpoken ? { node: 'code ' } : { node: open.node ?? '' };
		made.push({ role: 'single', start: open.start, end: node.end, inner, ...kept });
	}
	return made;
}

/** Spans between what parts words: cuts, and hard breaks outside of pairs. */
function segments(nodes: readonly InlineNode[]): InlineNode[][] {
	const found: InlineNode[][] = [[]];
	let depth = 0;
	for (const node of nodes) {
		if (node.role === 'open') depth++;
		if (node.role === 'close') depth--;
		const parts = node.role === 'cut' || node.role === 'hard';
		if (parts && depth === 0) found.push([]);
		else if (parts) found.at(-1)?.push({ ...node, role: 'single' });
		else found.at(-1)?.push(node);
	}
	return found.filter((segment) => segment.length > 0);
}

/** A span without what stands at its ends and is no word, and without a pair around all of it. */
function trimmed(segment: readonly InlineNode[], text: string): readonly InlineNode[] {
	let [from, to] = [0, segment.length];
	const isEdge = (node: InlineNode | undefined) =>
		node !== undefined &&
		(node.role === 'soft' ||
			(node.role === 'single' && !isWordLike(node)) ||
			(node.role === 'text' && text.slice(node.start, node.end).trim() === ''));
	for (;;) {
		const [first, last] = [segment[from], segment[to - 1]];
		if (from >= to) return [];
		if (isEdge(first)) from++;
		else if (isEdge(last)) to--;
		else if (first?.role === 'open' && last?.role === 'close' && first.pair === last.pair) {
			// The name of what a link leads to is kept apart from its words.
			if (last.full !== undefined) return segment.slice(from, to);
			from++;
			to--;
		} else return withoutEnds(segment.slice(from, to), text);
	}
}

/** Parts without the white space they begin and end with. */
function withoutEnds(nodes: readonly InlineNode[], text: string): InlineNode[] {
	const lengthOf = ({ role, start, end }: InlineNode, space: (words: string) => string) =>
		role === 'text' ? space(text.slice(start, end)).length : 0;
	const made = nodes.map((node, index) =>
		index === 0 ? { ...node, start: node.start + lengthOf(node, leadingSpace) } : node,
	);
	const last = made.at(-1);
	if (last) made[made.length - 1] = { ...last, end: last.end - lengthOf(last, trailingSpace) };
	return made;
}

const patterns = new Map<RegExp, RegExp>();

/** Matches what some pattern matches, and code spans. */
function withCode(tags: RegExp): RegExp {
	const made = patterns.get(tags) ?? new RegExp(`${tags.source}|${codeSpans.source}`, 'g');
	patterns.set(tags, made);
	return made;
}

function linePiece(nodes: readonly InlineNode[], text: string, kind: LineKind): Piece {
	const [start, end] = [nodes[0]?.start ?? 0, nodes.at(-1)?.end ?? 0];
	const escaped = new Set<string>();
	const parts = nodes.map(({ role, start: from, end: to, pair }): InlinePart => {
		const raw = text.slice(from, to);
		if (role === 'soft') return { raw: ' ', role: 'text' };
		if (role === 'code') return { raw, role: 'text' };
		if (role === 'text') {
			const words = raw.replace(escaping, (_, letter: string) => {
				escaped.add(letter);
				return letter;
			});
			return { raw: words, role: 'text' };
		}
		const isPair = role === 'open' || role === 'close';
		return isPair && pair !== undefined ? { raw, role, pair } : { raw, role: 'single' };
	});
	const tagged = taggedText(parts, (raw) => raw);
	const names = nodes.flatMap(({ full, start: from, end: to }) =>
		full === undefined ? [] : [{ full, own: text.slice(from, to) }],
	);
	const write = (words: string) => escapedAgain(words, escaped, kind);
	const made = (translation: string, sourceOf: SourceOf) => {
		const source = tagged.restore(translation, write, (part) => {
			const node = nodes[part];
			return held(node?.full ?? (node ? sourceOf(node.start, node.end) : ''));
		});
		// A link whose words are still its name is written as it was.
		return names.reduce((all, { full: name, own }) => {
			const words = name.slice(1, -1);
			return all.replaceAll(words + held(name), words + own);
		}, source);
	};
	const raw: SourceOf = (from, to) => text.slice(from, to);
	const inner = nodes.flatMap((node) => node.inner ?? []).sort(inOrder);
	const wrapped = kind === 'paragraph' ? wrapper(nodes, text, start) : undefined;
	return {
		start,
		end,
		text: tagged.text,
		delimiters: tagged.tags ? withCode(tagged.tags) : codeSpans,
		isWhole: tagged.isWhole,
		shown: (translation) => released(made(translation, raw)),
		...(inner.length > 0 ? { inner } : {}),
		encode: (translation, sourceOf = raw) => {
			const source = made(translation.replace(/[\r\n]+/g, ' '), sourceOf);
			return released(wrapped ? wrapped(source) : source);
		},
	};
}

/** Spaces in what is kept, which no line may be broken at. */
const heldSpace = '\ue0f0';
const held = (raw: string): string => raw.replaceAll(' ', heldSpace);
const released = (source: string): string => source.replaceAll(heldSpace, ' ');

/** Words in which what was escaped in the source is escaped again; code spans are as they are. */
function escapedAgain(words: string, escaped: ReadonlySet<string>, kind: LineKind): string {
	let out = '';
	let next = 0;
	const write = (part: string) => {
		let made = '';
		for (const letter of part) made += escaped.has(letter) ? `\\${letter}` : letter;
		return kind === 'cell' && !escaped.has('|') ? made.replaceAll('|', '\\|') : made;
	};
	for (const match of words.matchAll(codeSpans)) {
		out += write(words.slice(next, match.index)) + held(match[0]);
		next = match.index + match[0].length;
	}
	return out + write(words.slice(next));
}

/** Puts words on lines as wide as those of the source; `undefined` when that is one line. */
function wrapper(
	nodes: readonly InlineNode[],
	text: string,
	start: number,
): ((source: string) => string) | undefined {
	const soft = nodes.find(({ role }) => role === 'soft');
	if (!soft) return undefined;
	const raw = text.slice(soft.start, soft.end);
	const eol = firstLineEnd(raw);
	const prefix = raw.slice(raw.lastIndexOf(eol) + eol.length);
	const lineStart = text.lastIndexOf('\n', start - 1) + 1;
	const end = text.indexOf('\n', nodes.at(-1)?.end ?? start);
	const lines = text.slice(lineStart, end < 0 ? text.length : end).split('\n');
	const width = lines.reduce((widest, { length }) => Math.max(widest, length), 60);
	return (source) => wrap(source, width, start - lineStart, prefix, eol);
}

/** What a line may begin with: a letter, or marks that begin no block. */
const breakable = /^(?:[\p{L}("'“„«‘¿¡]|\*{1,2}[^\s*]|_[^\s_]|`[^`]|!?\[|\d{1,9}(?![\d.)]))/u;

function wrap(text: string, width: number, indent: number, prefix: string, eol: string): string {
	const rows: string[] = [];
	let row = '';
	for (const word of text.split(' ')) {
		const before = rows.length === 0 ? indent : prefix.length;
		if (row !== '' && breakable.test(word) && before + row.length + 1 + word.length > width) {
			rows.push(row);
			row = word;
		} else row = row === '' ? word : `${row} ${word}`;
	}
	rows.push(row);
	return rows.join(eol + prefix);
}
