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
						return [{ start: cell.start, end: cell.end, text: cell.text, encode: encodeOf(cell) }];
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

/** The columns of two languages, where their names are codes. */
function languageColumns(names: readonly string[], to: string | undefined) {
	const languages = names.map((name) =>
		/^[a-z]{2,3}(?:[-_]\w{2,8})*$/i.test(name)
			? canonicalLanguage(name.replaceAll('_', '-'))
			: undefined,
	);
	const into = languages.findIndex(
		(one) => one !== undefined && to !== undefined && sameLanguage(one, to),
	);
	const others = [...languages.keys()].filter((at) => languages[at] !== undefined && at !== into);
	const from = others.find((at) => sameLanguage(languages[at] ?? '', 'en')) ?? others[0];
	if (into < 0 || from === undefined) throw noColumn('Nobody said which column has words', names);
	return { from, into };
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
