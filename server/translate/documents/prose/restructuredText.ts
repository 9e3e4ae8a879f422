/**
 * reStructuredText: titles, paragraphs, lists, notes. Code, targets, options, comments, tables drawn with signs
 * and directives without words stay; the line under a title gets the length of the title.
 */

import { pushAll } from '../../../protocol/lists.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { linesOf, type TextLine, textColumns } from '../../whiteSpace.ts';
import type { Extract, Piece } from '../piece.ts';
import { rstApart, rstMarks } from './marks.ts';
import { type ProseLine, prosePiece } from './proseLines.ts';
import { canBeReferred, isDrawnLine, referenceName, rstAnchors } from './rstAnchors.ts';

const opens = /^(?:[-*+•|]|\.\.|\(?(?:\d+|#|[a-zA-Z])[.)]|:[^:\s]+:)$|^::$/;
const marker = /^(?:[-*+•]|\(?(?:\d{1,4}|#|[a-zA-Z])[.)])[ \t]+|^:(?:[^:\s][^:]{0,100}):[ \t]+/;
/** An option of a program, or several, before the words on it: `-o FILE, --out=FILE  The result`. */
const anOption = '(?:--?|/)[\\w?@][\\w-]{0,60}(?:[ =](?:<[^<>]{1,60}>|[A-Za-z][\\w-]{0,60}))?';
const options = new RegExp(`^${anOption}(?:, ${anOption}){0,7}(?:[ ]{2,}|\\t+|$)`);

/** Directives whose body is text. */
const bodies = new Set(
	'contents note warning tip important hint caution danger attention error admonition seealso versionadded versionchanged deprecated topic sidebar rubric figure list-table table container only epigraph highlights pull-quote centered todo compound glossary tab tab-item dropdown card grid-item-card tab-set details'.split(
		' ',
	),
);
/** Of these, the words behind the colons are text. */
const argued = new Set(
	'contents note warning tip important hint caution danger attention error admonition seealso topic sidebar rubric list-table table centered todo tab tab-item dropdown card grid-item-card'.split(
		' ',
	),
);

/** Fields at the head of a document that name persons, places, days and versions, or say something to programs. */
const bibliographicFields =
	/^:(?:address|authors?|contact|content-type|created|date|delegate|discussions-to|license|maintainer|nocomments|nosearch|organi[sz]ation|orphan|pep|post-history|python-version|replaces|requires|resolution|revision|sponsor|status|superseded-by|tocdepth|type|url|version):[ \t]+\S/i;

const indentOf = (line: string) => line.length - line.trimStart().length;

export const extractRst: Extract = Object.assign(extract, {
	rules: gateRules.rst,
	anchors: rstAnchors,
});

/** What is referred to by its words: links stay, or nothing would lead to them, and so do titles that references cannot follow. */
function referredNames(text: string): ReadonlySet<string> {
	const found = new Set<string>();
	for (const [, quoted, bare] of text.matchAll(
		/`([^`<>]{1,300})`_(?!_)|(?<![\w`])([A-Za-z][\w-]{0,100}(?:[.+:][\w-]{1,100}){0,5})_(?![\w`])/g,
	))
		found.add(referenceName(quoted ?? bare ?? ''));
	return found;
}

function extract(text: string): Piece[] {
	const names = referredNames(text);
	const isName = (words: string, mark = '') =>
		!mark.endsWith('__') && names.has(referenceName(words));
	const isLinkName = (words: string, mark: string) => mark.includes('<') && isName(words, mark);
	const lines = linesOf(text);
	const pieces: Piece[] = [];
	let paragraph: ProseLine[] = [];
	/** Whether the line before belongs to a list of options. */
	let isOptions = false;
	const close = () => {
		pushAll(pieces, prosePiece(text, paragraph, rstMarks, opens, rstApart, isLinkName));
		paragraph = [];
	};
	/** Goes on behind what is indented deeper. */
	const past = (from: number, indent: number) => {
		let at = from;
		while (at < lines.length) {
			const line = lines[at]?.text ?? '';
			if (line.trim() !== '' && indentOf(line) <= indent) break;
			at++;
		}
		return at;
	};
	const lineAt = ({ start, text: line }: TextLine, offset: number): ProseLine => ({
		start: start + offset,
		text: line.slice(offset),
		before: line.slice(0, offset),
	});
	/** Words in the options of a directive; those that go on on a second line stay. */
	const optionWords = (from: number, indent: number) => {
		for (let at = from; ; at++) {
			const line = lines[at];
			const [option, name] = /^[ \t]+:([\w-]+):[ \t]*/.exec(line?.text ?? '') ?? [];
			if (line === undefined || option === undefined || indentOf(line.text) <= indent) return;
			const below = lines[at + 1]?.text ?? '';
			const goesOn = below.trim() !== '' && indentOf(below) > indentOf(line.text);
			if (/^(?:alt|caption)$/.test(name ?? '') && !goesOn)
				pushAll(pieces, prosePiece(text, [lineAt(line, option.length)], rstMarks, opens, rstApart));
		}
	};
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] as TextLine;
		const raw = line.text;
		const indent = indentOf(raw);
		const body = raw.slice(indent);
		const next = lines[at + 1]?.text ?? '';
		if (body === '') {
			close();
			isOptions = false;
		} else if (
			paragraph.length === 0 &&
			isDrawnLine(raw) &&
			isDrawnLine(lines[at + 2]?.text ?? '') &&
			next.trim() !== ''
		) {
			pushAll(pieces, title(text, lines.slice(at, at + 3), 1, isName));
			at += 2;
		} else if (
			paragraph.length === 0 &&
			isDrawnLine(next) &&
			indent === 0 &&
			next.trim().length >= Math.min(4, body.length)
		) {
			pushAll(pieces, title(text, lines.slice(at, at + 2), 0, isName));
			at++;
		} else if (isDrawnLine(raw) && paragraph.length === 0) {
			// A line between two parts.
		} else if (/^\.\.(?:[ \t]|$)/.test(body)) {
			close();
			const directive = /^\.\.[ \t]+([\w:.-]{1,60})::(?:[ \t]+|$)/.exec(body);
			const note = /^\.\.[ \t]+\[[#*]?[\w.-]{0,60}\][ \t]+/.exec(body);
			const name = directive?.[1]?.toLowerCase() ?? '';
			// A substitution is a directive behind its name.
			if (directive || /^\.\.[ \t]+\|[^|]{1,60}\|[ \t]+[\w-]+::/.test(body))
				optionWords(at + 1, indent);
			if (note) paragraph.push(lineAt(line, indent + note[0].length));
			else if (directive && bodies.has(name)) {
				const words = body.slice(directive[0].length);
				if (argued.has(name) && words !== '')
					paragraph.push(lineAt(line, indent + directive[0].length));
				while (/^[ \t]+:[\w-]+:/.test(lines[at + 1]?.text ?? '')) at++;
			} else at = past(at + 1, indent) - 1;
		} else if (/^(?:>>> |\.\. _|__ )/.test(body)) {
			close();
			while ((lines[at + 1]?.text ?? '').trim() !== '') at++;
		} else if (paragraph.length === 0 && /^(?:\+[-=+]{3,}|=+(?:[ \t]+=+)+[ \t]*$)/.test(body)) {
			// Tables whose columns are drawn.
			const isGrid = body.startsWith('+');
			while (
				at + 1 < lines.length &&
				((lines[at + 1]?.text ?? '').trim() !== '' || (!isGrid && closesLater(lines, at)))
			)
				at++;
		} else if (/^\|[ \t]/.test(body)) {
			close();
			pushAll(pieces, prosePiece(text, [lineAt(line, indent + 2)], rstMarks, opens, rstApart));
		} else {
			// A field without words says something to programs.
			if (paragraph.length === 0 && /^:[^:\s][^:]{0,100}:$/.test(body.trimEnd())) continue;
			if (bibliographicFields.test(body)) {
				close();
				at = past(at + 1, indent) - 1;
				continue;
			}
			const option: string | undefined =
				paragraph.length === 0 || isOptions ? options.exec(body)?.[0] : undefined;
			const mark = option ?? marker.exec(body)?.[0] ?? '';
			isOptions = option !== undefined || (isOptions && indent > 0);
			if (option === body) {
				close();
				continue;
			}
			// A directive in an item stays with all that is in it.
			if (mark !== '' && /^\.\.(?:[ \t]|$)/.test(body.slice(mark.length))) {
				close();
				at = past(at + 1, indent) - 1;
				continue;
			}
			const above = paragraph.at(-1);
			const depth = above ? above.before.length : indent;
			const goesOn =
				mark === '' &&
				above !== undefined &&
				(indent === depth ||
					(paragraph.length === 1 && /\S/.test(above.before) && indent > 0 && indent <= depth));
			if (!goesOn) close();
			const isLiteral = body.trimEnd().endsWith('::');
			const own = lineAt(line, indent + mark.length);
			const inner = marker.exec(own.text)?.[0] ?? '';
			const item =
				mark !== '' && inner !== '' ? lineAt(line, indent + mark.length + inner.length) : own;
			const said = item.text.trimEnd();
			paragraph.push(isLiteral ? { ...item, text: said.slice(0, -2).trimEnd() } : item);
			if (isLiteral) {
				close();
				const code = next.trim() === '' ? at + 2 : at + 1;
				if (indentOf(lines[code]?.text ?? '') > indent) at = past(code, indent) - 1;
			}
		}
	}
	close();
	return pieces;
}

/** Whether the last line of a simple table is still to come. */
function closesLater(lines: readonly TextLine[], from: number): boolean {
	for (let at = from + 1; at < Math.min(lines.length, from + 200); at++) {
		const line = lines[at]?.text.trim() ?? '';
		if (/^=+(?:[ \t]+=+)+$/.test(line)) return true;
		if (line === '' && (lines[at + 1]?.text.trim() ?? '') === '') return false;
	}
	return false;
}

/** A title with the lines under and over it. */
function title(
	text: string,
	lines: readonly TextLine[],
	place: number,
	isName: (words: string) => boolean,
): Piece[] {
	const words = lines[place];
	const under = lines[place + 1];
	if (!words || !under || (!canBeReferred(words.text) && isName(words.text))) return [];
	const indent = indentOf(words.text);
	const own = { start: words.start + indent, text: words.text.slice(indent), before: '' };
	const [first] = lines;
	const start = first?.start ?? words.start;
	const end = under.start + under.text.trimEnd().length;
	const sign = under.text.charAt(0);

	return prosePiece(text, [own], rstMarks, opens, rstApart).map((piece) => ({
		...piece,
		start,
		end,
		encode: (made: string) => {
			const title = piece.encode(made);
			const line = sign.repeat(textColumns(title) + 2 * indent);
			const gap = text.slice(words.start + words.text.length, under.start);
			const head = place === 1 ? line + gap : '';
			return head + words.text.slice(0, indent) + title + gap + line;
		},
	}));
}
