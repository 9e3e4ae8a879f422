/** Translation memories: sentences with their stored translation, from TSV, CSV or TMX. */

import { Parser } from 'htmlparser2';
import { tableRows } from './glossary.ts';
import { canonicalLanguage } from './languageCodes.ts';

export interface MemoryPair {
	readonly source: string;
	readonly target: string;
}

/** Pairs of a table: source, target. */
export function tableMemory(text: string, separator: '\t' | ','): MemoryPair[] {
	return tableRows(text, separator).flatMap(([source = '', target = '']) =>
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

/** Looks sentences up; only white space may differ. */
export function memoryLookup(
	pairs: readonly MemoryPair[],
): (sentence: string) => string | undefined {
	const normal = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();
	const known = new Map(pairs.map(({ source, target }) => [normal(source), target]));
	return (sentence) => known.get(normal(sentence));
}
