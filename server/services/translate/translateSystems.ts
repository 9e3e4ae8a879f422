/**
 * Custom systems: a category is a folder with a `system.json` that names, per pair of languages, an
 * own model, glossaries and translation memories. They are re-read when the folder changes.
 */

import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, isAbsolute, join } from 'node:path';
import { defined } from '../../protocol/defined.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError, systemError } from '../../protocol/index.ts';
import { pushAll } from '../../protocol/lists.ts';
import { genders, tones } from '../../protocol/tones.ts';
import { changeFile, withLock } from '../../store/changeFile.ts';
import { removePath } from '../../store/movePath.ts';
import { type Term, tableTerms, tbxTerms, termFinder } from '../../translate/glossary.ts';
import { canonicalLanguage } from '../../translate/languageCodes.ts';
import type { Fixed } from '../../translate/mask.ts';
import {
	type MemoryPair,
	memoryLookup,
	memoryNeighbours,
	tableMemory,
	tmxMemory,
} from '../../translate/memory.ts';
import type { Gender, Tone } from './translateRequest.ts';

/** What a category brings for one pair of languages. */
export interface CustomSystem {
	readonly category: string;
	/** Name of its own model for the pair, as the model host knows it. */
	readonly model?: string;
	/** Prescribed terms in a text. */
	readonly terms?: (text: string) => readonly Fixed[];
	/** The stored translation of a sentence, when there is one. */
	readonly memory?: (sentence: string) => string | undefined;
	/** Stored sentences like one, with their translation. */
	readonly neighbours?: (sentence: string) => readonly MemoryPair[];
	/** What the texts belong to, how the reader is addressed, and of which gender people are: for chat models. */
	readonly guidance?: SystemGuidance;
	/** A pair that the category has only through English: its system to English, and from there. */
	readonly halves?: readonly [CustomSystem, CustomSystem];
}

/** What a chat model is told of all texts of a pair. */
export interface SystemGuidance {
	readonly description?: string;
	readonly tone?: Tone;
	readonly gender?: Gender;
}

/** The name of a system, or of a model, in a request; `undefined` when nothing can be called so. */
export function categoryName(given: string): string | undefined {
	if (/^chat:[a-z0-9][\w-]{0,63}\/[\w.@+:/-]{1,200}$/i.test(given)) return given;
	const [, name] = /^((?:chat:)?[\w.@+-]{1,100}(?::\d{1,9})?)(?::latest)?$/i.exec(given) ?? [];
	return name;
}

/** The language two halves of a chain meet in. */
export const systemPivot = 'en';

/** One pair of a `system.json`. Paths are relative to the category's folder. */
export interface SystemPair {
	readonly from: string;
	readonly to: string;
	readonly model?: string;
	readonly glossaries: readonly string[];
	readonly memories: readonly string[];
	readonly guidance?: SystemGuidance;
}

export interface CustomSystems {
	/** `undefined` when the category has nothing for the pair; refuses unknown categories (400002). */
	find(category: string, source: string, target: string): Promise<CustomSystem | undefined>;
	list(): Promise<readonly { readonly category: string; readonly pairs: readonly SystemPair[] }[]>;
	/** Terms of all glossaries for a pair. */
	terms(source: string, target: string): Promise<readonly Term[]>;
	/** Languages that glossaries can be searched from and to. */
	dictionaryPairs(): Promise<
		readonly { readonly source: string; readonly targets: readonly string[] }[]
	>;
}

interface Loaded {
	readonly stamp: string;
	readonly terms: readonly Term[];
	readonly memory: readonly MemoryPair[];
	readonly system: CustomSystem;
}

