/** Glossaries: TSV, CSV and TBX files → terms, and finding them in a text. */

import { Parser } from 'htmlparser2';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/errors.ts';
import { pushAll } from '../protocol/lists.ts';
import { canonicalLanguage, primaryLanguage, usesSpaces } from './languageCodes.ts';
import type { Fixed } from './mask.ts';

export interface Term {
	readonly source: string;
	readonly target: string;
	/** Part of speech as the file has it, e.g. `noun`. */
	readonly partOfSpeech?: string;
	/** Match only this case; terms with capitals are case-sensitive. */
	readonly caseSensitive: boolean;
	/** Example sentences with the term, source and target. */
	readonly examples: readonly { readonly source: string; readonly target: string }[];
}

/** A row of a table, and the line it begins in, from 1. */
interface TableRow {
	readonly line: number;
	readonly cells: readonly string[];
}

/**
 * Rows of a TSV or CSV text. Quotes, doubled quotes and line ends inside quotes are understood.
 *
 * @param name What the table is called in a message
 * @throws AppError `invalid_request` that names the line where a quote is not closed, or something follows one
 */
export function tableRows(
	text: string,
	separator: '\t' | ',',
	name = 'The table',
): readonly TableRow[] {
	const rows: TableRow[] = [];
	let cells: string[] = [];
	let cell = '';
	/** Within quotes, behind them, or a cell that has none. */
	let state: 'bare' | 'quoted' | 'closed' = 'bare';
	let isBlank = true;
	let [line, begin, quoteLine] = [1, 1, 1];
	const end = () => {
		cells.push(cell.trim());
		cell = '';
		state = 'bare';
		isBlank = true;
	};
	const endRow = () => {
		end();
		rows.push({ line: begin, cells });
		cells = [];
	};
	const body = text.replace(/^\uFEFF/, '');
	for (let at = 0; at < body.length; at++) {
		const character = body[at] ?? '';
		const isBreak = character === '\n' || character === '\r';
		if (character === '\r' && body[at + 1] === '\n') at++;
		if (isBreak) line++;
		if (state === 'quoted') {
			if (character !== '"') cell += isBreak ? '\n' : character;
			else if (body[at + 1] === '"') {
				cell += '"';
				at++;
			} else state = 'closed';
		} else if (character === separator) end();
		else if (isBreak) {
			endRow();
			begin = line;
		} else if (character === '"' && isBlank && state === 'bare' && separator === ',') {
			cell = '';
			state = 'quoted';
			quoteLine = line;
		} else if (state === 'closed') {
			if (/\S/.test(character))
				throw damaged(name, line, 'something stands between a closing quote and the next comma');
		} else {
			cell += character;
			isBlank &&= /\s/.test(character);
		}
	}
	if (state === 'quoted') throw damaged(name, quoteLine, 'a quote is not closed');
	if (cell !== '' || cells.length > 0) endRow();
	return rows.filter((row) => row.cells.some((value) => value !== ''));
}

const damaged = (name: string, line: number, what: string): AppError =>
	new AppError(
		'invalid_request',
		`${name} is damaged at line ${line}: ${what}. Mend it and try again.`,
	);

/**
 * Rows of a table whose first two columns belong together. Remarks, and cells that are still empty, are left out.
 *
 * @throws AppError as {@link tableRows}, and where one row of several has no second column
 */
export function pairRows(text: string, separator: '\t' | ',', name?: string): readonly string[][] {
	const rows = tableRows(text, separator, name).filter(
		({ cells: [source = ''] }) => !source.startsWith('#'),
	);
	const alone = rows.find(({ cells }) => cells.length < 2);
	// Where no row has one, it is another kind of file.
	if (alone !== undefined && rows.some(({ cells }) => cells.length > 1))
		throw damaged(name ?? 'The table', alone.line, 'the second column is missing');
	return rows.map(({ cells }) => [...cells]);
}

/** Whether a cell names a language; `AI` and `PR` do not. */
const isLanguageCell = (cell = ''): boolean =>
	/^[a-z]{2,3}(?:-[a-z]{2,8})*$/i.test(cell) && canonicalLanguage(cell) !== undefined;

/** Terms of a table: source, target, part of speech, example, its translation. Throws as {@link pairRows}. */
export function tableTerms(text: string, separator: '\t' | ',', name?: string): Term[] {
	const rows = pairRows(text, separator, name);
	const head = rows[0]?.map((cell) => cell.toLowerCase());
	const isHead =
		head !== undefined &&
		(['source', 'term', 'from'].includes(head[0] ?? '')
			? /^(target|translation|to|[a-z]{2}(-[a-z]+)?)$/.test(head[1] ?? '')
			: isLanguageCell(rows[0]?.[0]) &&
				(isLanguageCell(rows[0]?.[1]) || /^(target|translation|to)$/.test(head[1] ?? '')));
	return rows
		.slice(isHead ? 1 : 0)
		.flatMap(([source = '', target = '', pos = '', example, translated]) => {
			if (source === '' || target === '') return [];
			return [
				{
					source,
					target,
					...(pos === '' ? {} : { partOfSpeech: pos }),
					caseSensitive: /\p{Lu}/u.test(source),
					examples: example && translated ? [{ source: example, target: translated }] : [],
				},
			];
		});
}

