/**
 * Pieces of a document through a translator and the gate of their format: whole, else sentence by sentence,
 * else what lies between the marks on its own, and at last not at all. The document is read again before it is
 * given out; what has changed its syntax goes the same way.
 */

import {
	type GateRules,
	gateFault,
	type Spliced,
	syntaxFaults,
	unseenFault,
} from '../gate/gate.ts';
import { splitSentences } from '../sentences.ts';
import type { TranslateTexts } from './documentLanguage.ts';
import { type Piece, padded, saysTheSame, spliced } from './piece.ts';
import { isIcuBranching } from './placeholders.ts';

export interface GatedPieces extends Spliced {
	/** Of every piece that passed, inner ones among them. */
	readonly translations: ReadonlyMap<Piece, string>;
	/** Why the others did not. */
	readonly faults: ReadonlyMap<Piece, string>;
}

/** How often a document is read again before what its syntax has changed at is left as it was. */
const maxReadings = 4;

/** Translates pieces of a text. */
export async function throughGate(
	text: string,
	pieces: readonly Piece[],
	rules: GateRules,
	translate: TranslateTexts,
): Promise<GatedPieces> {
	const all = pieces.flatMap((piece) => [piece, ...(piece.inner ?? [])]);
	const within = new Set(overlapping(pieces));
	const asked = all.filter(
		(piece) => !piece.companion && !leavesAlone(piece) && !within.has(piece),
	);
	const translations = new Map<Piece, string>();
	const faults = new Map<Piece, string>();
	const take = (piece: Piece, given: string | undefined) => {
		const { written } = piece.rules ?? rules;
		const answer =
			given !== undefined && written && !isIcuBranching(piece.text)
				? written(given, piece.text)
				: given;
		const fault =
			answer === undefined
				? 'its branches do not go together'
				: piece.branches
					? unseenFault(piece.text, answer)
					: faultOf(piece, answer, rules);
		if (answer !== undefined && fault === undefined) {
			translations.set(piece, answer);
			faults.delete(piece);
		} else faults.set(piece, fault ?? '');
	};
	for (const piece of all) if (piece.unread !== undefined) faults.set(piece, piece.unread);
	for (const piece of within) faults.set(piece, 'it lies within another text');
	const texts = asked.map((piece) => piece.branches?.texts ?? [piece.text.trim()]);
	const comments = asked.some(({ comment }) => comment !== undefined)
		? asked.flatMap(({ comment }, index) => (texts[index] ?? []).map(() => comment))
		: undefined;
	const answers = asked.length === 0 ? [] : await translate(texts.flat(), comments);
	let next = 0;
	asked.forEach((piece, index) => {
		const given = (texts[index] ?? []).map((own) => (answers[next++] ?? own).trim());
		const whole = padded(given[0] ?? piece.text, piece.text);
		take(piece, piece.branches ? joinBranches(piece, given) : whole);
	});
	const smaller = async (broken: readonly Piece[]) => {
		for (const [piece, answer] of await inParts(broken, rules, translate)) take(piece, answer);
	};
	await smaller(asked.filter((piece) => !translations.has(piece)));

	const before = { text, regions: pieces };
	const cut = new Set<Piece>();
	let reach = 0;
	for (let reading = 1; ; reading++) {
		// What was written is the text itself.
		if (translations.size === 0) return { ...before, translations, faults };
		const after = spliced(text, pieces, translations);
		const found = syntaxFaults(before, after, rules);
		if (!found) return { ...after, translations, faults };
		const inside = found.inside.length > 0 ? found.inside : found.beside;
		const places = reading < maxReadings ? inside : [...inside, ...found.beside];
		const suspects = () =>
			(found.isBroken ? breaking(text, pieces, translations, rules) : near(pieces, places, reach))
				.flatMap((piece) => [piece, ...(piece.inner ?? [])])
				.filter((piece) => translations.has(piece) && translations.get(piece) !== piece.text);
		let guilty = suspects();
		// What a fault shows at may be some pieces behind what it comes from.
		while (guilty.length === 0 && reach < pieces.length) {
			reach = Math.max(8, 8 * reach);
			guilty = suspects();
		}
		// Where nobody can be told apart, nobody passes.
		const left = guilty.length > 0 && reading < 3 * maxReadings ? guilty : all;
		for (const piece of left) translations.delete(piece);
		const again = left.filter((piece) => !cut.has(piece) && !piece.branches && reading === 1);
		for (const piece of left) {
			cut.add(piece);
			if (!leavesAlone(piece) && !piece.companion)
				faults.set(piece, 'the syntax of the document would be another');
		}
		await smaller(again);
	}
}

/** Pieces that begin before the one in front of them has ended: of these only that one can be written. */
function overlapping(pieces: readonly Piece[]): Piece[] {
	let next = 0;
	return pieces.filter(({ start, end }) => {
		if (start < next) return true;
		next = end;
		return false;
	});
}

/** Pieces at places, and some on both sides of them. */
function near(pieces: readonly Piece[], places: readonly number[], reach: number): Piece[] {
	const found = new Set<Piece>();
	for (const place of places)
		for (const piece of pieces.slice(Math.max(0, place - reach), place + reach + 1))
			found.add(piece);
	return [...found];
}

/** How many halves of a document are read to find what breaks it. */
const maxHalves = 64;

