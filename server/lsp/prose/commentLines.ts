/**
 * A comment as lines: markers and indent, words, closing marker. Words can be replaced while the
 * rest, the line width and the kind of line end stay. Pure text work; knows no grammar.
 */

import { largestOf, pushAll } from '../../protocol/lists.ts';
import { withoutEnd } from '../../translate/whiteSpace.ts';
import { codeTags, directive, heads, helpHeading } from './commentWords.ts';

/** One line of a comment. */
export interface CommentLine {
	/** Indent and markers before the words, such as `\t * ` or `// `. */
	readonly prefix: string;
	readonly words: string;
	/** What closes the comment on this line, with the space before it, such as ` *\/`. */
	readonly suffix: string;
	/** The line's end; empty for the last one. */
	readonly eol: string;
}

/** Consecutive lines that are one thought. */
export interface Paragraph {
	/** First line and the one after the last. */
	readonly from: number;
	readonly to: number;
	/** Part of the first line's words that stays: a tag, a bullet, `TODO(x):`. */
	readonly head: string;
	readonly text: string;
}

const opening =
	/^\s*(?:\/\*+!?(?:<(?=\s))?|\/\/+[!/]?(?:<(?=\s))?|<!--|<#|"""|'''|--\[=*\[|\{-|\(\*|#[|=]|#+|--+(?!\[)|;+|%+|\*(?!\/)|REM\b|::)?[ \t]?/i;
/** What closes a block, by what opens it; other endings are words. */
const closings: readonly (readonly [open: RegExp, close: string])[] = [
	[/^\s*<!--/, '-->'],
	[/^\s*<#/, '#>'],
	[/^\s*"""/, '"""'],
	[/^\s*'''/, "'''"],
	[/^\s*--\[=*\[/, '\\]=*\\]'],
	[/^\s*\{-/, '-\\}'],
	[/^\s*\(\*/, '\\*+\\)'],
	[/^\s*#\|/, '\\|#'],
	[/^\s*#=/, '=#'],
	[/^/, '(?:\\*+\\/|"""|\'\'\'|-->|#>)'],
];
/** Ends of documentation in tags, which stay where they are. */
const tagEnd =
	'(?:[ \\t]*<\\/(?:summary|remarks|returns|param|typeparam|value|para|example|exception)>)?';

function closingOf(text: string): RegExp {
	const close = closings.find(([open]) => open.test(text))?.[1] ?? '';
	return new RegExp(`${tagEnd}[ \\t]*(?:${close})?[ \\t]*$`);
}

/** Splits the text of a comment (whole lines or from its opening marker) into lines. */
export function readComment(text: string): CommentLine[] {
	const pieces = text.split(/(\r\n|\n|\r)/);
	const closing = closingOf(text);
	return pieces
		.filter((_, index) => index % 2 === 0)
		.map((line, index) => {
			const suffix = closing.exec(line)?.[0] ?? '';
			const rest = line.slice(0, line.length - suffix.length);
			const prefix = opening.exec(rest)?.[0] ?? '';
			const body = rest.slice(prefix.length);
			// A further indent inside the comment belongs to the prefix.
			const inner = /^[ \t]*/.exec(body)?.[0] ?? '';
			const words = body.slice(inner.length);
			const after = words.slice(withoutEnd(words, ' \t').length);
			return {
				prefix: prefix + inner,
				words: words.slice(0, words.length - after.length),
				suffix: after + suffix,
				eol: pieces[index * 2 + 1] ?? '',
			};
		});
}

/** Groups lines into paragraphs to translate; code, directives and lines without words are left out. */
export function paragraphs(lines: readonly CommentLine[]): Paragraph[] {
	const found: Paragraph[] = [];
	let open: { from: number; head: string; words: string[] } | undefined;
	let inFence = false;
	let inExample = false;
	const close = (to: number) => {
		if (open && /\p{L}{2}/u.test(open.words.join(' '))) {
			found.push({ from: open.from, to, head: open.head, text: join(open.words) });
		}
		open = undefined;
	};
	lines.forEach(({ words, prefix }, index) => {
		const fence = /^(?:```|~~~)/.test(words);
		const separator = !/[\p{L}\p{N}]/u.test(words);
		if (fence) inFence = !inFence;
		if (words.startsWith('@')) inExample = words.startsWith('@example');
		if (
			fence ||
			inFence ||
			inExample ||
			separator ||
			directive.test(words) ||
			helpHeading.test(words) ||
			codeTags.test(words)
		) {
			close(index);
			return;
		}
		const head = heads.exec(words)?.[0] ?? '';
		const before = index > 0 ? lines[index - 1] : undefined;
		// A deeper indent is a list's or tag's continuation; much deeper is code.
		const deeper = before !== undefined && indent(prefix) - indent(before.prefix) >= 4;
		// A heading is a paragraph of its own.
		const isAfterHeading = open !== undefined && /^#{1,6}[ \t]/.test(open.head);
		if (head !== '' || !open || isAfterHeading || (deeper && open.head === '')) {
			close(index);
			open = { from: index, head, words: [words.slice(head.length)] };
		} else {
			open.words.push(words);
		}
	});
	close(lines.length);
	return found;
}

/**
 * Puts translations (one per paragraph) into the lines and returns the comment's text. A paragraph
 * is wrapped again at the width it had, so the number of its lines may change.
 */
export function rebuild(
	lines: readonly CommentLine[],
	parts: readonly Paragraph[],
	translations: readonly string[],
): string {
	const out: string[] = [];
	let next = 0;
	parts.forEach((part, place) => {
		for (; next < part.from; next++) out.push(whole(lines[next]));
		pushAll(out, wrap(lines.slice(part.from, part.to), part, translations[place] ?? part.text));
		next = part.to;
	});
	for (; next < lines.length; next++) out.push(whole(lines[next]));
	return out.join('');
}

function wrap(lines: readonly CommentLine[], part: Paragraph, translation: string): string[] {
	const [first] = lines;
	const last = lines.at(-1);
	if (!first || !last) return [];
	const text = translation.replace(/\s+/g, ' ').trim();
	if (text === part.text.replace(/\s+/g, ' ')) return lines.map(whole);
	// What was one line stays one line; nothing says where else it might break.
	if (lines.length === 1) return [first.prefix + part.head + text + first.suffix + first.eol];
	const width = largestOf(
		lines.map((line) => columns(whole(line).trimEnd())),
		60,
	);
	const following = lines[1]?.prefix ?? first.prefix;
	const rows: string[] = [];
	let row = first.prefix + part.head;
	let empty = true;
	for (const word of breakable(text)) {
		const joined = empty ? row + word.trimStart() : row + word;
		if (!empty && columns(joined) > width) {
			rows.push(row + first.eol);
			row = following + word.trimStart();
		} else {
			row = joined;
		}
		empty = false;
	}
	rows.push(row + last.suffix + last.eol);
	return rows;
}

/** Pieces between which a line may break: words, or single characters of unspaced scripts. */
function breakable(text: string): string[] {
	return (
		text.match(
			/(?<!\s)\s*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][、。，．！？」）]*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+)/gu,
		) ?? [text]
	);
}

function join(words: readonly string[]): string {
	// A hyphen at a line's end is kept: it may be part of the word.
	return words.join(' ').trim();
}

function whole(line: CommentLine | undefined): string {
	return line ? line.prefix + line.words + line.suffix + line.eol : '';
}

function indent(prefix: string): number {
	return columns(prefix.slice(withoutEnd(prefix, ' \t').length));
}

/** Width on the screen: tabs as four, wide characters as two columns. */
function columns(text: string): number {
	let count = 0;
	for (const character of text) {
		if (character === '\t') count += 4 - (count % 4);
		else
			count +=
				/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
					character,
				)
					? 2
					: 1;
	}
	return count;
}
