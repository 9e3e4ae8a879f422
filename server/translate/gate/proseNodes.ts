/**
 * The syntax of light markup for the gate: what lines begin with and are made of, and the marks in paragraphs. Lines
 * may be wrapped elsewhere afterwards.
 */

import { asciiDialect } from '../documents/prose/asciiDialect.ts';
import { withoutImageWords } from '../documents/prose/asciiImages.ts';
import { isUnderlined, rstMarks, singleMark } from '../documents/prose/marks.ts';
import { linesOf } from '../whiteSpace.ts';
import type { SyntaxNode } from './gate.ts';

const underline = /^([!-/:-@[-`{-~])\1{2,}$/;
const rstHead =
	/^(?:\.\.[ \t]+(?:[\w:.-]{1,60}::|\[[^\]]{0,60}\](?=[ \t]))|\.\.(?:[ \t].*)?$|(?:[-*+•]|\(?(?:\d{1,4}|#|[a-zA-Z])[.)])(?=[ \t])|:[^:\s][^:]{0,100}:(?=[ \t]|$)|\|(?=[ \t])|>>> .*|__ .*|\+[-=+]{3,}.*)/;

/** Lines under titles, directives, targets, lists, roles, literals. */
export function rstNodes(text: string): SyntaxNode[] {
	return withMarks(text, { marks: rstMarks, gaps: rstGaps }, (line) => {
		const [, sign] = underline.exec(line.trimEnd()) ?? [];
		if (sign !== undefined) return [`line ${sign}`];
		const ends = /::[ \t]*$/.test(line) ? ['::'] : [];
		const heads: string[] = [];
		// An item may begin with another, or with a directive.
		for (let rest = line.trimStart(); heads.length < 5; ) {
			const head = rstHead.exec(rest)?.[0];
			if (head === undefined || head === '') break;
			heads.push(head);
			rest = rest.slice(head.length).trimStart();
		}
		return [...heads, ...ends];
	});
}

const asciiDocMark =
	/^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|={4,}|\*{4,}|_{4,}|--|[|,:!]={3,}|'''|<<<|\+)$/;

/** Whether a line is syntax from its beginning to its end: borders, remarks, attributes, macros of blocks. */
const isAsciiDocLine = (line: string): boolean =>
	asciiDocMark.test(line) ||
	/^(?:`{3}|\/\/|:!?[\w-]{1,100}!?:)/.test(line) ||
	(line.endsWith(']') && /^(?:\[|\w{1,30}::)/.test(line));
const asciiDocHead =
	/^(?:={1,6}[ \t]|#{1,6}[ \t]|(?:\*{1,6}|-|\.{1,6}|\d{1,4}\.|<\d{1,3}>)[ \t]|(?:NOTE|TIP|IMPORTANT|CAUTION|WARNING):[ \t])/;

const rstGaps = /\r?\n(?![ \t]*\r?\n)[ \t]*/g;
/** Ends of lines within paragraphs: items, terms, blocks and their borders begin and end others. */
const asciiDocGaps =
	/(?<!::)\r?\n(?![ \t]*\r?\n|[ \t]*(?:\*{1,6}|-|\.{1,6}|\d{1,4}\.)[ \t]|[^\n]{1,100}::\r?\n|[ \t]*(?:([-.+/=*_])\1{3,}|--|\+|\|===+)[ \t]*(?:\r?\n|$)|\[[^\n]{1,200}\]\r?\n)[ \t]*/g;

/** Blocks, attributes, macros, titles, lists, the bars of tables, marks. */
export function asciiDocNodes(text: string): SyntaxNode[] {
	let inTable = false;
	const { marks } = asciiDialect(text);
	const nodes = withMarks(text, { marks, gaps: asciiDocGaps }, (line, above) => {
		const body = line.trimEnd();
		// Its length is that of the title.
		if (isUnderlined(above, body)) return [`line ${body.charAt(0)}`];
		if (/^\|={3,}$/.test(body)) inTable = !inTable;
		if (isAsciiDocLine(body)) return [body];
		const bars = inTable ? (body.match(/(?<!\\)\|/g)?.length ?? 0) : 0;
		const head = asciiDocHead.exec(body.trimStart())?.[0].trim();
		// Within a paragraph a name may begin with a full stop.
		const isTitle = /^\.[^\s.]/.test(body) && (above === '' || isAsciiDocLine(above));
		const term = /(?::{2,4}|;;)(?=[ \t]|$)/.exec(body)?.[0];
		const hard = / \+$/.test(body) ? [' +'] : [];
		return [
			...(head ? [head] : isTitle ? ['.'] : []),
			...(term ? [term] : []),
			...hard,
			...(bars ? [`${bars} bars`] : []),
		];
	});
	return nodes.map(({ at, node }) => ({ at, node: singleMark(withoutImageWords(node)) }));
}

/**
 * Nodes of lines, and of the marks in paragraphs.
 *
 * @param nodesOf what stands for a line that is not blank
 */
function withMarks(
	text: string,
	{ marks, gaps }: { readonly marks: RegExp; readonly gaps: RegExp },
	nodesOf: (line: string, above: string) => readonly string[],
): SyntaxNode[] {
	let above = '';
	const nodes: SyntaxNode[] = linesOf(text).flatMap(({ start, text: line }) => {
		const own = line.trim() === '' ? ['blank'] : nodesOf(line, above);
		above = line.trimEnd();
		return own.map((node) => ({ at: start, node }));
	});
	// A mark may go on in the next line of its paragraph; offsets stay.
	const joined = text
		.replace(/^([!-/:-@[-`{-~])\1{2,}[ \t]*$/gm, (line) => ' '.repeat(line.length))
		.replace(gaps, (gap) => ' '.repeat(gap.length));
	for (const match of joined.matchAll(marks)) {
		const [place] = Object.values(match.indices?.groups ?? {}).filter((one) => one !== undefined);
		const [from, to] = place ?? [match.index, match.index];
		const hasWords = /\p{L}{2}/u.test(joined.slice(from, to));
		const [before, after] = [joined.slice(match.index, from), match[0].slice(to - match.index)];
		const node = (hasWords ? `${before}…${after}` : match[0]).replace(/\s+/g, ' ');
		nodes.push({ at: match.index, node });
	}
	return nodes.sort((a, b) => a.at - b.at);
}
