/** Translation memories: sentences with their stored translation, from TSV, CSV or TMX. */

import { Parser } from 'htmlparser2';
import { pairRows } from './glossary.ts';
import { canonicalLanguage } from './languageCodes.ts';

export interface MemoryPair {
	readonly source: string;
	readonly target: string;
}

/** Pairs of a table: source, target. Throws as {@link pairRows}. */
export function tableMemory(text: string, separator: '\t' | ',', name?: string): MemoryPair[] {
	return pairRows(text, separator, name).flatMap(([source = '', target = '']) =>
		source === '' || target === '' ? [] : [{ source, target }],
	);
}

/** Pairs of a TMX document for one pair of languages. */
export function tmxMemory(text: string, source: string, target: string): MemoryPair[] {
	const pairs: MemoryPair[] = [];
	let unit = new Map<string, string>();
	let language = '';
	let inSegment = false;
	let buffer = '';
	const parser = new Parser(
		{
			onopentag(name, attributes) {
				if (name === 'tu') unit = new Map();
				if (name === 'tuv')
					language = canonicalLanguage(attributes['xml:lang'] ?? attributes['lang'] ?? '') ?? '';
				if (name === 'seg') {
					inSegment = true;
					buffer = '';
				}
			},
			ontext(part) {
				if (inSegment) buffer += part;
			},
			onclosetag(name) {
				if (name === 'seg') {
					inSegment = false;
					unit.set(language, buffer.trim());
				}
				const from = unit.get(source);
				const to = unit.get(target);
				if (name === 'tu' && from && to) pairs.push({ source: from, target: to });
			},
		},
		{ xmlMode: true, decodeEntities: true },
	);
	parser.end(text);
	return pairs;
}

/** Words of a sentence that tell it from others. */
const wordsOf = (text: string): Set<string> =>
	new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]{2,}|\p{Script=Han}/gu) ?? []);

/** Pairs that are looked at for one sentence. */
const maxCompared = 400;

/** Finds the pairs whose source is most like a sentence: at least a third of the words of both are the same. */
export function memoryNeighbours(
	pairs: readonly MemoryPair[],
	count = 3,
): (sentence: string) => readonly MemoryPair[] {
	let byWord: ReadonlyMap<string, readonly number[]> | undefined;
	const indexed = () => {
		const found = new Map<string, number[]>();
		for (const [place, { source }] of pairs.entries())
			for (const word of wordsOf(source)) {
				const places = found.get(word);
				if (places) places.push(place);
				else found.set(word, [place]);
			}
		return found;
	};
	return (sentence) => {
		byWord ??= indexed();
		const words = wordsOf(sentence);
		const shared = new Map<number, number>();
		// Rare words say most, and frequent ones would lead to every pair.
		const places = [...words]
			.map((word) => byWord?.get(word) ?? [])
			.sort((a, b) => a.length - b.length);
		for (const list of places)
			for (const place of list.slice(0, maxCompared)) {
				const known = shared.get(place);
				if (known === undefined && shared.size >= maxCompared) break;
				shared.set(place, (known ?? 0) + 1);
			}
		return [...shared]
			.flatMap(([place, same]) => {
				const pair = pairs[place];
				const all = pair ? wordsOf(pair.source).size + words.size - same : 1;
				return pair && same / all >= 1 / 3 ? [{ pair, likeness: same / all }] : [];
			})
			.sort((a, b) => b.likeness - a.likeness)
			.slice(0, count)
			.map(({ pair }) => pair);
	};
}

/** Looks sentences up; only white space may differ. */
export function memoryLookup(
	pairs: readonly MemoryPair[],
): (sentence: string) => string | undefined {
	const normal = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();
	const known = new Map(pairs.map(({ source, target }) => [normal(source), target]));
	return (sentence) => known.get(normal(sentence));
}
