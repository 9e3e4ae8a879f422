/**
 * HTML → blocks. The document is never serialised: raw tags are cut out of the source by offset and
 * go back in byte for byte, so the author's quoting, case and mistakes survive.
 */

import { Parser } from 'htmlparser2';
import { defined } from '../protocol/defined.ts';
import {
	type Block,
	type BlockPiece,
	type Chunk,
	completePairs,
	type Mark,
	protectedBetween,
	rawReader,
	rawWithFixed,
} from './block.ts';
import { decodeEntities, escaper } from './entities.ts';
import type { Fixed } from './mask.ts';
import { Nesting } from './nesting.ts';

/** Elements that do not end a sentence. */
const inline = new Set(
	'a abbr b bdi bdo big cite data del dfn em font i img input ins label mark output q ruby rb rp rt s small span strike strong sub sup time tt u wbr g x bpt ept ph it mrk'.split(
		' ',
	),
);
/** Elements whose content is code or markup of another kind. */
const copied = new Set(
	'script style code kbd samp var dir acronym math svg textarea noscript template'.split(' '),
);
const voids = new Set(
	'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** Attribute of the dictionary element, prefix as documented and its stand-in. */
const dictionaryPrefixes = ['mstrans', 'xtrans'] as const;

/** Whether a dictionary element starts at an offset. The feature is case-sensitive. */
function isDictionary(document: string, at: number): boolean {
	return dictionaryPrefixes.some((prefix) => document.startsWith(`<${prefix}:dictionary`, at));
}

/** Cuts an HTML document or fragment into copied strings and blocks. */
export function htmlPieces(document: string): BlockPiece[] {
	const pieces: BlockPiece[] = [];
	let builder = new BlockBuilder(document);
	/** End of what is already in `pieces` or in the builder. */
	let done = 0;
	/** Start of an element that is copied as it is, with its nesting depth. */
	let skip: { depth: number; start: number; inline: boolean; fixedBy?: string } | undefined;
	const open: { name: string; pair: number; inline: boolean }[] = [];
	let pairs = 0;
	const nesting = new Nesting();

	const flush = (): void => {
		if (!builder.empty) pieces.push(builder.build());
		builder = new BlockBuilder(document);
	};
	const copy = (to: number): void => {
		flush();
		if (to > done) pieces.push(document.slice(done, to));
		done = to;
	};

	/** What the parser passed over without a word (stray close tags) still goes back in place. */
	const gap = (to: number): void => {
		if (to <= done) return;
		builder.mark(document.slice(done, to), 'point', pairs++);
		done = to;
	};
	let ended = false;

	const parser = new Parser(
		{
			onopentag(lower, attributes) {
				nesting.open();
				const start = parser.startIndex;
				const end = parser.endIndex + 1;
				if (skip) {
					skip.depth += isVoid(lower, document, end) ? 0 : 1;
					return;
				}
				if (end <= done) return;
				gap(start);
				const fixedBy = isDictionary(document, start) ? attributes['translation'] : undefined;
				const keeps =
					fixedBy !== undefined ||
					copied.has(lower) ||
					attributes['translate'] === 'no' ||
					(attributes['class'] ?? '').split(/\s+/).includes('notranslate');
				const isInline =
					inline.has(lower) || lower.includes(':') || lower.includes('-') || !known(lower);
				const void_ = isVoid(lower, document, end);
				if (keeps && !void_) {
					skip = {
						depth: 1,
						start,
						inline:
							lower !== 'script' &&
							lower !== 'style' &&
							(isInline || copied.has(lower) || builder.midSentence),
						...defined({ fixedBy }),
					};
					if (!skip.inline) copy(start);
					return;
				}
				if (!isInline) {
					copy(end);
					if (!void_) open.push({ name: lower, pair: -1, inline: false });
					return;
				}
				done = end;
				const raw = document.slice(start, end);
				if (void_ && !voids.has(lower)) {
					// A self-closing element nobody knows stands for a word.
					builder.fixed(raw, raw);
					return;
				}
				const pair = pairs++;
				builder.mark(raw, void_ ? 'point' : 'open', pair);
				if (!void_) open.push({ name: lower, pair, inline: true });
			},
			onclosetag(name, implied) {
				nesting.close();
				if (implied && !skip) {
					const index = open.findLastIndex((element) => element.name === name);
					if (index >= 0) open.splice(index, 1);
					return;
				}
				const start = parser.startIndex;
				const end = parser.endIndex + 1;
				if (skip) {
					if (isVoid(name, document, start)) return;
					if (--skip.depth > 0) return;
					const stop = !implied ? end : ended ? document.length : start;
					const raw = document.slice(skip.start, stop);
					if (skip.inline) {
						if (skip.fixedBy === undefined) builder.fixed(raw, raw);
						else builder.fixed(withoutTags(raw), skip.fixedBy, raw);
						done = stop;
					} else copy(stop);
					skip = undefined;
					return;
				}
				if (start < done) return;
				gap(start);
				const index = open.findLastIndex((element) => element.name === name);
				const element = index < 0 ? undefined : open.splice(index, 1)[0];
				if (element ? !element.inline : known(name) && !inline.has(name)) {
					copy(end);
					return;
				}
				done = end;
				builder.mark(
					document.slice(start, end),
					element ? 'close' : 'point',
					element?.pair ?? pairs++,
				);
			},
			ontext() {
				if (skip) return;
				const end = parser.endIndex + 1;
				if (end <= done) return;
				gap(parser.startIndex);
				builder.text(done, end);
				done = end;
			},
			oncomment() {
				point();
			},
			onprocessinginstruction() {
				point();
			},
		},
		{ decodeEntities: false, recognizeSelfClosing: true },
	);
	function point(): void {
		if (skip) return;
		const end = parser.endIndex + 1;
		if (end <= done) return;
		gap(end);
	}
	parser.write(document);
	ended = true;
	parser.end();
	if (skip) copy(document.length);
	flush();
	if (done < document.length) pieces.push(document.slice(done));
	return pieces;
}

/** Markup without its tags. */
function withoutTags(raw: string): string {
	let out = '';
	for (let at = 0; ; ) {
		const start = raw.indexOf('<', at);
		const end = start < 0 ? -1 : raw.indexOf('>', start);
		if (end < 0) return out + raw.slice(at);
		out += raw.slice(at, start);
		at = end + 1;
	}
}

function isVoid(name: string, document: string, end: number): boolean {
	return voids.has(name) || document.startsWith('/>', end - 2);
}

const blocks = new Set(
	'address article aside base blockquote body br button canvas caption center col colgroup dd details dialog div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li link main map menu meta nav noframes object ol optgroup option p param picture pre search section select source summary table tbody td tfoot th thead title tr track ul video audio area'.split(
		' ',
	),
);

function known(name: string): boolean {
	return blocks.has(name) || inline.has(name) || copied.has(name);
}

/** Collects the text and the marks of one block. */
class BlockBuilder {
	#document: string;
	#text = '';
	#marks: Mark[] = [];
	#fixed: Fixed[] = [];
	#chunks: Chunk[] = [];

	constructor(document: string) {
		this.#document = document;
	}

	get empty(): boolean {
		return this.#text === '' && this.#marks.length === 0;
	}

	/** Whether text of an unfinished sentence has been collected. */
	get midSentence(): boolean {
		const text = this.#text.trimEnd();
		return text !== '' && !/[.!?。！？]$/.test(text);
	}

	text(from: number, to: number): void {
		const { text, offsets } = decodeEntities(this.#document.slice(from, to), from);
		const chunk = { at: this.#text.length, length: text.length, source: from };
		this.#chunks.push(offsets ? { ...chunk, offsets } : chunk);
		this.#text += text;
	}

	fixed(shown: string, target: string, source = target): void {
		const start = this.#text.length;
		this.#fixed.push({ start, end: start + shown.length, target, source });
		this.#text += shown;
	}

	mark(raw: string, kind: Mark['kind'], pair: number): void {
		this.#marks.push({ at: this.#text.length, raw, kind, pair });
	}

	build(): Block {
		const text = this.#text;
		const fixed = this.#fixed;
		const chunkRaw = rawReader(this.#document, this.#chunks);
		const raw = rawWithFixed(chunkRaw, fixed);
		const found = protectedBetween(text, this.#marks, fixed).map(([start, end]) => ({
			start,
			end,
			target: raw(start, end),
		}));
		return {
			text,
			marks: completePairs(this.#marks),
			fixed: [...fixed, ...found].sort((a, b) => a.start - b.start),
			raw,
			escape: escaper(chunkRaw(0, text.length)),
		};
	}
}