/** @param folder Holds a folder per category. */
export function createCustomSystems(folder: string): CustomSystems {
	const loaded = new Map<string, Loaded>();

	const list: CustomSystems['list'] = async () => {
		const names = await readdir(folder).catch(() => []);
		const found = await Promise.all(
			names.sort().map(async (category) => {
				const text = await readFile(join(folder, category, 'system.json'), 'utf8').catch(
					() => undefined,
				);
				return text === undefined ? [] : [{ category, pairs: parseSystem(text, category) }];
			}),
		);
		return found.flat();
	};

	const load = async (category: string, pair: SystemPair): Promise<Loaded> => {
		const base = join(folder, category);
		const files = [...pair.glossaries, ...pair.memories].map((file) =>
			isAbsolute(file) ? file : join(base, file),
		);
		const stamps = await Promise.all(
			files.map(async (file) => {
				const facts = await stat(file).catch(() => undefined);
				if (!facts)
					throw new AppError(
						'store_unavailable',
						`The file ${file} of category '${category}' cannot be read.`,
						{
							data: { translatorCode: 400079 },
						},
					);
				return `${facts.mtimeMs}:${facts.size}`;
			}),
		);
		const key = `${category} ${pair.from} ${pair.to}`;
		const stamp = JSON.stringify([pair, stamps]);
		const known = loaded.get(key);
		if (known?.stamp === stamp) return known;
		const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
		const terms = files
			.slice(0, pair.glossaries.length)
			.flatMap((file, index) => readTerms(file, texts[index] ?? '', pair));
		const memory = files
			.slice(pair.glossaries.length)
			.flatMap((file, index) =>
				readMemory(file, texts[pair.glossaries.length + index] ?? '', pair),
			);
		const system: CustomSystem = {
			category,
			...defined({ model: pair.model }),
			...(terms.length > 0 ? { terms: termFinder(terms, pair.from) } : {}),
			...(memory.length > 0
				? { memory: memoryLookup(memory), neighbours: memoryNeighbours(memory) }
				: {}),
			...defined({ guidance: pair.guidance }),
		};
		const entry = { stamp, terms, memory, system };
		loaded.set(key, entry);
		return entry;
	};

	return {
		list,
		find: async (category, source, target) => {
			const known = (await list()).find((system) => system.category === category);
			const between = async (a: string, b: string): Promise<CustomSystem | undefined> => {
				const pair = known?.pairs.find(({ from, to }) => from === a && to === b);
				return pair && (await load(category, pair)).system;
			};
			const direct = await between(source, target);
			if (direct || source === systemPivot || target === systemPivot) return direct;
			const first = await between(source, systemPivot);
			const second = first && (await between(systemPivot, target));
			return first && second && chained(first, second);
		},
		terms: async (source, target) => {
			const all = await list();
			const found = await Promise.all(
				all.flatMap(({ category, pairs }) =>
					pairs
						.filter(({ from, to }) => from === source && to === target)
						.map(async (pair) => (await load(category, pair)).terms),
				),
			);
			return found.flat();
		},
		dictionaryPairs: async () => {
			const targets = new Map<string, Set<string>>();
			for (const { pairs } of await list())
				for (const { from, to, glossaries } of pairs)
					if (glossaries.length > 0) targets.set(from, (targets.get(from) ?? new Set()).add(to));
			return [...targets].map(([source, set]) => ({ source, targets: [...set].sort() }));
		},
	};
}

/**
 * What the files of a pair hold, read as requests read them.
 *
 * @throws AppError that names the file which cannot be read or has nothing for the pair
 */
export async function checkPairFiles(pair: SystemPair): Promise<void> {
	const check = async (file: string, kind: string, count: (text: string) => number) => {
		const text = await readFile(file, 'utf8').catch((error: unknown) => {
			throw systemError(error, { path: file, verb: 'read' }) ?? error;
		});
		if (count(text) === 0)
			throw new AppError(
				'invalid_request',
				`${file} holds no ${kind} from ${pair.from} to ${pair.to}. Tables have the source in the first column and the target in the second.`,
			);
	};
	for (const file of pair.glossaries)
		await check(file, 'terms', (text) => readTerms(file, text, pair).length);
	for (const file of pair.memories)
		await check(file, 'sentences', (text) => readMemory(file, text, pair).length);
}

/**
 * All terms and sentences of a pair, in the order of its files.
 *
 * @throws AppError that names the file which cannot be read
 */
export async function readPairEntries(
	folder: string,
	category: string,
	pair: SystemPair,
): Promise<{ readonly terms: readonly Term[]; readonly memory: readonly MemoryPair[] }> {
	const textOf = async (file: string): Promise<string> => {
		const path = isAbsolute(file) ? file : join(folder, category, file);
		return readFile(path, 'utf8').catch((error: unknown) => {
			throw systemError(error, { path, verb: 'read' }) ?? error;
		});
	};
	const terms: Term[] = [];
	const memory: MemoryPair[] = [];
	for (const file of pair.glossaries) pushAll(terms, readTerms(file, await textOf(file), pair));
	for (const file of pair.memories) pushAll(memory, readMemory(file, await textOf(file), pair));
	return { terms, memory };
}

