/**
 * The glossary file of a workspace, `.nearglot/glossary.tsv`: a head line with language codes, then
 * one row per term with its word in each of them. `#` begins a remark.
 */

import { type Term, termFinder } from './glossary.ts';
import { canonicalLanguage, primaryLanguage } from './languageCodes.ts';
import type { Fixed } from './mask.ts';
import { mergeSpans, protectedSpans } from './protect.ts';
import { withoutEnd } from './whiteSpace.ts';

/** Path of the file in a workspace folder. */
export const glossaryPath = '.nearglot/glossary.tsv';

/** Something in the file that does not take part. */
export interface GlossaryProblem {
	/** From 0. */
	readonly line: number;
	readonly severity: 'error' | 'warning';
	readonly code: 'head' | 'language' | 'cells' | 'single' | 'conflict' | 'quote';
	/** What the message of the code names. */
	readonly values: readonly string[];
}

interface Row {
	readonly line: number;
	readonly cells: readonly string[];
}

export interface WorkspaceGlossary {
	/** Codes of the head line as they are written there. */
	readonly languages: readonly string[];
	/** Column of a language; −1 when there is none. */
	readonly column: (language: string) => number;
	/** Terms of a column with a word in another one. */
	readonly terms: (from: number, to: number) => readonly Term[];
	readonly problems: readonly GlossaryProblem[];
}

/** Reads the file. Rows with a problem of severity `error` are left out. */
export function parseGlossary(text: string): WorkspaceGlossary {
	const problems: GlossaryProblem[] = [];
	const add = (
		line: number,
		severity: GlossaryProblem['severity'],
		code: GlossaryProblem['code'],
		...values: string[]
	) => problems.push({ line, severity, code, values });
	let head: Row | undefined;
	const rows: Row[] = [];
	text
		.replace(/^\uFEFF/, '')
		.split(/\r\n|\n|\r/)
		.forEach((source, line) => {
			if (source.trim() === '' || /^\s*#/.test(source)) return;
			const cells = source.split('\t').map((cell) => cell.trim());
			if (head) rows.push({ line, cells });
			else head = { line, cells };
		});
	const found = head as Row | undefined;
	const languages = found?.cells ?? [];
	const codes = languages.map((cell) => canonicalLanguage(cell) ?? '');
	if (found && languages.length < 2) add(found.line, 'error', 'head');
	languages.forEach((cell, index) => {
		if (codes[index] === '' || codes.indexOf(codes[index] ?? '') !== index)
			add(found?.line ?? 0, 'error', 'language', cell);
	});
	const good = rows.filter(({ line, cells }) => {
		const filled = cells.filter((cell) => cell !== '');
		if (cells.length > languages.length) add(line, 'error', 'cells', String(languages.length));
		else if (filled.length < 2) add(line, 'warning', 'single');
		else if (cells.some((cell) => /[<>]/.test(cell))) add(line, 'error', 'quote');
		else return true;
		return false;
	});
	const byWord = new Map<string, Row>();
	const kept = good.filter((row) => {
		const column = row.cells.findIndex((cell, index) => {
			const other = cell === '' ? undefined : byWord.get(`${index}\t${cell}`);
			return other !== undefined && differ(other, row);
		});
		const other = byWord.get(`${column}\t${row.cells[column]}`);
		if (other) {
			add(row.line, 'warning', 'conflict', row.cells[column] ?? '', String(other.line + 1));
			return false;
		}
		row.cells.forEach((cell, index) => {
			if (cell !== '' && !byWord.has(`${index}\t${cell}`)) byWord.set(`${index}\t${cell}`, row);
		});
		return true;
	});
	const column = (language: string) => {
		const wanted = canonicalLanguage(language) ?? language;
		const exact = codes.indexOf(wanted);
		return exact >= 0
			? exact
			: codes.findIndex((code) => code !== '' && primaryLanguage(code) === primaryLanguage(wanted));
	};
	return {
		languages,
		column,
		terms: (from, to) =>
			kept.flatMap(({ cells }) => {
				const [source = '', target = ''] = [cells[from], cells[to]];
				if (source === '' || target === '') return [];
				return [{ source, target, caseSensitive: /\p{Lu}/u.test(source), examples: [] }];
			}),
		problems: problems.sort((a, b) => a.line - b.line),
	};
}

/** Whether two rows say different things of a language. */
function differ(first: Row, second: Row): boolean {
	return first.cells.some((cell, index) => {
		const other = second.cells[index] ?? '';
		return cell !== '' && other !== '' && cell !== other;
	});
}

/** The file with a term more; a row that has one of the words gets the other. */
export function addToGlossary(
	text: string,
	entry: {
		readonly source: string;
		readonly target: string;
		readonly from: string;
		readonly to: string;
	},
): string {
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const lines = text === '' ? [] : text.split(/\r\n|\n|\r/);
	if (lines.at(-1) === '') lines.pop();
	const isData = (line: string) => line.trim() !== '' && !/^\s*#/.test(line);
	let headLine = lines.findIndex(isData);
	if (headLine < 0) headLine = lines.push([entry.from, entry.to].join('\t')) - 1;
	const head = (lines[headLine] ?? '').split('\t').map((cell) => cell.trim());
	const columnOf = (language: string) => {
		const known = parseGlossary(head.join('\t')).column(language);
		if (known >= 0) return known;
		head.push(language);
		return head.length - 1;
	};
	const [from, to] = [columnOf(entry.from), columnOf(entry.to)];
	lines[headLine] = head.join('\t');
	const clean = (word: string) => word.replace(/\s+/g, ' ').trim();
	const [source, target] = [clean(entry.source), clean(entry.target)];
	const cellsOf = (line: string) => line.split('\t').map((cell) => cell.trim());
	const own = lines.findIndex(
		(line, index) => index > headLine && isData(line) && cellsOf(line)[from] === source,
	);
	const cells = own < 0 ? [] : cellsOf(lines[own] ?? '');
	while (cells.length < head.length) cells.push('');
	cells[from] = source;
	cells[to] = target;
	const row = withoutEnd(cells.join('\t'), '\t');
	if (own < 0) lines.push(row);
	else lines[own] = row;
	return lines.join(eol) + eol;
}

/** Where the terms of a column stand in a text, outside of code, addresses and placeholders. */
export type TermMarker = (text: string) => string | undefined;

/**
 * Marks the terms of a text for a translator with its dictionary element; `undefined` when there are
 * none.
 */
export function termMarker(terms: readonly Term[], language: string): TermMarker {
	const find = freeTermFinder(terms, language);
	return (text) => {
		const found = find(text);
		if (found.length === 0) return undefined;
		let out = '';
		let next = 0;
		for (const { start, end, target = '' } of found) {
			out += `${text.slice(next, start)}<mstrans:dictionary translation="${target.replaceAll('"', '”')}">${text.slice(start, end)}</mstrans:dictionary>`;
			next = end;
		}
		return out + text.slice(next);
	};
}

/** Finds terms in a text, but for those in placeholders, code and tags. */
export function freeTermFinder(
	terms: readonly Term[],
	language: string,
): (text: string) => readonly Fixed[] {
	const find = termFinder(terms, language);
	return (text) => {
		if (terms.length === 0) return [];
		const spans = mergeSpans(protectedSpans(text));
		return find(text).filter(
			({ start, end }) =>
				!spans.some(([from, to]) => start < to && end > from) && !inTag(text, start),
		);
	};
}

function inTag(text: string, at: number): boolean {
	const open = text.lastIndexOf('<', at);
	return open >= 0 && /^<\/?[A-Za-z]/.test(text.slice(open)) && text.indexOf('>', open) >= at;
}
