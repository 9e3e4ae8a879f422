/**
 * A block: text that is translated as a unit of sentences, with the inline tags taken out and kept
 * as marks. Plain text and HTML both become blocks; what lies between blocks is copied.
 */

import type { Fixed } from './mask.ts';
import { mergeSpans, protectedSpans } from './protect.ts';
import type { Span } from './sentences.ts';

/** A tag between two characters of a block's text. */
export interface Mark {
	/** Offset in the block's text. */
	readonly at: number;
	/** The tag byte for byte. */
	readonly raw: string;
	/** A point stands alone: void elements, comments, tags without a partner. */
	readonly kind: 'open' | 'close' | 'point';
	/** Equal for an open tag and its close tag; unique for points. */
	readonly pair: number;
}

export interface Block {
	/** Decoded text without tags; fixed spans hold what the reader would see or the raw source. */
	readonly text: string;
	/** In document order. */
	readonly marks: readonly Mark[];
	/** Ordered, disjoint. `target` is final output and is not escaped again. */
	readonly fixed: readonly Fixed[];
	/** Offsets at which a sentence ends whatever its words say; ordered. */
	readonly breaks?: readonly number[];
	/**
	 * The bytes of a stretch of `text` without the tags in it: as in the source, or as copied into
	 * the target (they differ where a dictionary element prescribes the target).
	 */
	raw(start: number, end: number, side?: 'source' | 'target'): string;
	/** Makes translated text safe for the document (entities in HTML, nothing in plain text). */
	escape(text: string): string;
}

/** A document in pieces: strings are copied, blocks are translated. */
export type BlockPiece = string | Block;

/** Opens without a close and the reverse become points, so that every pair is complete. */
export function completePairs(marks: readonly Mark[]): Mark[] {
	const opens = new Set(marks.filter(({ kind }) => kind === 'open').map(({ pair }) => pair));
	const closes = new Set(marks.filter(({ kind }) => kind === 'close').map(({ pair }) => pair));
	return marks.map((mark) =>
		mark.kind === 'point' || (opens.has(mark.pair) && closes.has(mark.pair))
			? mark
			: { ...mark, kind: 'point' },
	);
}

/** Source offsets of the pieces a block's text was joined from. */
export interface Chunk {
	/** Offset in the block's text. */
	readonly at: number;
	readonly length: number;
	/** Offset in the document of every unit, plus one more for the end; absent when they run 1:1. */
	readonly offsets?: readonly number[];
	/** Offset in the document of the first unit. */
	readonly source: number;
}

/** Builds `Block.raw` over chunks of a document. */
export function rawReader(document: string, chunks: readonly Chunk[]) {
	return (start: number, end: number): string => {
		let out = '';
		for (let index = firstReaching(chunks, start); index < chunks.length; index++) {
			const chunk = chunks[index];
			if (!chunk || chunk.at >= end) break;
			const { at, length, offsets, source } = chunk;
			const from = Math.max(start, at) - at;
			const to = Math.min(end, at + length) - at;
			if (from >= to) continue;
			out += offsets
				? document.slice(offsets[from], offsets[to])
				: document.slice(source + from, source + to);
		}
		return out;
	};
}

/** Index of the first of ordered chunks that ends after a position. */
function firstReaching(chunks: readonly Chunk[], position: number): number {
	let [low, high] = [0, chunks.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		const chunk = chunks[middle];
		if (chunk && chunk.at + chunk.length <= position) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** `Block.raw` of a text with fixed spans over a reader of the text between them. */
export function rawWithFixed(
	between: (start: number, end: number) => string,
	fixed: readonly Fixed[],
): Block['raw'] {
	return (start, end, side = 'target') => {
		let out = '';
		let at = start;
		for (let index = firstEndingAfter(fixed, start); index < fixed.length; index++) {
			const item = fixed[index];
			if (!item || item.start >= end) break;
			if (item.end <= start || item.start < at) continue;
			out +=
				between(at, item.start) + (side === 'source' ? (item.source ?? item.target) : item.target);
			at = item.end;
		}
		return out + between(at, end);
	};
}

/**
 * Spans of a text that must not be translated, found between the tags and the fixed spans: what is
 * cut by a tag is no placeholder, and what a tag parts from a word is not part of the word.
 */
export function protectedBetween(
	text: string,
	marks: readonly Mark[],
	fixed: readonly Fixed[],
): Span[] {
	const cuts = [...marks.map(({ at }) => at), ...fixed.flatMap(({ start, end }) => [start, end])];
	const points = [...new Set([0, ...cuts, text.length])].sort((a, b) => a - b);
	// Cuts lie at both ends of every fixed span, so a piece is one when it starts where one starts.
	const starts = new Set(fixed.flatMap(({ start, end }) => (end > start ? [start] : [])));
	return points.flatMap((start, index) => {
		const end = points[index + 1] ?? start;
		if (end === start || starts.has(start)) return [];
		return mergeSpans(protectedSpans(text.slice(start, end))).map(
			([from, to]): Span => [from + start, to + start],
		);
	});
}

/** Index of the first of ordered, disjoint spans that ends after a position. */
export function firstEndingAfter(fixed: readonly { readonly end: number }[], at: number): number {
	let low = 0;
	let high = fixed.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((fixed[middle]?.end ?? 0) <= at) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Fixed spans of a block that overlap a stretch of it. */
export function fixedNear(block: Block, [start, end]: Span): Fixed[] {
	const near: Fixed[] = [];
	for (let index = firstEndingAfter(block.fixed, start); index < block.fixed.length; index++) {
		const item = block.fixed[index];
		if (!item || item.start >= end) break;
		near.push(item);
	}
	return near;
}

/** Fixed spans of a block that lie in a stretch of it, relative to its start. */
export function fixedWithin(block: Block, [start, end]: Span): Fixed[] {
	return fixedNear(block, [start, end])
		.filter((item) => item.start >= start && item.end <= end)
		.map((item) => ({ ...item, start: item.start - start, end: item.end - start }));
}
