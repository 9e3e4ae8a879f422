/**
 * Paragraphs that are made of runs, as Word, PowerPoint and Excel write them: each run has its formatting
 * and its text. Runs of the same formatting are one; the others become inline tags that move with their words.
 */

import { type InlinePart, taggedText } from '../inlineTags.ts';
import { readable } from '../markup.ts';
import type { Piece } from '../piece.ts';
import { xmlCode } from '../xmlTree.ts';

/** How a dialect writes runs. */
export interface RunCode {
	/** Tags of a run and of its text. */
	readonly runStart: string;
	readonly runEnd: string;
	readonly textStart: string;
	readonly textEnd: string;
}

/** A part of a paragraph, in order. Offsets are of the source code that it stands in. */
export type RunAtom = { readonly start: number; readonly end: number } & (
	| {
			readonly kind: 'text';
			/** Source code of the words. */
			readonly raw: string;
			readonly run: RunPlace;
	  }
	/** What is kept in its place among the words: its source code, run and all. */
	| { readonly kind: 'mark'; readonly raw: string; readonly run?: RunPlace }
	/** Borders of a link and the like. */
	| { readonly kind: 'open' | 'close'; readonly raw: string; readonly id: number }
	/** Marks the begin and the end of words, such as a bookmark's. */
	| { readonly kind: 'from' | 'to'; readonly raw: string; readonly id: string }
	/** Sentences end here. */
	| { readonly kind: 'break' }
	/** Left out where the words around it change. */
	| { readonly kind: 'drop' }
);

/** The run that something stands in. */
export interface RunPlace {
	/** Source code of its properties, the same for runs that look the same. */
	readonly format: string;
	/** Offsets of the whole run, where it begins or ends with this. */
	readonly outerStart?: number;
	readonly outerEnd?: number;
}

/** The pieces of a paragraph. */
export function runPieces(atoms: readonly RunAtom[], code: RunCode): Piece[] {
	const pieces: Piece[] = [];
	const split = new Set(idsWithBreaks(atoms));
	let segment: RunAtom[] = [];
	const close = () => {
		const piece = segmentPiece(segment, code);
		if (piece) pieces.push(piece);
		segment = [];
	};
	for (const atom of atoms) {
		const isBorder = (atom.kind === 'open' || atom.kind === 'close') && split.has(atom.id);
		if (atom.kind === 'break' || isBorder) close();
		else segment.push(atom);
	}
	close();
	return pieces;
}

/** Links and the like that go over a break, or have but one border here: sentences end at them. */
function* idsWithBreaks(atoms: readonly RunAtom[]): Generator<number> {
	const open: number[] = [];
	let broken = 0;
	for (const atom of atoms) {
		if (atom.kind === 'break') broken = open.length;
		else if (atom.kind === 'open') open.push(atom.id);
		else if (atom.kind === 'close') {
			if (open.at(-1) !== atom.id) {
				yield atom.id;
				continue;
			}
			if (open.length <= broken) yield atom.id;
			open.pop();
			broken = Math.min(broken, open.length);
		}
	}
	yield* open;
}

const words = /\p{L}{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function segmentPiece(all: readonly RunAtom[], code: RunCode): Piece | undefined {
	const core = wholeWords(coreOf(all));
	if (core.length === 0) return undefined;
	if (!words.test(core.map((atom) => (atom.kind === 'text' ? readable(atom.raw) : ' ')).join('')))
		return undefined;
	const first = core[0] as RunAtom;
	const last = core.at(-1) as RunAtom;
	const before = stateBefore(first);
	const after = stateAfter(last);
	const { parts, pairs, hoisted } = partsOf(core);
	const tagged = taggedText(parts, readable);
	const render = (translation: string) => {
		const made = tagged.restore(translation, xmlCode);
		return rendered(made, pairs, hoisted, { before: before.format, after: after.format }, code);
	};
	return {
		start: before.at,
		end: after.at,
		text: tagged.text,
		...(tagged.tags
			? {
					delimiters: tagged.tags,
					isWhole: (translation: string) =>
						tagged.isWhole(translation) &&
						fits(
							tagged.restore(translation, () => ''),
							pairs,
						),
				}
			: {}),
		encode: render,
	};
}

/** From the first words to the last, grown until every link that opens is closed. */
function coreOf(atoms: readonly RunAtom[]): readonly RunAtom[] {
	const isText = (atom: RunAtom) => atom.kind === 'text' && atom.raw.trim() !== '';
	let from = atoms.findIndex(isText);
	let to = atoms.findLastIndex(isText);
	if (from < 0) return [];
	const partner = partners(atoms);
	for (let low = from, high = from; low >= from || high <= to; ) {
		const other = partner.get(high <= to ? high++ : low--);
		if (other === undefined) continue;
		if (other < from) [from, low] = [other, Math.min(low, from - 1)];
		to = Math.max(to, other);
	}
	return atoms.slice(from, to + 1);
}

/** Letters of scripts that part their words. */
const ofWords =
	/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}\p{M}]/u;
