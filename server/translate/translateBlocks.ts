/**
 * A whole text through a translator: blocks → sentences → masked strings → rendered text, with the
 * sentence lengths and the word links of the result. Knows nothing of models.
 */

import { yieldToOthers } from '../work/yieldToOthers.ts';
import { type Block, type BlockPiece, firstEndingAfter, fixedNear, type Mark } from './block.ts';
import { holdsNodes } from './gate/gate.ts';
import { htmlRules } from './gate/htmlRules.ts';
import { keepsWords } from './keepsWords.ts';
import type { Fixed } from './mask.ts';
import {
	fragments,
	type MaskedResult,
	type RenderedSentence,
	renderCopy,
	renderTranslated,
	type SentenceUnit,
	sentenceUnit,
	sourceLength,
	type TargetEdit,
	tagLengths,
} from './sentence.ts';
import { type Span, splitSentences } from './sentences.ts';

/** Translates masked sentences; as many results as sentences, in their order. */
export type SentenceTranslator = (
	sentences: readonly string[],
	needs: {
		readonly links: boolean;
		/** The sentences with their tags and what their masks stand for; absent for parts of sentences. */
		readonly units?: readonly SentenceUnit[];
	},
) => Promise<readonly MaskedResult[]>;

export interface DocumentOptions {
	readonly source: string;
	readonly target: string;
	/** Report word links (offsets into the whole source and target). */
	readonly links: boolean;
	readonly edit?: TargetEdit;
	/** Terms whose translation is prescribed: spans of a block's text. */
	readonly terms?: (text: string) => readonly Fixed[];
	/** Sentences longer than this many UTF-16 units are cut at clauses. */
	readonly maxSentence: number;
}

export interface TranslatedBlocks {
	readonly text: string;
	/** UTF-16 lengths; each list sums up to the length of its text. */
	readonly sourceLengths: readonly number[];
	readonly targetLengths: readonly number[];
	readonly links: readonly { readonly source: Span; readonly target: Span }[];
}

interface Entry {
	readonly unit: SentenceUnit;
	readonly sourceLength: number;
}

/** @param pieces From `htmlPieces` or `[plainBlock(text)]`. */
export async function translateBlocks(
	pieces: readonly BlockPiece[],
	translate: SentenceTranslator,
	options: DocumentOptions,
): Promise<TranslatedBlocks> {
	const entries: (string | Entry[])[] = [];
	for (const piece of pieces)
		entries.push(typeof piece === 'string' ? piece : await cut(piece, options));
	const units = entries.flatMap((entry) => (typeof entry === 'string' ? [] : entry));
	const wanted = units.filter(({ unit }) => !unit.copy);
	const results = await translate(
		wanted.map(({ unit }) => unit.masked),
		{
			links:
				options.links ||
				options.edit !== undefined ||
				wanted.some(({ unit }) => unit.marks.length > 0),
			units: wanted.map(({ unit }) => unit),
		},
	);
	const rendered = new Map<SentenceUnit, RenderedSentence>();
	const failed: SentenceUnit[] = [];
	const emptied: SentenceUnit[] = [];
	for (const [index, { unit }] of wanted.entries()) {
		await yieldToOthers();
		const result = results[index];
		const done = result && renderTranslated(unit, result, options, options.edit);
		if (!done) failed.push(unit);
		else if (holdsTags(unit, done)) rendered.set(unit, done);
		else emptied.push(unit);
	}
	for (const [unit, done] of await aroundMasks(failed, translate, options))
		if (holdsTags(unit, done)) rendered.set(unit, done);
		else emptied.push(unit);
	for (const [unit, done] of await betweenTags(emptied, translate, options))
		rendered.set(unit, done);

	let text = '';
	let sourceAt = 0;
	const sourceLengths: number[] = [];
	const targetLengths: number[] = [];
	const links: { source: Span; target: Span }[] = [];
	let carried = { source: 0, target: 0 };
	const add = (source: number, target: number, own: boolean): void => {
		const last = sourceLengths.length - 1;
		if (own) {
			sourceLengths.push(source + carried.source);
			targetLengths.push(target + carried.target);
			carried = { source: 0, target: 0 };
		} else if (last >= 0) {
			sourceLengths[last] = (sourceLengths[last] ?? 0) + source;
			targetLengths[last] = (targetLengths[last] ?? 0) + target;
		} else carried = { source: carried.source + source, target: carried.target + target };
	};
	for (const entry of entries) {
		if (typeof entry === 'string') {
			text += entry;
			sourceAt += entry.length;
			add(entry.length, entry.length, false);
			continue;
		}
		const [first] = entry;
		const placed = first ? inDocument(first.unit.block, sourceAt) : (span: Span) => span;
		for (const { unit, sourceLength: length } of entry) {
			const done = rendered.get(unit) ?? renderCopy(unit);
			for (const link of done.links) {
				links.push({
					source: placed(link.source),
					target: [link.target[0] + text.length, link.target[1] + text.length],
				});
			}
			text += done.text;
			sourceAt += length;
			add(length, done.text.length, unit.core !== '');
		}
	}
	if (sourceLengths.length === 0) {
		sourceLengths.push(carried.source);
		targetLengths.push(carried.target);
	}
	return { text, sourceLengths, targetLengths, links };
}