/** Pieces without whose translations a document can be read, found by halves. */
function breaking(
	text: string,
	pieces: readonly Piece[],
	translations: ReadonlyMap<Piece, string>,
	rules: GateRules,
): readonly Piece[] {
	let read = 0;
	const isReadable = (some: readonly Piece[]) => {
		read++;
		const own = new Map(
			some
				.flatMap((piece) => [piece, ...(piece.inner ?? [])])
				.flatMap((piece) => {
					const made = translations.get(piece);
					return made === undefined ? [] : [[piece, made] as const];
				}),
		);
		return rules.nodes?.(spliced(text, pieces, own).text) !== undefined;
	};
	/** Of pieces that cannot be read together. */
	const within = (some: readonly Piece[]): readonly Piece[] => {
		if (some.length <= 1 || read >= maxHalves) return some;
		const half = some.length >> 1;
		const broken = [some.slice(0, half), some.slice(half)].filter((part) => !isReadable(part));
		// Neither half is at fault alone.
		return broken.length === 0 ? some : broken.flatMap(within);
	};
	return within(pieces);
}

function leavesAlone({ text, branches, unread }: Piece): boolean {
	return unread !== undefined || (!branches && isIcuBranching(text));
}

function joinBranches(piece: Piece, translations: readonly string[]) {
	const { text, branches } = piece;
	// Texts that are all the same in the other language leave the message as its author wrote it.
	if (branches?.texts.length === 0) return branches.join([]);
	const isSame = branches?.texts.every((source, index) => source.trim() === translations[index]);
	if (isSame && !(piece.isNew && saysTheSame(piece))) return text;
	return branches?.join(translations);
}

/** A translation of a piece that may be shown or written; `undefined` when it would lose or add more than words. */
export function passed(
	piece: Piece,
	translation: string | undefined,
	rules: GateRules = {},
): string | undefined {
	if (translation === undefined) return undefined;
	return faultOf(piece, translation, rules) === undefined ? translation : undefined;
}

/** What a translation of a piece would lose or add. */
function faultOf(piece: Piece, translation: string, rules: GateRules): string | undefined {
	const fault = gateFault(piece.text, translation, piece.rules ?? rules);
	if (fault !== undefined) return fault;
	if (marks(piece, piece.text) !== marks(piece, translation)) return 'its marks would be others';
	if (!(piece.isWhole?.(translation) ?? true)) return 'its marks would hold other words';
	return piece.fault?.(translation);
}

function marks({ delimiters }: Piece, text: string): string {
	// Words move in other languages, and what marks them goes along.
	return delimiters ? (text.match(delimiters) ?? []).sort().join('\n') : '';
}

/** A stretch of a piece that is translated alone. */
interface Part {
	readonly text: string;
	readonly isWords: boolean;
}

/**
 * Translates pieces in parts: plainer, but less is lost. Sentences first, and what lies between the marks of
 * those that do not pass; what does not pass then stays as it was.
 */
async function inParts(
	pieces: readonly Piece[],
	rules: GateRules,
	translate: TranslateTexts,
): Promise<(readonly [Piece, string])[]> {
	const whole = pieces.filter(({ branches }) => !branches);
	const bySentence = await eachPart(whole, sentencesOf, rules, translate);
	const rest = whole.filter((piece) => !bySentence.has(piece));
	const between = await eachPart(rest, partsOf, rules, translate, true);
	return [...bySentence, ...between];
}

async function eachPart(
	pieces: readonly Piece[],
	partsOf: (piece: Piece) => Part[],
	rules: GateRules,
	translate: TranslateTexts,
	isLast = false,
): Promise<Map<Piece, string>> {
	const made = new Map<Piece, string>();
	const cut = pieces
		.map((piece) => ({ piece, parts: partsOf(piece) }))
		.filter(({ parts }) => parts.length > 1);
	// A part may say what the whole may not.
	const onlyWords = { isWhole: () => true, fault: () => undefined };
	const wanted = cut.flatMap(({ parts }) =>
		parts.filter(({ isWords }) => isWords).map(({ text }) => text.trim()),
	);
	if (wanted.length === 0) return made;
	const answers = await translate(wanted);
	let next = 0;
	for (const { piece, parts } of cut) {
		let isChanged = false;
		const joined = parts
			.map(({ text, isWords }) => {
				if (!isWords) return text;
				const answer = padded(answers[next++] ?? text, text);
				// Of the last parts each may stay as it was, the others are translated.
				if (isLast && faultOf({ ...piece, text, ...onlyWords }, answer, rules)) return text;
				isChanged ||= answer !== text;
				return answer;
			})
			.join('');
		if (isChanged && faultOf(piece, joined, rules) === undefined) made.set(piece, joined);
	}
	return made;
}

function sentencesOf({ text }: Piece): Part[] {
	return splitSentences(text, 'en').map(([start, end]) => ({
		text: text.slice(start, end),
		isWords: /\p{L}{2}/u.test(text.slice(start, end)),
	}));
}

function partsOf({ text, delimiters }: Piece): Part[] {
	const parts: Part[] = [];
	let next = 0;
	const add = (part: string) => {
		if (part !== '') parts.push({ text: part, isWords: /\p{L}{2}/u.test(part) });
	};
	for (const match of delimiters ? text.matchAll(delimiters) : []) {
		add(text.slice(next, match.index));
		parts.push({ text: match[0], isWords: false });
		next = match.index + match[0].length;
	}
	add(text.slice(next));
	return parts;
}
