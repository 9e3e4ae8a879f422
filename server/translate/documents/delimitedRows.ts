/** CSV and TSV as rows of cells with their offsets. */

/** A cell with its quotes. */
export interface TableCell {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	readonly isQuoted: boolean;
}

/** A first line by which Excel is told the delimiter. */
const delimiterLine = /^\ufeff?sep=([^\r\n])(?:\r\n|\n|\r|$)/i;

/** Where the rows of a table begin. */
export const firstRowAt = (text: string): number =>
	delimiterLine.exec(text.slice(0, 10))?.[0].length ?? (text.startsWith('\ufeff') ? 1 : 0);

/** Rows in order. A quote that is not closed reaches to the end. */
export function delimitedRows(text: string, delimiter: string): TableCell[][] {
	const rows: TableCell[][] = [];
	let row: TableCell[] = [];
	let at = firstRowAt(text);
	while (at <= text.length) {
		const start = at;
		let value = '';
		const isQuoted = text[at] === '"';
		if (isQuoted) {
			for (at++; at < text.length; ) {
				const quote = text.indexOf('"', at);
				const end = quote < 0 ? text.length : quote;
				value += text.slice(at, end);
				at = end + 1;
				if (text[at] !== '"' || quote < 0) break;
				value += '"';
				at++;
			}
			at = Math.min(at, text.length);
		}
		const from = at;
		while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r')
			at++;
		row.push({ start, end: at, text: value + text.slice(from, at), isQuoted });
		if (text[at] === delimiter) {
			at++;
			continue;
		}
		rows.push(row);
		row = [];
		if (at >= text.length) break;
		at += text.startsWith('\r\n', at) ? 2 : 1;
		if (at === text.length) break;
	}
	return rows;
}

/** The sign that a line says, or else that stands most often in the first one. */
export function delimiterOf(text: string): string {
	const [, said] = delimiterLine.exec(text.slice(0, 10)) ?? [];
	if (said !== undefined) return said;
	const end = text.search(/[\r\n]/);
	const line = (end < 0 ? text : text.slice(0, end)).replace(/"[^"]*"/g, '');
	const count = (sign: string) => line.split(sign).length;
	return [',', ';', '\t', '|'].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}
