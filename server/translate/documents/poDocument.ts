/**
 * Gettext `.po` files: empty messages are filled in and marked `fuzzy`, so that a person looks at
 * them; plural messages get the forms of the header, or of the target language where the header has
 * none. Comments, contexts, order, obsolete entries and everything already translated stay.
 */

import { defined } from '../../protocol/defined.ts';
import { gateRules } from '../gate/gateRules.ts';
import { type Branches, type Extract, type Piece, padded } from './piece.ts';
import { placeholders, sameConversions, samePlaceholders } from './placeholders.ts';
import { type PluralForms, pluralFormsOf } from './pluralForms.ts';
import { withNumber, withoutNumber } from './pluralNumbers.ts';
import { isFilled, type PoEntry, poEntries, poFault, poFormText, quotePo } from './poEntries.ts';
import { headerForms, poHeaderOf, poLanguage, sameBase, withoutFuzzy } from './poHeader.ts';
import { asksToKeep } from './remarks.ts';

function extract(text: string, to?: string): Piece[] {
	const entries = poEntries(text);
	const eol = /\r\n|\n/.exec(text)?.[0] ?? '\n';
	const header = poHeaderOf(entries);
	const own = headerForms(header, to);
	const forms = own ?? (to === undefined ? undefined : pluralFormsOf(to));
	const pieces = entries.flatMap((entry) => {
		const isDone = isFilled(entry, own?.count);
		if (entry === header || isDone || !/\p{L}{2}/u.test(entry.id.text)) return [];
		if (asksToKeep(text.slice(entry.start, entry.id.start))) return [];
		const rest = defined({ comment: commentOf(text, entry) });
		if (!entry.plural) return [{ ...singular(text, entry, eol), ...rest }];
		return to === undefined ? [] : [{ ...plural(text, entry, forms, eol), ...rest }];
	});
	if (to === undefined || pieces.length === 0) return pieces;
	const needed = own || !pieces.some(({ branches }) => branches) ? undefined : forms;
	const named = poLanguage(header);
	const isFuzzy = header?.flags?.includes('fuzzy') === true;
	const isLoadable =
		!isFuzzy && !noEncoding.test(header ? text.slice(header.start, header.end) : '');
	if (!needed && isLoadable && (named === undefined || sameBase(named, to))) return pieces;
	const companion = headerPiece(text, entries, header, needed, to, eol);
	// A new header stands in front of an entry that begins where it does.
	return [companion, ...pieces].sort((a, b) => a.start - b.start);
}

/** What templates say of their encoding, with which no reader would load the file. */
const noEncoding = /^("Content-Type:[^"\\]{0,100}charset=)CHARSET\b/im;

/** What is translated already tells the language of the messages as well. */
export const extractPo: Extract = Object.assign(extract, {
	rules: gateRules.po,
	faultOf: poFault,
	prose: (text: string) =>
		poEntries(text).flatMap(({ id, plural }) => [id.text, ...(plural ? [plural.text] : [])]),
});

/** What programmers say to translators (`#.`), and the context of a message. */
function commentOf(text: string, { start, id, context }: PoEntry): string | undefined {
	const lines = text.slice(start, id.start).split('\n');
	const remarks = lines.flatMap((line) => (line.startsWith('#.') ? [line.slice(2).trim()] : []));
	const said = [...remarks, context?.text ?? ''];
	return said.filter((one) => one !== '').join('\n') || undefined;
}

