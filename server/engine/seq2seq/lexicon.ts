/**
 * Which target tokens a source token may become: a table beside the model, learned from the model's own
 * translations. With it a step computes the likelihood of some hundred tokens instead of all.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import { movePath, removePath } from '../../store/movePath.ts';
import { readBinaryFile, readJsonFile, readTextFile } from '../modelFiles/json.ts';
import { readLexicalShortlist } from './lexicalShortlist.ts';

/** File in the model's folder. */
export const lexiconFile = 'nearglot-lexicon.json';
/** The same as published beside students: `lex.50.50.ende.s2t.bin`. */
export const shortlistFile = 'lex.s2t.bin';
/** Share of texts whose greedy translation the table may change before it is not used. */
export const maxChanged = 0.01;
/** Tokens known for every source token. */
const tokensPerSource = 48;
/** Tokens that may always be generated. */
const alwaysAllowed = 2000;

/** Target tokens by source token. */
export interface Targets {
	has(id: number): boolean;
	get(id: number): Iterable<number> | undefined;
}

/** A table that was learned here. */
export interface LearnedLexicon extends Lexicon {
	readonly targets: ReadonlyMap<number, readonly number[]>;
}

export interface Lexicon {
	readonly vocabulary: number;
	/** Tokens frequent in any text. */
	readonly frequent: readonly number[];
	readonly targets: Targets;
	/** Source tokens are target tokens as well, and may come back as they are. */
	readonly sharesVocabulary?: boolean;
	/** Share of texts, not learned from, that it translated otherwise. */
	readonly changed: number;
	readonly texts: number;
}

/** Tokens for any text that the vocabulary has. */
export function frequentTokens({ frequent, vocabulary }: Lexicon): ReadonlySet<number> {
	return new Set(frequent.filter((id) => id < vocabulary));
}

/** The tokens for a batch of sources, ascending. */
export function shortlistOf(
	lexicon: Lexicon,
	sources: Iterable<readonly number[]>,
	always: Iterable<number>,
): number[] {
	const tokens = new Set<number>(lexicon.frequent);
	for (const id of always) tokens.add(id);
	for (const source of sources) {
		for (const id of source) for (const token of lexicon.targets.get(id) ?? []) tokens.add(token);
	}
	return [...tokens].filter((id) => id < lexicon.vocabulary).sort((a, b) => a - b);
}

/** Learns a table from pairs of source and target ids. */
export function learnLexicon(
	pairs: Iterable<{ readonly source: readonly number[]; readonly target: readonly number[] }>,
	vocabulary: number,
): LearnedLexicon {
	const frequency = new Map<number, number>();
	const cooccurrences = new Map<number, Map<number, number>>();
	let texts = 0;
	for (const { source, target } of pairs) {
		texts++;
		const tokens = new Set(target);
		for (const token of tokens) frequency.set(token, (frequency.get(token) ?? 0) + 1);
		for (const id of new Set(source)) {
			const own = cooccurrences.get(id) ?? new Map<number, number>();
			for (const token of tokens) own.set(token, (own.get(token) ?? 0) + 1);
			cooccurrences.set(id, own);
		}
	}
	const frequent = [...frequency]
		.sort(([a, x], [b, y]) => y - x || a - b)
		.slice(0, Math.min(alwaysAllowed, Math.ceil(vocabulary / 8)))
		.map(([token]) => token);
	const known = new Set(frequent);
	const targets = new Map<number, readonly number[]>();
	for (const [id, own] of cooccurrences) {
		// How much oftener than by chance: n(source, token)² / n(token) prefers the token's own sources.
		const best = [...own]
			.filter(([token]) => !known.has(token))
			.map(([token, count]) => ({ token: token, score: count ** 2 / (frequency.get(token) ?? 1) }))
			.sort((a, b) => b.score - a.score || a.token - b.token)
			.slice(0, tokensPerSource);
		targets.set(
			id,
			best.map(({ token }) => token),
		);
	}
	return { vocabulary, frequent, targets, changed: 1, texts };
}

/**
 * Share of texts whose greedy translation would be another one: those of tokens the table knows all
 * of, and whose translation has a token that is not on their shortlist.
 */
export function changedShare(
	lexicon: Lexicon,
	pairs: readonly { readonly source: readonly number[]; readonly target: readonly number[] }[],
	always: readonly number[],
): number {
	const changed = pairs.filter(({ source, target }) => {
		if (!knowsAll(lexicon, source)) return false;
		const tokens = new Set(shortlistOf(lexicon, [source], always));
		return target.some((token) => !tokens.has(token));
	});
	return pairs.length === 0 ? 1 : changed.length / pairs.length;
}

/** True if every token of a source was seen while learning; others are translated with all tokens. */
export function knowsAll(lexicon: Lexicon, source: readonly number[]): boolean {
	return source.every((id) => lexicon.targets.has(id));
}

/** Table of a folder; `undefined` if there is none, or it is of another vocabulary or not faithful. */
export async function readLexicon(
	folder: string,
	vocabulary: number,
): Promise<Lexicon | undefined> {
	const text = await readTextFile(folder, lexiconFile);
	if (text === undefined) return readPublished(folder, vocabulary);
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw unreadable();
	}
	const lexicon = parse(value);
	if (lexicon === undefined) throw unreadable();
	return lexicon.vocabulary === vocabulary && lexicon.changed <= maxChanged ? lexicon : undefined;
}

/** The table that a model was published with. */
async function readPublished(folder: string, vocabulary: number): Promise<Lexicon | undefined> {
	const bytes = await readBinaryFile(folder, shortlistFile);
	if (bytes === undefined) return undefined;
	const { first, offsets, words } = readLexicalShortlist(bytes, shortlistFile);
	if (words.some((id) => id >= vocabulary)) return undefined;
	const lists = offsets.length - 1;
	const tokenizer = await readJsonFile(folder, 'tokenizer_config.json');
	return {
		vocabulary,
		frequent: Array.from({ length: Math.min(first, vocabulary) }, (_, id) => id),
		targets: {
			has: (id) => id < lists,
			get: (id) => (id < lists ? words.subarray(offsets[id], offsets[id + 1]) : undefined),
		},
		sharesVocabulary: tokenizer?.separate_vocabs !== true,
		changed: 0,
		texts: 0,
	};
}

/** Writes the table of a folder, whole or not at all. */
export async function writeLexicon(folder: string, lexicon: LearnedLexicon): Promise<void> {
	const path = join(folder, lexiconFile);
	const temporary = `${path}.${process.pid}.tmp`;
	const { targets, ...rest } = lexicon;
	try {
		await writeFile(temporary, JSON.stringify({ ...rest, targets: [...targets] }));
		await movePath(temporary, path);
	} catch (error) {
		await removePath(temporary, { force: true });
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