const wordBefore = new RegExp(`${ofWords.source}+$`, 'u');
const wordAfter = new RegExp(`^${ofWords.source}+`, 'u');
/** Raised and lowered letters are no part of the word before them. */
const isRaised = (format: string) => /vertAlign|baseline=|position/.test(format);

/**
 * Runs that look different, each with whole words: a translator cannot put a mark into a word. A word that is cut
 * looks as the greater part of it does.
 */
function wholeWords(atoms: readonly RunAtom[]): readonly RunAtom[] {
	const made = [...atoms];
	let before = -1;
	for (const [at, atom] of atoms.entries()) {
		if (atom.kind === 'drop') continue;
		const last = made[before];
		if (atom.kind !== 'text') before = -1;
		else if (last?.kind !== 'text' || last.run.format === atom.run.format) before = at;
		else if (isRaised(last.run.format) || isRaised(atom.run.format)) before = at;
		else {
			const head = wordBefore.exec(last.raw)?.[0] ?? '';
			const tail = wordAfter.exec(atom.raw)?.[0] ?? '';
			const isCut = head !== '' && tail !== '';
			const intoLast = isCut && head.length >= tail.length;
			if (isCut) {
				const [own, other] = intoLast
					? [last.raw + tail, atom.raw.slice(tail.length)]
					: [last.raw.slice(0, -head.length), head + atom.raw];
				made[before] = { ...last, raw: own };
				made[at] = { ...atom, raw: other };
			}
			// Nothing is left of a run that was the end of a word: the next one may go on with it.
			if (!(intoLast && tail === atom.raw)) before = at;
		}
	}
	return made;
}

function partners(atoms: readonly RunAtom[]): ReadonlyMap<number, number> {
	const partner = new Map<number, number>();
	const opened = new Map<number, number>();
	atoms.forEach((atom, at) => {
		if (atom.kind === 'open') opened.set(atom.id, at);
		else if (atom.kind === 'close') {
			const start = opened.get(atom.id);
			if (start === undefined) return;
			partner.set(start, at);
			partner.set(at, start);
		}
	});
	return partner;
}

/** Where a piece begins, and the formatting of the run it begins inside of. */
function stateBefore(atom: RunAtom): { at: number; format: string | undefined } {
	const run = atom.kind === 'text' || atom.kind === 'mark' ? atom.run : undefined;
	if (!run) return { at: atom.start, format: undefined };
	return run.outerStart === undefined
		? { at: atom.start, format: run.format }
		: { at: run.outerStart, format: undefined };
}

function stateAfter(atom: RunAtom): { at: number; format: string | undefined } {
	const run = atom.kind === 'text' || atom.kind === 'mark' ? atom.run : undefined;
	if (!run) return { at: atom.end, format: undefined };
	return run.outerEnd === undefined
		? { at: atom.end, format: run.format }
		: { at: run.outerEnd, format: undefined };
}

/** What a tag stands for. */
type Pair =
	| { readonly kind: 'format'; readonly format: string }
	| {
			readonly kind: 'container';
			/** Formatting of its words, where no other is said. */
			readonly format: string;
			readonly parent: number | undefined;
	  }
	| { readonly kind: 'code' };

interface Pairs {
	readonly root: string;
	/** By the number in the stand-ins. */
	readonly tags: readonly { readonly pair: Pair; readonly id: number; readonly raw: string }[];
}

const standIn = (at: number) => `\u0001${at}\u0002`;

function partsOf(atoms: readonly RunAtom[]) {
	const bases = baseFormats(atoms);
	const root = bases.get(undefined) ?? '';
	const parts: InlinePart[] = [];
	const tags: { pair: Pair; id: number; raw: string }[] = [];
	const hoisted = { first: '', last: '' };
	const kept = nestedRanges(atoms);
	const stack: { id: number; pair: number }[] = [];
	let nextPair = 0;
	let open: { format: string; pair: number } | undefined;
	const ofRange = new Map<string, number>();
	const tag = (role: InlinePart['role'], pair: Pair, id: number, raw: string) => {
		parts.push({ raw: standIn(tags.length), role, ...(role === 'single' ? {} : { pair: id }) });
		tags.push({ pair, id, raw });
	};
	const endFormat = () => {
		if (open) tag('close', { kind: 'format', format: open.format }, open.pair, '');
		open = undefined;
	};
	atoms.forEach((atom, at) => {
		if (atom.kind === 'text') {
			const base = bases.get(stack.at(-1)?.id) ?? root;
			const { format } = atom.run;
			// Blanks look the same in most formattings.
			const isBlank = atom.raw.trim() === '' && open === undefined;
			if (open && open.format !== format) endFormat();
			if (!open && format !== base && !isBlank) {
				open = { format, pair: nextPair++ };
				tag('open', { kind: 'format', format }, open.pair, '');
			}
			parts.push({ raw: atom.raw, role: 'text' });
		} else if (atom.kind === 'mark') {
			endFormat();
			tag('single', { kind: 'code' }, -1, atom.raw);
		} else if (atom.kind === 'open') {
			endFormat();
			const parent = stack.at(-1)?.pair;
			const pair = { kind: 'container', format: bases.get(atom.id) ?? root, parent } as const;
			tag('open', pair, nextPair, atom.raw);
			stack.push({ id: atom.id, pair: nextPair++ });
		} else if (atom.kind === 'close') {
			endFormat();
			const own = stack.pop();
			const pair = { kind: 'container', format: '', parent: stack.at(-1)?.pair } as const;
			if (own) tag('close', pair, own.pair, atom.raw);
		} else if (atom.kind === 'from' || atom.kind === 'to') {
			if (!kept.has(at)) {
				if (atom.kind === 'from') hoisted.first += atom.raw;
				else hoisted.last += atom.raw;
				return;
			}
			endFormat();
			if (atom.kind === 'from') {
				ofRange.set(atom.id, nextPair);
				tag('open', { kind: 'code' }, nextPair++, atom.raw);
			} else tag('close', { kind: 'code' }, ofRange.get(atom.id) ?? -1, atom.raw);
		}
	});
	endFormat();
	return { parts, pairs: { root, tags } satisfies Pairs, hoisted };
}