/** An entry up to its strings, with `fuzzy` among its flags. */
function marked(text: string, entry: PoEntry, stringsAt: number, eol: string): string {
	const rest = text.slice(entry.flagsAt, stringsAt);
	if (entry.flags?.includes('fuzzy')) return rest;
	return entry.flags ? rest.replace(/^#,[ \t]*/, '#, fuzzy, ') : `#, fuzzy${eol}${rest}`;
}

function singular(text: string, entry: PoEntry, eol: string): Piece {
	const at = entry.strings[0]?.start ?? entry.end;
	return {
		start: entry.flagsAt,
		end: entry.end,
		isNew: true,
		text: entry.id.text,
		isWhole: (translation) => readsSame(entry, entry.id.text, translation),
		encode: (translation) => `${marked(text, entry, at, eol)}msgstr ${quotePo(translation, eol)}`,
	};
}

/** Whether a translation reads the arguments of its source, where a flag says that the message has some. */
function readsSame({ flags = [] }: PoEntry, source: string, translation: string): boolean {
	const isFormat = flags.some((flag) => printfFormats.has(flag));
	return isFormat ? sameConversions(source, translation) : true;
}

/** Flags of messages that a function like printf reads. */
const printfFormats: ReadonlySet<string> = new Set(
	['c', 'objc', 'python', 'ruby', 'php', 'perl', 'awk', 'lua', 'gcc-internal'].map(
		(name) => `${name}-format`,
	),
);

function plural(text: string, entry: PoEntry, forms: PluralForms | undefined, eol: string): Piece {
	const at = entry.strings[0]?.start ?? entry.end;
	const [one, many] = [entry.id.text, entry.plural?.text ?? ''];
	return {
		start: entry.flagsAt,
		end: entry.end,
		text: `${one} / ${many}`,
		isNew: true,
		branches: forms
			? pluralBranches(entry, one, many, forms)
			: { texts: [], join: () => undefined },
		encode: (made) => {
			const rows = (JSON.parse(made) as string[]).map(
				(row, form) => `msgstr[${form}] ${quotePo(poFormText(entry, form) || row, eol)}`,
			);
			return marked(text, entry, at, eol) + rows.join(eol);
		},
	};
}

/** Every form from a sentence with a number of that form in it, and without as the fall-back. */
function pluralBranches(entry: PoEntry, one: string, many: string, forms: PluralForms): Branches {
	const texts: string[] = [];
	const made = forms.numbers.map((own) => {
		const saysNumber = placeholders(one).length === placeholders(many).length;
		const takesOne = own.includes(1) && (own.length === 1 || (saysNumber && forms.count > 1));
		const whole = takesOne ? one : many;
		const source = whole.trim();
		const numeric = placeholders(source).find((found) =>
			/^(?:%(?:\d+\$)?l{0,2}[diu]|%\(\w+\)d|[%]?\{(?:n|num|number|count)\})$/.test(found),
		);
		const sample = (takesOne ? undefined : own.find((number) => number > 1)) ?? own[0];
		const numbered =
			numeric === undefined || sample === undefined
				? undefined
				: withNumber(source, numeric, sample);
		const place = texts.length;
		texts.push(...(numbered === undefined ? [source] : [numbered, source]));
		return (translations: readonly string[]) => {
			const plain = translations[place + (numbered === undefined ? 0 : 1)];
			const back =
				numbered === undefined || numeric === undefined || sample === undefined
					? undefined
					: withoutNumber(translations[place] ?? '', numeric, sample);
			const best = [back, plain].find(
				(answer) =>
					answer !== undefined &&
					samePlaceholders(source, answer) &&
					readsSame(entry, source, answer),
			);
			return best === undefined ? undefined : padded(best, whole);
		};
	});
	return {
		texts,
		join: (translations) => {
			const rows = made.map((pick) => pick(translations));
			return rows.some((row) => row === undefined) ? undefined : JSON.stringify(rows);
		},
	};
}

/** The header with the plural forms of the target; comes only when a message was filled in. */
function headerPiece(
	text: string,
	entries: readonly PoEntry[],
	header: PoEntry | undefined,
	forms: PluralForms | undefined,
	to: string,
	eol: string,
): Piece {
	const line = forms ? `"Plural-Forms: ${forms.source}\\n"` : undefined;
	const start = header?.flagsAt ?? entries[0]?.start ?? 0;
	const end = header?.end ?? start;
	return {
		start,
		end,
		text: '',
		companion: true,
		encode: () => {
			if (!header) {
				const type = '"Content-Type: text/plain; charset=UTF-8\\n"';
				return [`msgid ""`, `msgstr ""`, type, ...(line ? [line] : []), '', ''].join(eol);
			}
			// What reads the file passes over a header that nobody has looked at.
			const raw = withoutFuzzy(text.slice(start, end))
				.replace(/"Language:[^"\\]*\\n"/, `"Language: ${to.replace('-', '_')}\\n"`)
				.replace(noEncoding, '$1UTF-8');
			if (line === undefined) return raw;
			const stated =
				/"Plural-Forms:(?:[^"\\]|\\[^n])*(?:"[ \t]*\r?\n[ \t]*"(?:[^"\\]|\\[^n])*)*(?:\\n)?"/;
			return stated.test(raw) ? raw.replace(stated, () => line) : raw + eol + line;
		},
	};
}
