/**
 * CSV and TSV: the cells of named columns, or of the target language's column what is empty, from the column of
 * another language. Delimiters, quotes, other cells and line ends stay.
 */

import { AppError } from '../../protocol/errors.ts';
import type { GateRules } from '../gate/gate.ts';
import { gateRules } from '../gate/gateRules.ts';
import { canonicalLanguage, languageCodes, sameLanguage } from '../languageCodes.ts';
import { delimitedRows, delimiterOf, firstRowAt, type TableCell } from './delimitedRows.ts';
import { isProse } from './isProse.ts';
import type { Extract, Piece } from './piece.ts';

function encoded(made: string, delimiter: string, wasQuoted: boolean): string {
	const needs =
		wasQuoted || made.includes(delimiter) || /["\r\n]/.test(made) || made !== made.trim();
	return needs ? `"${made.replaceAll('"', '""')}"` : made;
}

/** What spreadsheets take for a formula: no translation becomes one. */
const formulaSign = (text: string): string | undefined => /^[=+\-@\t\r＝＋－＠]/.exec(text)?.[0];
const isWholeOf =
	(source: string) =>
	(made: string): boolean => {
		const sign = formulaSign(made);
		return sign === undefined || sign === formulaSign(source);
	};

function tableExtract(delimiters: (text: string) => string, columns: readonly string[]): Extract {
	return (text, to) => {
		if (text.trim() === '') return [];
		const delimiter = delimiters(text);
		const [head = [], ...rows] = delimitedRows(text, delimiter);
		const names = head.map((cell) => cell.text.trim());
		const encodeOf =
			({ isQuoted }: TableCell) =>
			(made: string) =>
				encoded(made, delimiter, isQuoted);
		const isOpen = ({ start, end, isQuoted }: TableCell) =>
			isQuoted && text.slice(start, end).split('"').length % 2 === 0;
		const unreadOf = (cell: TableCell) =>
			isOpen(cell) ? { unread: 'a quote is not closed before the end' } : {};
		const wanted = columns.map((name) => placeOf(names, name));
		if (wanted.length > 0)
			return rows.flatMap((row) =>
				[...new Set(wanted)]
					.sort((a, b) => a - b)
					.flatMap((at): Piece[] => {
						const cell = row[at];
						if (!cell || !isProse(cell.text.trim())) return [];
						const { start, end, text: own } = cell;
						const isWhole = isWholeOf(own);
						const place = { start, end, text: own, isWhole, encode: encodeOf(cell) };
						return [{ ...place, ...unreadOf(cell) }];
					}),
			);
		const { from, into } = languageColumns(names, to);
		return rows.flatMap((row): Piece[] => {
			const [source, target, last] = [row[from], row[into], row.at(-1)];
			if (!source || !last || (target?.text ?? '').trim() !== '' || !isProse(source.text.trim()))
				return [];
			// A column that was added to the first line has no cells in the others yet.
			const before = delimiter.repeat(Math.max(0, into - row.length + 1));
			const { start, end } = target ?? { start: last.end, end: last.end };
			return [
				{
					...{ start, end, isNew: true, text: source.text },
					...unreadOf(last),
					isWhole: isWholeOf(source.text),
					encode: (made) => before + encoded(made, delimiter, source.isQuoted),
				},
			];
		});
	};
}

function placeOf(names: readonly string[], name: string): number {
	const exact = names.indexOf(name);
	const at =
		exact >= 0 ? exact : names.findIndex((one) => one.toLowerCase() === name.toLowerCase());
	if (at >= 0) return at;
	throw noColumn(`There is no column ${JSON.stringify(name.slice(0, 60))}`, names);
}

/** What columns are called that have keys or numbers; Indonesian and Norwegian have the same codes. */
const keyNames = new Set(['id', 'no']);

const isKeys = (name: string | undefined): boolean => keyNames.has((name ?? '').toLowerCase());

/** Codes of languages that are words of English, as columns of data are called. */
const wordNames = new Set(['am', 'as', 'he', 'hi', 'is', 'it', 'my', 'or', 'run', 'so', 'to']);

const knownOf = (type: 'region' | 'script') =>
	new Intl.DisplayNames(['en'], { type, fallback: 'none' });
const [knownRegions, knownScripts] = [knownOf('region'), knownOf('script')];

const titled = (code: string): string => code[0]?.toUpperCase() + code.slice(1).toLowerCase();

/** The language that the name of a column is the code of: `de`, `pt_BR`, `zh-hans`, and not `is_active`. */
function languageOf(name: string): string | undefined {
	const [, language, script, region] =
		/^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?$/i.exec(name) ?? [];
	if (language === undefined) return undefined;
	if (script !== undefined && knownScripts.of(titled(script)) === undefined) return undefined;
	if (region !== undefined && !isRegionOf(region, language)) return undefined;
	return canonicalLanguage(name.replaceAll('_', '-'));
}

/** Whether a region is one, and no word: in small letters (`as_of`, `to_do`) only that which speaks the language. */
function isRegionOf(region: string, language: string): boolean {
	const known = region.toUpperCase();
	if (knownRegions.of(known) === undefined) return false;
	const isWritten = region === known && language === language.toLowerCase();
	const spoken = () => new Intl.Locale(`und-${known}`).maximize().language;
	const codes = languageCodes.map((code) => code.toLowerCase());
	const whole = `${language}-${known}`.toLowerCase();
	return isWritten || codes.includes(whole) || sameLanguage(spoken(), language);
}

/** Whether a name is that of a language and nothing else: `DE, FR` are countries as well. */
function isCertain(name: string, language: string | undefined): boolean {
	if (language === undefined || isKeys(name) || wordNames.has(name.toLowerCase())) return false;
	return sameLanguage(language, 'en') || !/^[A-Z]{2}$/.test(name);
}

/** The language of each column whose name is the code of one. */
const languagesOf = (names: readonly string[]): (string | undefined)[] => names.map(languageOf);

/** The column that others are translated from: English, else the first that is no column of keys. */
function sourceColumn(
	names: readonly string[],
	languages: readonly (string | undefined)[],
	into: number,
): number | undefined {
	const others = [...languages.keys()].filter((at) => languages[at] !== undefined && at !== into);
	const named = others.filter((at) => !isKeys(names[at]));
	return (
		named.find((at) => sameLanguage(languages[at] ?? '', 'en')) ??
		named.find((at) => isCertain(names[at] ?? '', languages[at])) ??
		named[0] ??
		others[0]
	);
}

/** The columns of two languages, where their names are codes. */
function languageColumns(names: readonly string[], to: string | undefined) {
	const languages = languagesOf(names);
	const into = languages.findIndex(
		(one) => one !== undefined && to !== undefined && sameLanguage(one, to),
	);
	const from = sourceColumn(names, languages, into);
	if (into >= 0 && from !== undefined) return { from, into, languages };
	const isOfLanguages = from !== undefined && !isKeys(names[from]);
	throw noColumn(
		isOfLanguages && to !== undefined
			? `There is no column ${JSON.stringify(to)} to be filled, and nobody said which column has words`
			: 'Nobody said which column has words',
		names,
	);
}

const headOf = (rows: readonly TableCell[][]): string[] =>
	(rows[0] ?? []).map((cell) => cell.text.trim());

/**
 * Languages whose columns of a table can be filled from another one; none where columns are not certainly languages.
 *
 * @param source Language that somebody names for the texts; English is one that tables have.
 */
export function tableLanguages(text: string, isTsv: boolean, source = 'en'): string[] {
	const first = firstRowAt(text);
	const end = text.slice(first).search(/[\r\n]/);
	const line = end < 0 ? text : text.slice(0, first + end);
	const names = headOf(delimitedRows(line, isTsv ? '\t' : delimiterOf(line)));
	const languages = languagesOf(names);
	const certain = languages.filter((language, at) => isCertain(names[at] ?? '', language));
	const isSource = (one = '') => sameLanguage(one, source) || sameLanguage(one, 'en');
	if (certain.length < 2 && !certain.some(isSource)) return [];
	const from = sourceColumn(names, languages, -1);
	const found = languages.flatMap((language, at) =>
		language === undefined || at === from || isKeys(names[at]) ? [] : [language],
	);
	return found.sort();
}

/** The rows of a table that have both a text and its translation. */
export function tablePairs(
	text: string,
	to: string,
	isTsv: boolean,
): { at: number; source: string; target: string }[] {
	const rows = delimitedRows(text, isTsv ? '\t' : delimiterOf(text));
	const { from, into } = languageColumns(headOf(rows), to);
	return rows.slice(1).flatMap((row) => {
		const [source, target] = [row[from], row[into]];
		if (!source || !target || target.text.trim() === '' || !isProse(source.text.trim())) return [];
		return [{ at: target.start, source: source.text, target: target.text }];
	});
}

function noColumn(what: string, names: readonly string[]): AppError {
	const shown = names.slice(0, 20).map((name) => name.slice(0, 40));
	return new AppError(
		'invalid_request',
		`${what}. Name it: --column NAME on the command line, "columns" in a request. The columns are: ${shown.join(', ')}.`,
		{ param: 'columns' },
	);
}

const table = (delimiters: (text: string) => string, rules: GateRules): Extract =>
	Object.assign(tableExtract(delimiters, []), {
		rules,
		sourceLanguage: (text: string, to: string) => {
			const names = headOf(delimitedRows(text, delimiters(text)));
			const { from, languages } = languageColumns(names, to);
			return isKeys(names[from]) ? undefined : languages[from];
		},
		forColumns: (columns: readonly string[]) =>
			Object.assign(tableExtract(delimiters, columns), { rules }),
	});

export const extractCsv = table(delimiterOf, gateRules.csv);
export const extractTsv = table(() => '\t', gateRules.tsv);
