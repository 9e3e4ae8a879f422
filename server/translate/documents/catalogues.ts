/**
 * Files that hold all their languages, so that translations go into them: Apple's `.xcstrings`, and tables with a
 * column for each language.
 */

import { extractCsv, extractTsv, tableLanguages, tablePairs } from './csvDocument.ts';
import type { Extract } from './piece.ts';
import {
	catalogueLanguages,
	cataloguePairs,
	extractStringCatalog,
} from './software/stringCatalog.ts';
import { placeholderFault } from './translationFaults.ts';

/** A text and its translation. */
export interface TextPair {
	/** Where the translation stands, in UTF-16 units. */
	readonly at: number;
	readonly source: string;
	readonly target: string;
}

export interface TextCatalogue {
	readonly extract: Extract;
	/** Languages (BCP 47) that translations can go into, in order of the alphabet; of tables, `source` may be named. */
	readonly languages: (text: string, source?: string) => string[];
	/** Texts that have a translation into a language. */
	readonly pairs: (text: string, to: string) => readonly TextPair[];
}

const table = (extract: Extract, isTsv: boolean): TextCatalogue => ({
	extract,
	languages: (text, source) => tableLanguages(text, isTsv, source),
	pairs: (text, to) => tablePairs(text, to, isTsv),
});

const kinds: ReadonlyMap<string, TextCatalogue> = new Map([
	[
		'xcstrings',
		{ extract: extractStringCatalog, languages: catalogueLanguages, pairs: cataloguePairs },
	],
	['csv', table(extractCsv, false)],
	['tsv', table(extractTsv, true)],
]);

/** How a file that may hold all its languages is read; `undefined` for others. */
export const catalogueOf = (path: string): TextCatalogue | undefined =>
	kinds.get(/\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '');

export const isCatalogue = (path: string): boolean => catalogueOf(path) !== undefined;

/** Tables may as well hold data; what their first line says decides. */
export const isTable = (path: string): boolean => /\.[ct]sv$/i.test(path);

/** A text of a file that lacks a language, or whose translation is broken. */
export interface CatalogueFault {
	readonly kind: 'missing' | 'placeholder';
	readonly at: number;
	/** Source text. */
	readonly text: string;
	/** Part of a sentence: what is wrong beyond the kind. */
	readonly detail?: string;
}

/** @throws AppError `invalid_request` for a table that has no column of the language */
export function catalogueFaults(
	{ extract, pairs }: TextCatalogue,
	text: string,
	to: string,
): CatalogueFault[] {
	const missing = extract(text, to).map(
		({ start, text: words }): CatalogueFault => ({ kind: 'missing', at: start, text: words }),
	);
	const broken = pairs(text, to).flatMap(({ at, source, target }): CatalogueFault[] => {
		const [from, into] = [numbered(source), numbered(target)];
		const detail = placeholderFault({ source: from, target: into, isPlural: false });
		return detail === undefined ? [] : [{ kind: 'placeholder', at, text: source, detail }];
	});
	return [...missing, ...broken].sort((a, b) => a.at - b.at);
}

/** A format of which every conversion says which argument it takes, as translations often do. */
function numbered(format: string): string {
	let next = 0;
	return format.replace(
		/%%|%(?!\d{1,2}\$)((?:\d{0,3}(?:\.\d{1,3})?)(?:ll|[hlqz])?[diouxXeEfgGcs@])(?![A-Za-z])/g,
		(all, rest) => (all === '%%' ? all : `%${++next}$${rest}`),
	);
}