/** Changes the pairs of a category, which is made when there is none. */
export async function changeSystem(
	folder: string,
	category: string,
	change: (pairs: readonly SystemPair[]) => readonly SystemPair[],
): Promise<void> {
	await changeFile(
		join(folder, category, 'system.json'),
		(text) => {
			const pairs = change(text === undefined ? [] : parseSystem(text, category));
			return `${JSON.stringify({ pairs }, null, '\t')}\n`;
		},
		{ lock: systemsLock(folder) },
	);
}

/** Removes a category with its folder. */
export async function removeSystem(folder: string, category: string): Promise<void> {
	await withLock(systemsLock(folder), () =>
		removePath(join(folder, category), { recursive: true, force: true }),
	);
}

/** One for all categories: a category's own would go with its folder. */
export const systemsLock = (folder: string): string => `${folder}.lock`;

/** Two systems one after the other: terms and sentences count that both of them know. */
function chained(first: CustomSystem, second: CustomSystem): CustomSystem {
	const { terms: toPivot, memory: storedPivot } = first;
	const { terms: fromPivot, memory: stored } = second;
	const terms = (text: string): readonly Fixed[] =>
		(toPivot?.(text) ?? []).flatMap((term) => {
			const whole = fromPivot?.(term.target).find(
				({ start, end }) => start === 0 && end === term.target.length,
			);
			return whole ? [{ ...term, target: whole.target }] : [];
		});
	const memory = (sentence: string): string | undefined => {
		const pivot = storedPivot?.(sentence);
		return pivot === undefined ? undefined : stored?.(pivot);
	};
	return {
		category: first.category,
		halves: [first, second],
		...defined({ guidance: first.guidance ?? second.guidance }),
		...(toPivot && fromPivot ? { terms } : {}),
		...(storedPivot && stored ? { memory } : {}),
	};
}

function readTerms(file: string, text: string, { from, to }: SystemPair): Term[] {
	const kind = extname(file).toLowerCase();
	if (kind === '.tbx' || kind === '.xml') return tbxTerms(text, from, to);
	return tableTerms(text, kind === '.csv' ? ',' : '\t', file);
}

function readMemory(file: string, text: string, { from, to }: SystemPair): MemoryPair[] {
	const kind = extname(file).toLowerCase();
	if (kind === '.tmx' || kind === '.xml') return tmxMemory(text, from, to);
	return tableMemory(text, kind === '.csv' ? ',' : '\t', file);
}

/** Content of a `system.json`; a clear error names the category at fault. */
function parseSystem(text: string, category: string): SystemPair[] {
	const fault = (what: string): AppError =>
		new AppError('invalid_request', `system.json of category '${category}': ${what}`, {
			data: { translatorCode: 400002 },
		});
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw fault('it is not valid JSON.');
	}
	const pairs = (value as { readonly pairs?: unknown } | null)?.pairs;
	if (!Array.isArray(pairs)) throw fault('it has no list "pairs".');
	return pairs.map((pair: Readonly<Record<string, unknown>>) => {
		const from = canonicalLanguage(String(pair['from'] ?? ''));
		const to = canonicalLanguage(String(pair['to'] ?? ''));
		if (from === undefined || to === undefined) throw fault('"from" and "to" must be languages.');
		const names = (key: string): string[] => {
			const list = pair[key] ?? [];
			if (!Array.isArray(list)) throw fault(`"${key}" must be a list of file names.`);
			return list.map(String);
		};
		const model = pair['model'];
		return {
			from,
			to,
			...(typeof model === 'string' ? { model } : {}),
			glossaries: names('glossaries'),
			memories: names('memories'),
			...defined({ guidance: guidanceOf(pair, fault) }),
		};
	});
}

/** What a pair tells chat models, from its own fields. */
function guidanceOf(
	pair: Readonly<Record<string, unknown>>,
	fault: (what: string) => AppError,
): SystemGuidance | undefined {
	const given = pair['guidance'];
	if (given === undefined) return undefined;
	if (!isRecord(given)) throw fault('"guidance" must be an object.');
	const { description, tone, gender } = given;
	if (description !== undefined && typeof description !== 'string')
		throw fault('"description" must be a text.');
	const chosen = <T extends string>(value: unknown, name: string, values: readonly T[]) => {
		const found = values.find((one) => one === value);
		if (value !== undefined && found === undefined)
			throw fault(`"${name}" takes ${values.join(', ')}.`);
		return found;
	};
	return defined({
		description,
		tone: chosen(tone, 'tone', tones),
		gender: chosen(gender, 'gender', genders),
	});
}