/**
 * Offsets in a block's text → offsets in the document, for plain text (tags are all that is missing).
 */
function inDocument(block: Block, blockAt: number): (span: Span) => Span {
	const shift = tagLengths(block.marks);
	return ([start, end]) => [
		blockAt + start + shift(start, 'start'),
		blockAt + end + shift(end, 'end'),
	];
}

async function cut(source: Block, options: DocumentOptions): Promise<Entry[]> {
	await yieldToOthers();
	const block = withTerms(source, options);
	const keep = block.fixed.map(({ start, end }): Span => [start, end]);
	const breaks = [...(block.breaks ?? []), ...tagBreaks(block.marks)].sort((a, b) => a - b);
	const spans = splitSentences(block.text, options.source, keep)
		.flatMap((span) => parted(span, breaks))
		.flatMap((span) => shorten(block.text, span, block.fixed, options.maxSentence));
	let next = 0;
	// A block of tags only still has to come out.
	const entries: Entry[] = [];
	for (const [index, span] of (spans.length === 0 ? [[0, 0] as Span] : spans).entries()) {
		await yieldToOthers();
		const marks: Mark[] = [];
		const isLast = index >= spans.length - 1;
		for (; next < block.marks.length; next++) {
			const mark = block.marks[next];
			if (!mark || mark.at > span[1]) break;
			if (mark.at === span[1] && !isLast && mark.kind !== 'close') break;
			marks.push(mark);
		}
		entries.push({
			unit: sentenceUnit(block, span, marks),
			sourceLength: sourceLength(block, span, marks),
		});
	}
	return entries;
}

/** Adds prescribed terms where nothing else is fixed and no tag falls inside. */
function withTerms(block: Block, options: DocumentOptions): Block {
	const terms = options.terms?.(block.text) ?? [];
	const inner = block.marks.map(({ at }) => ({ end: at + 1 }));
	const free = terms.filter(({ start, end }) => {
		const mark = block.marks[firstEndingAfter(inner, start + 1)];
		return fixedNear(block, [start, end]).length === 0 && (mark === undefined || mark.at >= end);
	});
	if (free.length === 0) return block;
	const fixed = [
		...block.fixed,
		...free.map((term) => ({ ...term, target: block.escape(term.target) })),
	].sort((a, b) => a.start - b.start);
	return { ...block, fixed };
}

/** Tags one sentence may have: what has more is a list, and would take long to put together. */
const maxTags = 200;

/** Offsets that part a run of tags, wherever its sentences end. */
function tagBreaks(marks: readonly Mark[]): number[] {
	return marks.flatMap(({ at }, index) => (index > 0 && index % maxTags === 0 ? [at] : []));
}

