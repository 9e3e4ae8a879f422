/**
 * One sentence of a block on its way through a model: cut out with its marks and fixed spans, masked
 * for the model, and put together again with white space, tags and placeholders in their places.
 */

import { type Attention, alignWords, type Link } from './align.ts';
import { type Block, fixedNear, fixedWithin, type Mark } from './block.ts';
import {
	type Fixed,
	mapBackward,
	mapForward,
	mask,
	type Replacement,
	replaceSpans,
	unmask,
} from './mask.ts';
import { isLongNumber, keepsNumbers, numberOrMask } from './numbers.ts';
import type { Span } from './sentences.ts';
import { type Placed, projectMarks } from './tagProjection.ts';
import { hasWords, wordSpans } from './wordSpans.ts';

export interface SentenceUnit {
	readonly block: Block;
	/** Range in the block's text. */
	readonly span: Span;
	/** Tags and white space before and after the translatable core, byte for byte. */
	readonly lead: string;
	readonly trail: string;
	/** Core text, with its fixed spans and marks relative to it. */
	readonly core: string;
	readonly coreStart: number;
	readonly fixed: readonly Fixed[];
	readonly marks: readonly Mark[];
	/** All its tags, in offsets of the block. */
	readonly sourceMarks: readonly Mark[];
	/** What the model reads. */
	readonly masked: string;
	readonly replacements: readonly Replacement[];
	/** Nothing in it can be translated. */
	readonly copy: boolean;
}

/** A sentence done: its text in the document and what is known of its words. */
export interface RenderedSentence {
	readonly text: string;
	/** Pairs of spans, source relative to the block's text, target relative to `text`. */
	readonly links: readonly { readonly source: Span; readonly target: Span }[];
}

/** Cuts a sentence out of its block. `marks` are those that belong to it, in block offsets. */
export function sentenceUnit(block: Block, span: Span, marks: readonly Mark[]): SentenceUnit {
	const text = block.text.slice(span[0], span[1]);
	let coreStart = span[0] + (text.length - text.trimStart().length);
	let coreEnd = Math.max(coreStart, span[0] + text.trimEnd().length);
	for (const { start, end } of fixedNear(block, span)) {
		// White space at the edge of something fixed is part of it.
		if (start >= span[0] && start < coreStart && end > coreStart) coreStart = start;
		if (end <= span[1] && end > coreEnd && start < coreEnd) coreEnd = end;
	}
	const [first, last] = outer(marks, coreStart, coreEnd);
	const fixed = fixedWithin(block, [coreStart, coreEnd]);
	const core = block.text.slice(coreStart, coreEnd);
	const { text: masked, replacements } = mask(core, fixed);
	return {
		block,
		span,
		lead: rawBetween(block, marks.slice(0, first), span[0], coreStart),
		trail: rawBetween(block, marks.slice(last), coreEnd, span[1]),
		core,
		coreStart,
		fixed,
		marks: marks
			.slice(first, last)
			.map((mark) => ({ ...mark, at: Math.min(Math.max(mark.at - coreStart, 0), core.length) })),
		sourceMarks: marks,
		masked,
		replacements,
		copy: !hasWords(masked),
	};
}

/** How many marks at the start, and from where at the end, stay outside the core as they are. */
function outer(marks: readonly Mark[], start: number, end: number): [number, number] {
	const closeOf = new Map(
		marks.filter(({ kind }) => kind === 'close').map(({ pair, at }) => [pair, at]),
	);
	let first = 0;
	for (const mark of marks) {
		if (mark.at > start) break;
		const close = closeOf.get(mark.pair);
		// An element that ends inside the sentence has to follow its words.
		if (mark.kind === 'open' && close !== undefined && close > start && close < end) break;
		first++;
	}
	const opens = new Map(
		marks.flatMap(({ kind, pair }, index) => (kind === 'open' ? [[pair, index] as const] : [])),
	);
	let last = marks.length;
	while (last > first) {
		const mark = marks[last - 1];
		if (!mark || mark.at < end) break;
		const partner = opens.get(mark.pair) ?? -1;
		// Its open tag moves with the words inside, so it has to stay with it.
		if (mark.kind === 'close' && partner >= first && (marks[partner]?.at ?? end) < end) break;
		last--;
	}
	return [first, last];
}

