/** The two kinds of AsciiDoc: with titles after signs, and the older one with titles that are underlined. */

import { linesOf, type TextLine } from '../../whiteSpace.ts';
import { verbatimEnd } from './asciiBlocks.ts';
import { asciiDocMarks, isUnderlined, oldAsciiDocMarks } from './marks.ts';

export interface AsciiDialect {
	readonly marks: RegExp;
	/** Whether the words in a mark are no words of a language but what programs read. */
	readonly isName: (words: string, mark: string) => boolean;
	/** Whether the document is a page of a manual, `name(1)`: its title, its name and its synopsis stay. */
	readonly isManual: boolean;
	/** The program it is a page of; empty when of none. */
	readonly program: string;
}

const modern: AsciiDialect = {
	marks: asciiDocMarks,
	isName: () => false,
	isManual: false,
	program: '',
};
/** What commands, options, files and placeholders have, and words have not. */
const coded = /(?:^|\s)-{1,2}[A-Za-z]|[<>=/_$*|\\{}\d]|\.\w|^[A-Z]+$|^[a-z]+(?:-[a-z]+)+$/;

export function asciiDialect(text: string): AsciiDialect {
	const [, page = ''] =
		/^(?:(?:\/\/.*|:.*|)\r?\n){0,200}(?:= )?([A-Za-z][\w.+{}-]{0,60})\(\d\w{0,3}\)[ \t]*(?=\r?\n|$)/.exec(
			text,
		) ?? [];
	const isManual = page !== '';
	const program = page.split('-')[0] ?? '';
	if (!isOld(linesOf(text))) return { ...modern, isManual, program };
	return {
		marks: oldAsciiDocMarks,
		isManual,
		program,
		isName: (words, mark) =>
			mark.startsWith("'") &&
			(coded.test(words) || (program !== '' && words.split(/[\s-]/)[0] === program)),
	};
}

/** Lines that are no part of a paragraph, so that a title may follow: blank ones, attributes, remarks, macros of blocks. */
const isApart = /^$|^\[.*\]$|^\/\/|^:!?[\w-]+!?:|^\w{1,30}::.*\]$/;

function isOld(lines: readonly TextLine[]): boolean {
	let isFree = true;
	for (let at = 0; at < lines.length; at++) {
		const line = (lines[at]?.text ?? '').trimEnd();
		if (isFree && isUnderlined(line, lines[at + 1]?.text ?? '')) return true;
		const end = verbatimEnd(lines, at);
		// What is included in old documents has no titles.
		if (end === undefined && /^:compat-mode:|``\w[^`']{0,80}''/.test(line)) return true;
		isFree = end !== undefined || isApart.test(line);
		at = end ?? at;
	}
	return false;
}

/** Whether the lines from one on show how a command is called. */
export function isSynopsis(
	lines: readonly { readonly text: string }[],
	from: number,
	program: string,
): boolean {
	const fence = /^_{4,}\s*$/.test(lines[from]?.text ?? '') ? lines[from]?.text.trim() : '';
	for (let at = from + (fence ? 1 : 0); at < lines.length; at++) {
		const line = (lines[at]?.text ?? '').trim();
		if (line === fence) return false;
		if (program !== '' && line.split(/[\s-]/)[0] === program) return true;
		if (/[[(|]\s*-{1,2}[A-Za-z]|<[\w-]+>|\[<|^'[\w.-]+(?: [\w.-]+)*'(?: |$)/.test(line))
			return true;
	}
	return false;
}