/** What an entry of a TBX document says in one language. */
interface TbxLanguage {
	readonly terms: { readonly term: string; pos?: string }[];
	/** Sentences that show the terms, in order. */
	readonly contexts: string[];
}

/** Terms of a TBX document (versions 2 and 3) for one pair of languages; sentences that show them go together by their order. */
export function tbxTerms(text: string, source: string, target: string): Term[] {
	const terms: Term[] = [];
	let entry = new Map<string, TbxLanguage>();
	let language = '';
	/** What the words of the element are, that is being read. */
	let reading: 'term' | 'pos' | 'context' | undefined;
	let buffer = '';
	const concepts = new Set(['termEntry', 'conceptEntry']);
	const kindOf = (name: string, type: string | undefined) => {
		if (name === 'term') return 'term';
		if (name === 'termNote' && type === 'partOfSpeech') return 'pos';
		return name === 'descrip' && type === 'context' ? 'context' : undefined;
	};
	const parser = new Parser(
		{
			onopentag(name, attributes) {
				if (concepts.has(name)) entry = new Map();
				if (name === 'langSet' || name === 'langSec')
					language = canonicalLanguage(attributes['xml:lang'] ?? '') ?? '';
				const kind = kindOf(name, attributes['type']);
				if (kind === undefined) return;
				reading = kind;
				buffer = '';
			},
			ontext(part) {
				if (reading !== undefined) buffer += part;
			},
			onclosetag(name) {
				if (name === 'term' || name === 'termNote' || name === 'descrip') {
					const own = entry.get(language) ?? { terms: [], contexts: [] };
					entry.set(language, own);
					const words = buffer.trim();
					const last = own.terms.at(-1);
					if (reading === 'term' && words !== '') own.terms.push({ term: words });
					if (reading === 'pos' && last) last.pos = words;
					if (reading === 'context' && words !== '') own.contexts.push(words);
					reading = undefined;
				}
				if (concepts.has(name)) pushAll(terms, termsOf(entry.get(source), entry.get(target)));
			},
		},
		{ xmlMode: true, decodeEntities: true },
	);
	parser.end(text);
	return terms;
}

function termsOf(from: TbxLanguage | undefined, to: TbxLanguage | undefined): Term[] {
	const [first] = to?.terms ?? [];
	if (!from || !to || !first) return [];
	const examples = from.contexts.flatMap((source, index) => {
		const target = to.contexts[index];
		return target === undefined ? [] : [{ source, target }];
	});
	return from.terms.map(({ term, pos = first.pos }) => ({
		source: term,
		target: first.term,
		...defined({ partOfSpeech: pos }),
		caseSensitive: /\p{Lu}/u.test(term),
		examples,
	}));
}

/** Finds terms in a text: the longest first, whole words only where the language has words. */
export function termFinder(
	terms: readonly Term[],
	language: string,
): (text: string) => readonly Fixed[] {
	const sorted = [...terms].sort((a, b) => b.source.length - a.source.length);
	const spaced = usesSpaces(language);
	const locale = primaryLanguage(language);
	const byFirst = new Map<string, Term[]>();
	for (const term of sorted) {
		const key = [...term.source.toLocaleLowerCase(locale)][0] ?? '';
		const list = byFirst.get(key);
		if (list) list.push(term);
		else byFirst.set(key, [term]);
	}
	const isWord = (character: string | undefined): boolean =>
		character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character);
	return (text) => {
		const lower = text.toLocaleLowerCase(locale);
		const searched = lower.length === text.length ? lower : text;
		const found: Fixed[] = [];
		for (let at = 0; at < text.length; at++) {
			if (spaced && isWord(text[at - 1])) continue;
			const first = String.fromCodePoint(searched.codePointAt(at) ?? 0);
			const term = byFirst.get(first)?.find(({ source, caseSensitive }) => {
				const wanted = caseSensitive ? source : source.toLocaleLowerCase(locale);
				const place = caseSensitive ? text : searched;
				return place.startsWith(wanted, at) && !(spaced && isWord(text[at + source.length]));
			});
			if (!term) continue;
			const end = at + term.source.length;
			found.push({ start: at, end, target: term.target, source: text.slice(at, end) });
			at = end - 1;
		}
		return found;
	};
}
