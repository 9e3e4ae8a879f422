/**
 * Which target words a source word may become: a table beside the model, learned from the model's own
 * translations. With it a step computes the likelihood of some hundred words instead of all.
 */

import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import { readTextFile } from '../folder/json.ts';

/** File in the model's folder. */
export const lexiconFile = 'nearglot-lexicon.json';
/** Share of texts whose greedy translation the table may change before it is not used. */
export const mostChanged = 0.01;
/** Words known for every source word. */
const wordsPerSource = 48;
/** Words that may always be said. */
const alwaysAllowed = 2000;

export interface Lexicon {
	readonly vocabulary: number;
	/** Words frequent in any text. */
	readonly frequent: readonly number[];
	readonly targets: ReadonlyMap<number, readonly number[]>;
	/** Share of texts, not learned from, that it translated otherwise. */
	readonly changed: number;
	readonly texts: number;
}

/** Words for any text that the vocabulary has. */
export function frequentWords({ frequent, vocabulary }: Lexicon): ReadonlySet<number> {
	return new Set(frequent.filter((id) => id < vocabulary));
}

/** The words for a batch of sources, ascending. */
export function shortlistOf(
	lexicon: Lexicon,
	sources: Iterable<readonly number[]>,
	always: Iterable<number>,
): number[] {
	const words = new Set<number>(lexicon.frequent);
	for (const id of always) words.add(id);
	for (const source of sources) {
		for (const id of source) for (const word of lexicon.targets.get(id) ?? []) words.add(word);
	}
	return [...words].filter((id) => id < lexicon.vocabulary).sort((a, b) => a - b);
}

/** Learns a table from pairs of source and target ids. */
export function learnLexicon(
	pairs: Iterable<{ readonly source: readonly number[]; readonly target: readonly number[] }>,
	vocabulary: number,
): Lexicon {
	const frequency = new Map<number, number>();
	const together = new Map<number, Map<number, number>>();
	let texts = 0;
	for (const { source, target } of pairs) {
		texts++;
		const words = new Set(target);
		for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
		for (const id of new Set(source)) {
			const own = together.get(id) ?? new Map<number, number>();
			for (const word of words) own.set(word, (own.get(word) ?? 0) + 1);
			together.set(id, own);
		}
	}
	const frequent = [...frequency]
		.sort(([a, x], [b, y]) => y - x || a - b)
		.slice(0, Math.min(alwaysAllowed, Math.ceil(vocabulary / 8)))
		.map(([word]) => word);
	const known = new Set(frequent);
	const targets = new Map<number, readonly number[]>();
	for (const [id, own] of together) {
		// How much oftener than by chance: n(source, word)² / n(word) prefers the word's own sources.
		const best = [...own]
			.filter(([word]) => !known.has(word))
			.map(([word, count]) => ({ word, score: count ** 2 / (frequency.get(word) ?? 1) }))
			.sort((a, b) => b.score - a.score || a.word - b.word)
			.slice(0, wordsPerSource);
		targets.set(
			id,
			best.map(({ word }) => word),
		);
	}
	return { vocabulary, frequent, targets, changed: 1, texts };
}

/**
 * Share of texts whose greedy translation would be another one: those of words the table knows all
 * of, and whose translation has a word that is not on their shortlist.
 */
export function changedShare(
	lexicon: Lexicon,
	pairs: readonly { readonly source: readonly number[]; readonly target: readonly number[] }[],
	always: readonly number[],
): number {
	const changed = pairs.filter(({ source, target }) => {
		if (!knowsAll(lexicon, source)) return false;
		const words = new Set(shortlistOf(lexicon, [source], always));
		return target.some((word) => !words.has(word));
	});
	return pairs.length === 0 ? 1 : changed.length / pairs.length;
}

/** True when every word of a source was seen while learning; others are translated with all words. */
export function knowsAll(lexicon: Lexicon, source: readonly number[]): boolean {
	return source.every((id) => lexicon.targets.has(id));
}

/** Table of a folder; `undefined` when there is none, or it is of another vocabulary or not faithful. */
export async function readLexicon(
	folder: string,
	vocabulary: number,
): Promise<Lexicon | undefined> {
	const text = await readTextFile(folder, lexiconFile);
	if (text === undefined) return undefined;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw unreadable();
	}
	const lexicon = parse(value);
	if (lexicon === undefined) throw unreadable();
	return lexicon.vocabulary === vocabulary && lexicon.changed <= mostChanged ? lexicon : undefined;
}

/** Writes the table of a folder, whole or not at all. */
export async function writeLexicon(folder: string, lexicon: Lexicon): Promise<void> {
	const path = join(folder, lexiconFile);
	const temporary = `${path}.${process.pid}.tmp`;
	const { targets, ...rest } = lexicon;
	try {
		await writeFile(temporary, JSON.stringify({ ...rest, targets: [...targets] }));
		await rename(temporary, path);
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
}

function parse(value: unknown): Lexicon | undefined {
	const { vocabulary, frequent, targets, changed, texts } = (value ?? {}) as Record<
		string,
		unknown
	>;
	const isIds = (list: unknown): list is number[] =>
		Array.isArray(list) && list.every((id) => Number.isInteger(id) && id >= 0);
	if (typeof vocabulary !== 'number' || typeof changed !== 'number' || !isIds(frequent))
		return undefined;
	if (!Array.isArray(targets)) return undefined;
	const table = new Map<number, readonly number[]>();
	for (const entry of targets) {
		if (!Array.isArray(entry) || !Number.isInteger(entry[0]) || !isIds(entry[1])) return undefined;
		table.set(entry[0], entry[1]);
	}
	return { vocabulary, frequent, targets: table, changed, texts: Number(texts) || 0 };
}

function unreadable(): AppError {
	return new AppError(
		'unsupported_model',
		`The file ${lexiconFile} of the model cannot be read; remove it or make it again with 'nearglot models shortlist'.`,
	);
}