function rawBetween(
	block: Block,
	marks: readonly Mark[],
	from: number,
	to: number,
	side: 'source' | 'target' = 'target',
): string {
	let out = '';
	let at = from;
	for (const mark of marks) {
		const position = Math.min(Math.max(mark.at, at), to);
		out += block.raw(at, position, side) + mark.raw;
		at = position;
	}
	return out + block.raw(at, to, side);
}

/** Length of the sentence in its document, tags included. */
export function sourceLength(block: Block, span: Span, marks: readonly Mark[]): number {
	return rawBetween(block, marks, span[0], span[1], 'source').length;
}

/** The sentence as it stands in the source, byte for byte: for text that is copied. */
export function renderCopy({ block, span, sourceMarks }: SentenceUnit): RenderedSentence {
	return { text: rawBetween(block, sourceMarks, span[0], span[1]), links: [] };
}

/** What a model (or a chain of them) made of `unit.masked`. */
export interface MaskedResult {
	readonly text: string;
	/** Word links, as spans of the masked source and of `text`; absent when nothing is known. */
	readonly links?: readonly { readonly source: Span; readonly target: Span }[];
	/** Where the tags of the sentence go in `text`, from a model that has placed them itself. */
	readonly placed?: readonly Placed[];
}

/** Links between the words of a masked sentence and its translation. */
export function linkSpans(
	source: string,
	target: string,
	languages: { readonly source: string; readonly target: string },
	attention?: Attention,
): { source: Span; target: Span }[] {
	const sourceWords = wordSpans(source, languages.source);
	const targetWords = wordSpans(target, languages.target);
	return alignWords(source, target, sourceWords, targetWords, attention).flatMap((link) => {
		const s = sourceWords[link.source];
		const t = targetWords[link.target];
		return s && t ? [{ source: s, target: t }] : [];
	});
}

/** Changes to a translated sentence before tags go in (profanity). Spans are ordered and disjoint. */
export type TargetEdit = (sentence: {
	readonly source: string;
	readonly target: string;
	readonly links: readonly { readonly source: Span; readonly target: Span }[];
	/** Spans of `target` that may not be changed. */
	readonly raws: readonly Span[];
}) => readonly { readonly span: Span; readonly by: string }[];

/**
 * Puts a translated sentence together. `undefined` when masks or long numbers did not come through: then
 * the caller translates the parts between them with {@link fragments}.
 */
export function renderTranslated(
	unit: SentenceUnit,
	result: MaskedResult,
	languages: { readonly source: string; readonly target: string },
	edit?: TargetEdit,
): RenderedSentence | undefined {
	const unmasked = unmask(result.text, unit.fixed);
	if (!unmasked || !keepsNumbers(unit.masked, result.text)) return undefined;
	let text = unmasked.text;
	let raws = unmasked.replacements.map(({ to }) => to);
	let links = (result.links ?? []).map(({ source, target }) => ({
		source: [
			mapBackward(unit.replacements, source[0], 'start'),
			mapBackward(unit.replacements, source[1], 'end'),
		] as Span,
		target: moved(unmasked.replacements, target),
	}));
	let placed: Placed[] = (result.placed ?? []).map((tag) => placedIn(unmasked.replacements, tag));
	const edits = edit?.({ source: unit.core, target: text, links, raws }) ?? [];
	if (edits.length > 0) {
		const edited = replaceSpans(text, edits);
		text = edited.text;
		raws = [
			...raws.map((span) => moved(edited.replacements, span)),
			...edited.replacements.map(({ to }) => to),
		];
		links = links.map((link) => ({
			source: link.source,
			target: moved(edited.replacements, link.target),
		}));
		placed = placed.map((tag) => placedIn(edited.replacements, tag));
	}
	// Words that stayed leave their tags, their white space and their escapes where they were.
	const isSame = result.text === unit.masked && text === unit.core;
	if (isSame) placed = unit.marks.map(({ at, raw }) => ({ at, raw }));
	else if (unit.marks.length > 0 && !result.placed) {
		const sourceWords = wordSpans(
			unit.core,
			languages.source,
			unit.fixed.map(({ start, end }) => [start, end] as const),
		);
		const targetWords = wordSpans(
			text,
			languages.target,
			raws.filter(([start, end]) => end > start),
		);
		placed = projectMarks(
			unit.marks,
			unit.core,
			text,
			sourceWords,
			targetWords,
			linksOfWords(links, sourceWords, targetWords),
		);
	}
	const whole = isSame
		? renderCopy(unit).text
		: unit.lead + assemble(text, placed, raws, unit.block.escape) + unit.trail;
	const tags = tagLengths(placed);
	const shift = (at: number, side: 'start' | 'end') => unit.lead.length + at + tags(at, side);
	return {
		text: whole,
		links: links.map(({ source, target }) => ({
			source: [source[0] + unit.coreStart, source[1] + unit.coreStart],
			target: [shift(target[0], 'start'), shift(target[1], 'end')],
		})),
	};
}

