/**
 * CSV and TSV: the cells of named columns, or of the target language's column what is empty, from the column of
 * another language. Delimiters, quotes, other cells and line ends stay.
 */

import { AppError } from '../../protocol/errors.ts';
import type { GateRules } from '../gate/gate.ts';
import { gateRules } from '../gate/gateRules.ts';
import { canonicalLanguage, sameLanguage } from '../languageCodes.ts';
import { delimitedRows, delimiterOf, type TableCell } from './delimitedRows.ts';
import { isProse } from './isProse.ts';
import type { Extract, Piece } from './piece.ts';

function encoded(made: string, delimiter: string, wasQuoted: boolean): string {
	const needs =
		wasQuoted || made.includes(delimiter) || /["\r\n]/.test(made) || made !== made.trim();
	return needs ? `"${made.replaceAll('"', '""')}"` : made;
}

/** What spreadsheets take for a formula: no translation becomes one. */
const beginsFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);
const isWholeOf =
	(source: string) =>
	(made: string): boolean =>
		beginsFormula(source) || !beginsFormula(made);

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
						return [{ start, end, text: own, isWhole, encode: encodeOf(cell) }];
					}),
			);
		const { from, into } = languageColumns(names, to);
		return rows.flatMap((row): Piece[] => {
			const [source, target] = [row[from], row[into]];
			if (!source || !target || target.text.trim() !== '' || !isProse(source.text.trim()))
				return [];
			const place = { start: target.start, end: target.end };
			return [
				{
					...place,
					text: source.text,
					isWhole: isWholeOf(source.text),
					encode: (made) => encoded(made, delimiter, source.isQuoted),
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

/** The language of each column whose name is the code of one. */
const languagesOf = (names: readonly string[]): (string | undefined)[] =>
	names.map((name) =>
		/^[a-z]{2,3}(?:[-_]\w{2,8})*$/i.test(name)
			? canonicalLanguage(name.replaceAll('_', '-'))
			: undefined,
	);

/** The column that others are translated from: English, else the first that is no column of keys. */
function sourceColumn(
	names: readonly string[],
	languages: readonly (string | undefined)[],
	into: number,
): number | undefined {
	const others = [...languages.keys()].filter((at) => languages[at] !== undefined && at !== into);
	const named = others.filter((at) => !keyNames.has((names[at] ?? '').toLowerCase()));
	return named.find((at) => sameLanguage(languages[at] ?? '', 'en')) ?? named[0] ?? others[0];
}

/** The columns of two languages, where their names are codes. */
function languageColumns(names: readonly string[], to: string | undefined) {
	const languages = languagesOf(names);
	const into = languages.findIndex(
		(one) => one !== undefined && to !== undefined && sameLanguage(one, to),
	);
	const from = sourceColumn(names, languages, into);
	if (into >= 0 && from !== undefined) return { from, into };
	const isOfLanguages = from !== undefined && !keyNames.has((names[from] ?? '').toLowerCase());
	throw noColumn(
		isOfLanguages && to !== undefined
			? `There is no column ${JSON.stringify(to)} to be filled, and nobody said which column has words`
			: 'Nobody said which column has words',
		names,
	);
}

const headOf = (rows: readonly TableCell[][]): string[] =>
	(rows[0] ?? []).map((cell) => cell.text.trim());

/** Languages whose columns of a table can be filled from another one; none where no columns are languages. */
export function tableLanguages(text: string, isTsv: boolean): string[] {
	const end = text.search(/[\r\n]/);
	const line = end < 0 ? text : text.slice(0, end);
	const names = headOf(delimitedRows(line, isTsv ? '\t' : delimiterOf(line)));
	const languages = languagesOf(names);
	const from = sourceColumn(names, languages, -1);
	const found = languages.flatMap((language, at) =>
		language === undefined || at === from || keyNames.has((names[at] ?? '').toLowerCase())
			? []
			: [language],
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
		forColumns: (columns: readonly string[]) =>
			Object.assign(tableExtract(delimiters, columns), { rules }),
	});

export const extractCsv = table(delimiterOf, gateRules.csv);
export const extractTsv = table(() => '\t', gateRules.tsv);
