/** Gettext `.po` files as entries with the offsets of their parts. */

import { withoutEnd } from '../whiteSpace.ts';
import type { Fault } from './piece.ts';

export interface PoField {
	/** Offsets from the keyword to the end of the last string. */
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** A string of a translation. */
export interface PoString extends PoField {
	/** Number of its plural form. */
	readonly form: number;
}

export interface PoEntry {
	/** Offset of the first comment or keyword. */
	readonly start: number;
	readonly end: number;
	/** Start of the line of `#,` flags, or of the first line after the other comments. */
	readonly flagsAt: number;
	/** Flags without commas, as in `fuzzy`, `c-format`; `undefined` without such a line. */
	readonly flags: readonly string[] | undefined;
	readonly context?: PoField;
	readonly id: PoField;
	readonly plural?: PoField;
	/** `msgstr` or `msgstr[0]` … */
	readonly strings: readonly PoString[];
}

type Draft = {
	start: number;
	flagsAt?: number;
	flags?: readonly string[];
	/** Whether one of the fields is a string of the translation. */
	hasStrings: boolean;
	fields: { keyword: string; start: number; end: number; text: string }[];
};

/** Entries in order; obsolete ones (`#~`) and what cannot be read are left out. */
export function poEntries(text: string): PoEntry[] {
	const entries: PoEntry[] = [];
	let draft: Draft | undefined;
	const finish = () => {
		const entry = draft && entryOf(draft);
		if (entry) entries.push(entry);
		draft = undefined;
	};
	let offset = 0;
	for (const line of text.split(/(?<=\n)/)) {
		const content = withoutLineEnd(line);
		const start = offset + (content.startsWith('\ufeff') ? 1 : 0);
		const end = offset + content.length;
		offset += line.length;
		const isComment = /^\ufeff?#/.test(content);
		const [, keyword, value] =
			/^\ufeff?[ \t]*(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)[ \t]*("(?:\\.|[^"\\])*")$/.exec(
				content,
			) ?? [];
		const begins = isComment || keyword === 'msgctxt' || keyword === 'msgid';
		if (content.trim() === '' || content.startsWith('#~')) finish();
		else if (begins && draft?.hasStrings) finish();
		if (isComment && !content.startsWith('#~')) {
			draft ??= { start, hasStrings: false, fields: [] };
			if (content.startsWith('#,')) {
				draft.flagsAt = start;
				draft.flags = content
					.slice(2)
					.split(',')
					.map((flag) => flag.trim());
			} else if (content.startsWith('#|')) draft.flagsAt ??= start;
		} else if (keyword !== undefined && value !== undefined) {
			draft ??= { start, hasStrings: false, fields: [] };
			draft.hasStrings ||= keyword.startsWith('msgstr');
			draft.fields.push({ keyword, start, end, text: unquote(value) });
		} else {
			const last = draft?.fields.at(-1);
			if (!last || !/^[ \t]*"(?:\\.|[^"\\])*"$/.test(content)) continue;
			last.end = end;
			last.text += unquote(content);
		}
	}
	finish();
	return entries;
}

function entryOf({ start, flagsAt, flags, fields }: Draft): PoEntry | undefined {
	const field = (keyword: string) => fields.find((one) => one.keyword === keyword);
	const id = field('msgid');
	const strings = fields.flatMap(({ keyword, ...rest }): PoString[] =>
		keyword.startsWith('msgstr') ? [{ ...rest, form: Number(/\d+/.exec(keyword)?.[0] ?? 0) }] : [],
	);
	const [context, plural] = [field('msgctxt'), field('msgid_plural')];
	const [first, last] = [fields[0], strings.at(-1)];
	if (!id || !first || !last) return undefined;
	return {
		start,
		end: last.end,
		flagsAt: flagsAt ?? first.start,
		flags,
		id,
		strings,
		...(context ? { context } : {}),
		...(plural ? { plural } : {}),
	};
}

/** A line without its end and the blanks before it. */
function withoutLineEnd(line: string): string {
	const text = line.endsWith('\n') ? line.slice(0, -1) : line;
	return withoutEnd(text.endsWith('\r') ? text.slice(0, -1) : text, ' \t');
}

const escapes: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		...{ n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' },
	}),
);

function unquote(line: string): string {
	const inner = /"((?:\\.|[^"\\])*)"/.exec(line)?.[1] ?? '';
	return inner.replace(
		/\\(?:([0-7]{1,3})|x([\da-f]{1,2})|(.))/gi,
		(_, octal?: string, hex?: string, letter = '') =>
			octal !== undefined
				? String.fromCharCode(Number.parseInt(octal, 8))
				: hex !== undefined
					? String.fromCharCode(Number.parseInt(hex, 16))
					: (escapes.get(letter) ?? letter),
	);
}

/** Control characters as C has them, three digits each, so that a digit may follow. */
const octalControls = (text: string): string =>
	text.replace(
		/[\0-\x08\v\f\x0e-\x1f\x7f]/g,
		(letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`,
	);

/** Strings of a `.po` file for a text, one per line of it. */
export function quotePo(text: string, eol: string): string {
	const rows = text
		.split(/(?<=\n)/)
		.map(
			(row) =>
				`"${octalControls(row.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r'))}"`,
		);
	return rows.length > 1 ? ['""', ...rows].join(eol) : (rows[0] ?? '""');
}

const poLine =
	/^\ufeff?[ \t]*(?:#.*|(?:(?:domain|msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)[ \t]*)?(?:"(?:\\.|[^"\\])*"[ \t]*)+)?$/;

/** The first line that is none of gettext's, or a message without a translation's place. */
export function poFault(text: string): Fault | undefined {
	let offset = 0;
	let isOpen = false;
	for (const line of text.split(/(?<=\n)/)) {
		const content = withoutLineEnd(line);
		const at = offset;
		offset += line.length;
		if (!poLine.test(content)) {
			const isString = /^[^"]*"/.test(content);
			return { at, what: isString ? 'a string is not closed' : 'this is no line of a po file' };
		}
		const keyword = /^\ufeff?[ \t]*(msg\w+)/.exec(content)?.[1];
		if (keyword === undefined) continue;
		if (/^msg(?:id|ctxt)$/.test(keyword)) isOpen = keyword === 'msgid';
		else if (keyword !== 'msgid_plural' && !isOpen) return { at, what: 'a msgid is missing' };
	}
	return undefined;
}

/** The translation of a plural form; `undefined` when it does not stand there. */
export const poFormText = ({ strings }: PoEntry, form: number): string | undefined =>
	strings.find((one) => one.form === form)?.text;

/**
 * Whether an entry is translated in all its forms.
 *
 * @param count how many forms plurals have by the header, where it says so
 */
export const isFilled = (entry: PoEntry, count = 1): boolean =>
	entry.strings.length > 0 &&
	entry.strings.every(({ text }) => text !== '') &&
	(!entry.plural ||
		Array.from({ length: count }).every((_, form) => poFormText(entry, form) !== undefined));