/** A tag in the text after replacements; one that closes stays behind what it follows. */
function placedIn(replacements: readonly Replacement[], tag: Placed): Placed {
	const side = tag.raw.startsWith('</') ? 'end' : 'start';
	return { ...tag, at: mapForward(replacements, tag.at, side) };
}

function moved(replacements: readonly Replacement[], [start, end]: Span): Span {
	return [mapForward(replacements, start, 'start'), mapForward(replacements, end, 'end')];
}

/** Links between offsets as links between the words that begin there. */
function linksOfWords(
	links: readonly { readonly source: Span; readonly target: Span }[],
	sourceWords: readonly Span[],
	targetWords: readonly Span[],
): Link[] {
	const [sources, targets] = [sourceWords, targetWords].map(
		(words) => new Map(words.map(([start], index) => [start, index])),
	);
	return links.flatMap((link): Link[] => {
		const source = sources?.get(link.source[0]);
		const target = targets?.get(link.target[0]);
		return source === undefined || target === undefined ? [] : [{ source, target }];
	});
}

/** How long the tags before an offset are together; at a start, those right there count as well. */
export function tagLengths(
	marks: readonly { readonly at: number; readonly raw: string }[],
): (at: number, side: 'start' | 'end') => number {
	const ordered = [...marks].sort((a, b) => a.at - b.at);
	const sums = [0];
	for (const { raw } of ordered) sums.push((sums.at(-1) ?? 0) + raw.length);
	return (at, side) => {
		let [low, high] = [0, ordered.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			const mark = ordered[middle]?.at ?? 0;
			if (mark < at || (side === 'start' && mark === at)) low = middle + 1;
			else high = middle;
		}
		return sums[low] ?? 0;
	};
}

/** Joins text, tags and raw spans; only text between raw spans is escaped. */
function assemble(
	text: string,
	placed: readonly Placed[],
	raws: readonly Span[],
	escapeText: (text: string) => string,
): string {
	const cuts = new Set([0, text.length, ...placed.map(({ at }) => at), ...raws.flat()]);
	const points = [...cuts].sort((a, b) => a - b);
	const tags = Map.groupBy(placed, ({ at }) => at);
	const ordered = raws.filter(([start, end]) => end > start).sort((a, b) => a[0] - b[0]);
	let held = 0;
	let out = '';
	points.forEach((point, index) => {
		// Tags never fall into a raw span: its words are one unit of projection.
		for (const mark of tags.get(point) ?? []) out += mark.raw;
		const next = points[index + 1];
		if (next === undefined) return;
		const part = text.slice(point, next);
		while (held < ordered.length && (ordered[held]?.[1] ?? 0) <= point) held++;
		const raw = ordered[held];
		out += raw && raw[0] <= point && next <= raw[1] ? part : escapeText(part);
	});
	return out;
}

const notEdge = /[^\s\p{P}\p{S}]/u;
const everyNotEdge = new RegExp(notEdge, 'gu');

/** The stretches of masked text between masks and long numbers: `text` is to be translated, the rest is kept. */
export function fragments(
	masked: string,
): readonly { readonly keep: string; readonly text: string }[] {
	const parts: { keep: string; text: string }[] = [];
	let keep = '';
	for (const piece of masked.split(numberOrMask)) {
		if (/^\{\d+\}$/.test(piece) || isLongNumber(piece) || !hasWords(piece)) {
			keep += piece;
			continue;
		}
		// White space and punctuation around a fragment stay where they are.
		const at = piece.search(notEdge);
		let end = at;
		for (const { index, 0: letter } of piece.matchAll(everyNotEdge)) end = index + letter.length;
		const text = piece.slice(at, end);
		parts.push({ keep: keep + piece.slice(0, at), text });
		keep = piece.slice(at + text.length);
	}
	if (keep !== '' || parts.length === 0) parts.push({ keep, text: '' });
	return parts;
}