/** Index of the first of ordered offsets that is behind another. */
function firstAfter(offsets: readonly number[], at: number): number {
	let [low, high] = [0, offsets.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((offsets[middle] ?? 0) <= at) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** A sentence cut at breaks, which are ordered. */
function parted([start, end]: Span, breaks: readonly number[]): Span[] {
	const points = [start];
	for (let index = firstAfter(breaks, start); (breaks[index] ?? end) < end; index++)
		if (breaks[index] !== points.at(-1)) points.push(breaks[index] ?? end);
	points.push(end);
	return points.slice(1).map((point, index): Span => [points[index] ?? start, point]);
}

/** Cuts an over-long sentence after clause marks or white space, never inside a kept span. */
function shorten(text: string, span: Span, fixed: readonly Fixed[], limit: number): Span[] {
	const spans: Span[] = [];
	let start = span[0];
	let held = firstEndingAfter(fixed, start);
	while (span[1] - start > limit) {
		const part = text.slice(start, start + limit);
		const clause = [...part.matchAll(/[,;:)–—،、，；：]\s*/gu)].at(-1);
		const space = [...part.matchAll(/\s+/g)].at(-1);
		let at = start + limit;
		if (clause && clause.index > limit / 3) at = start + clause.index + clause[0].length;
		else if (space && space.index > limit / 4) at = start + space.index + space[0].length;
		while (held < fixed.length && (fixed[held]?.end ?? 0) <= at) held++;
		const inside = fixed[held];
		if (inside && inside.start < at) at = inside.start > start ? inside.start : inside.end;
		if (/[\uDC00-\uDFFF]/.test(text[at] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '')) at++;
		if (at >= span[1]) break;
		spans.push([start, at]);
		start = at;
	}
	return [...spans, [start, span[1]]];
}

/** Whether every tag of a sentence is there and holds words where it held some. */
function holdsTags(unit: SentenceUnit, { text }: RenderedSentence): boolean {
	return unit.marks.length === 0 || holdsNodes(renderCopy(unit).text, text, htmlRules);
}

/** Sentences whose tags lost their words, translated in the parts between the tags. */
async function betweenTags(
	units: readonly SentenceUnit[],
	translate: SentenceTranslator,
	options: DocumentOptions,
): Promise<Map<SentenceUnit, RenderedSentence>> {
	const done = new Map<SentenceUnit, RenderedSentence>();
	if (units.length === 0) return done;
	const parts = units.map((unit) => ({ unit, between: partsBetween(unit) }));
	const wanted = parts
		.flatMap(({ between }) => between.map(({ part }) => part))
		.filter(({ copy }) => !copy);
	const results = await translate(
		wanted.map(({ masked }) => masked),
		{ links: options.links || options.edit !== undefined },
	);
	const made = new Map<SentenceUnit, RenderedSentence>();
	wanted.forEach((part, index) => {
		const result = results[index];
		const own = result && renderTranslated(part, result, options, options.edit);
		// A part that nothing is left of, or whose masks are lost, stays as it was.
		if (own && own.text.trim() !== '') made.set(part, own);
	});
	for (const { unit, between } of parts) {
		let text = unit.lead;
		const links: { source: Span; target: Span }[] = [];
		for (const { part, before } of between) {
			text += before;
			const own = made.get(part) ?? renderCopy(part);
			for (const { source, target } of own.links)
				links.push({ source, target: [target[0] + text.length, target[1] + text.length] });
			text += own.text;
		}
		done.set(unit, { text: text + unit.trail, links });
	}
	return done;
}

/** The parts of a sentence between its tags, each with the tags before it. */
function partsBetween(unit: SentenceUnit): { part: SentenceUnit; before: string }[] {
	const end = unit.coreStart + unit.core.length;
	const points = [...new Set([0, ...unit.marks.map(({ at }) => at), unit.core.length])];
	return points
		.sort((a, b) => a - b)
		.map((at, index, all) => {
			const span: Span = [
				unit.coreStart + at,
				unit.coreStart + (all[index + 1] ?? end - unit.coreStart),
			];
			const tags = unit.marks.filter((mark) => mark.at === at).map(({ raw }) => raw);
			return { part: sentenceUnit(unit.block, span, []), before: tags.join('') };
		});
}

/** Sentences whose masks got lost, translated in the parts between them: nothing can be lost there. */
async function aroundMasks(
	units: readonly SentenceUnit[],
	translate: SentenceTranslator,
	options: DocumentOptions,
): Promise<Map<SentenceUnit, RenderedSentence>> {
	const done = new Map<SentenceUnit, RenderedSentence>();
	if (units.length === 0) return done;
	const parts = units.map((unit) => fragments(unit.masked));
	const texts = parts.flat().flatMap(({ text }) => (text === '' ? [] : [text]));
	const results = await translate(texts, { links: true });
	let next = 0;
	units.forEach((unit, index) => {
		let source = 0;
		let text = '';
		const links: { source: Span; target: Span }[] = [];
		for (const part of parts[index] ?? []) {
			source += part.keep.length;
			text += part.keep;
			if (part.text === '') continue;
			const result = results[next++];
			// A fragment that grows braces of its own would look like a mask.
			const isGood = result && !/[{}]/.test(result.text) && keepsWords(part.text, result.text);
			const own = isGood ? result.text : part.text;
			if (own === result?.text) {
				for (const link of result.links ?? []) {
					links.push({
						source: [link.source[0] + source, link.source[1] + source],
						target: [link.target[0] + text.length, link.target[1] + text.length],
					});
				}
			}
			source += part.text.length;
			text += own;
		}
		for (const match of unit.masked.matchAll(/\{\d+\}/g)) {
			const at = text.indexOf(match[0]);
			if (at < 0) continue;
			links.push({
				source: [match.index, match.index + match[0].length],
				target: [at, at + match[0].length],
			});
		}
		done.set(
			unit,
			renderTranslated(unit, { text, links }, options, options.edit) ?? renderCopy(unit),
		);
	});
	return done;
}