/** What a run counts for beside its letters: a single long one is rather the one that stands out. */
const eachRun = 4;

/** Formatting of most words, of the paragraph and of each link in it. */
function baseFormats(atoms: readonly RunAtom[]): ReadonlyMap<number | undefined, string> {
	const counts = new Map<number | undefined, Map<string, number>>();
	const stack: number[] = [];
	for (const atom of atoms) {
		if (atom.kind === 'open') stack.push(atom.id);
		else if (atom.kind === 'close') stack.pop();
		else if (atom.kind === 'text') {
			const own = counts.get(stack.at(-1)) ?? new Map<string, number>();
			counts.set(stack.at(-1), own);
			own.set(atom.run.format, (own.get(atom.run.format) ?? 0) + atom.raw.trim().length + eachRun);
		}
	}
	const best = (own: ReadonlyMap<string, number>) =>
		[...own].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
	return new Map([...counts].map(([id, own]) => [id, best(own)]));
}

/** Places of bookmarks and the like whose both ends lie among these words and cross nothing. */
function nestedRanges(atoms: readonly RunAtom[]): ReadonlySet<number> {
	const kept = new Set<number>();
	const stack: { id: string; at: number; said: number }[] = [];
	/** Texts with words so far. */
	let said = 0;
	atoms.forEach((atom, at) => {
		if (atom.kind === 'text' && words.test(atom.raw)) said++;
		if (atom.kind === 'from') stack.push({ id: atom.id, at, said });
		else if (atom.kind === 'open') stack.push({ id: `link ${atom.id}`, at, said });
		else if (atom.kind === 'to' || atom.kind === 'close') {
			const id = atom.kind === 'to' ? atom.id : `link ${atom.id}`;
			const place = stack.findLastIndex((one) => one.id === id);
			const [own] = place < 0 ? [] : stack.splice(place, stack.length);
			if (own && own.said < said && atom.kind === 'to' && stack.length === place) {
				kept.add(own.at);
				kept.add(at);
			}
		}
	});
	return kept;
}

/** Whether links are where they may be: not in one another unless they were. */
function fits(made: string, { tags }: Pairs): boolean {
	const open: number[] = [];
	for (const [, number] of made.matchAll(/\u0001(\d+)\u0002/g)) {
		const { pair, id } = tags[Number(number)] ?? {};
		if (pair?.kind !== 'container' || id === undefined) continue;
		if (open.at(-1) === id) open.pop();
		else if (open.at(-1) !== pair.parent) return false;
		else open.push(id);
	}
	return true;
}

function rendered(
	made: string,
	{ root, tags }: Pairs,
	hoisted: { readonly first: string; readonly last: string },
	ends: { readonly before: string | undefined; readonly after: string | undefined },
	{ runStart, runEnd, textStart, textEnd }: RunCode,
): string {
	let out = '';
	let current = ends.before;
	const into = (format: string | undefined) => {
		if (format === current) return;
		if (current !== undefined) out += runEnd;
		if (format !== undefined) out += runStart + format;
		current = format;
	};
	const codeOutside = (raw: string) => {
		if (raw === '') return;
		into(undefined);
		out += raw;
	};
	const stack: { id: number; format: string }[] = [];
	codeOutside(hoisted.first);
	made.split(/\u0001(\d+)\u0002/).forEach((part, at) => {
		if (at % 2 === 0) {
			if (part === '') return;
			into(stack.at(-1)?.format ?? root);
			out += textStart + part + textEnd;
			return;
		}
		const { pair, id, raw } = tags[Number(part)] ?? { pair: { kind: 'code' }, id: -1, raw: '' };
		codeOutside(raw);
		if (pair.kind === 'code') return;
		if (stack.at(-1)?.id === id) stack.pop();
		else stack.push({ id, format: pair.format });
	});
	codeOutside(hoisted.last);
	into(ends.after);
	return out;
}
