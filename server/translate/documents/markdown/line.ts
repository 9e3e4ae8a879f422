/** Lines of Markdown as parts: what their words are apart from, beyond what the parser knows. */

import { type InlineNode, spaced } from './inline.ts';

/** Elements whose words are code. */
const untouched = new Set('script style pre code kbd samp var svg math textarea tt'.split(' '));

/** A link whose address a template makes. */
const templateLink = /\[([^\][\n]{1,300})\](\(\{[{%][^\n]{1,300}?[%}]\}[^()\n]{0,100}\))/g;
/**
 * What no parser of CommonMark knows and many write: formulas in brackets with backslashes, emoji, remarks,
 * attributes, templates, short codes, directives, and references to what another file defines.
 */
const kept =
	/\\\([^\n]{1,300}?\\\)|\\\[[^\n]{1,300}?\\\]|\{\/\*[\s\S]{0,1000}?\*\/\}|\{%[^%\n]{0,300}%\}|\{\{[^{}\n]{0,300}\}\}|\{:?[ \t]{0,4}[#.][^{}\n]{1,200}\}|\[\[[^\][\n]{1,100}\]\]|\[[A-Z]{2,20}\]|\+\+[\w+-]{1,60}\+\+|==(?=[^\s=])|(?<=[^\s=])==(?!=)|(?<![\w@/])@[a-z\d][\w.-]{0,60}\/[a-z\d][\w.-]{0,60}(?:@[\w.+-]{0,60}\w)?|(?<![\w@/.-])[a-z][a-z\d._-]{0,60}@\d[\w.+-]{0,40}\w|(?<!\w):[a-z][\w-]{0,40}\[[^\][\n]{0,200}\](?:\{[^{}\n]{0,200}\})?|(?<![\w:]):[a-z\d_+-]{2,40}:(?![\w:])|\[\^[^\]\s]{1,60}\]|\[[^\][\n]{1,100}\]\[[^\][\n]{0,100}\]|(?:\p{Extended_Pictographic}|\p{Regional_Indicator})(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\u200d|\ufe0f|\u20e3){0,30}/gu;
/** Of these, what stands for a word of its sentence. */
const wordLike = /^(?:\\[([]|@|[a-z][\w.-]*@|\{\{|\{%|\[)/;

/** Lines of containers with their names and a title, of alerts and of definitions. */
const containerLine = /^:{2,}[ \t]{0,8}(?:[\w-]{1,40})?(?:\{[^{}\n]{0,200}\})?[ \t]*/;
const labelledLine =
	/^(:{2,}[ \t]{0,8}[\w-]{1,40}\[)([^\][\n]{1,300})(\](?:\{[^{}\n]{0,200}\})?[ \t]*)$/;
/** The same of MkDocs, and its tabs. */
const titledLine =
	/^((?:!{3}|\?{3}\+?)[ \t]+[\w-]{1,40}(?:[ \t]+[\w-]{1,40}){0,3}[ \t]+"|={3}[+!]?[ \t]+")([^"\n]{1,200})("[ \t]*)$/;
const untitledLine = /^(?:!{3}|\?{3}\+?)[ \t]+[\w-]{1,40}(?:[ \t]+[\w-]{1,40}){0,3}[ \t]*$/;
/** A line of nothing but tags of Jekyll, Hugo and others. */
const templateLine =
	/^(?:\{%[^%\n]{0,300}%\}|\{\{%[^%\n]{0,300}%\}\}|\{\{<[^<>\n]{0,300}>\}\}|\{\{(?![%<])[^{}\n]{0,300}\}\}|[ \t]){1,60}$/;
/** The same may be an exclamation; these words are no types and no classes of one. */
const plainLine =
	/^(?:!{3}|\?{3}\+?)[ \t]+[\w-]{1,40}(?:[ \t]+(?:inline|end|annotate)){0,3}[ \t]*$/;
const indentedBelow = /^[ \t]{0,20}(?:\r?\n[ \t]{0,20}){0,1}\r?\n(?: {4}|\t)/;
/** A statement of JavaScript, which Docusaurus reads in Markdown as well. */
const scriptLine =
	/^(?:import\s(?:[^'"\n]{1,300}\sfrom\s)?["'][^"'\n]{1,300}["'];?|export\s(?:(?:const|let)\s[\w$\s]{1,100}[=:][^\n]{1,500}|(?:async\s)?function\b[^\n(]{0,100}\([^\n]{0,500}|default\s(?:[({[][^\n]{0,500}|(?:async|class|function)\b[^\n]{0,500}|[\w$.]{1,100}(?:\([^\n]{0,500})?;?)))[ \t]*$/;
/** What an abbreviation is, and a line of a poem or an address of pandoc. */
const ownLine = /^(?:\*\[[^\][\n]{1,60}\]:[ \t]*|\|[ \t]+)/;
/** Title, author and date of a document of pandoc, of which the title is words. */
const titleBlock = /^%[ \t]+/;
/** The title of a page of a manual is its name. */
const manualTitle = /^%[ \t]+[\w.+-]{1,60}\(\d\w{0,3}\)/;
const alert = /^\[![\w-]{1,40}\][+-]?[ \t]*/;
const definition = /^[:~][ \t]+/;

type Draft = { -readonly [K in keyof InlineNode]: InlineNode[K] };

/** The parts of a line, with what must stay taken out of its words. */
export function refined(
	nodes: readonly InlineNode[],
	text: string,
	isParagraph: boolean,
): InlineNode[] {
	const made: Draft[] = [];
	let isLineStart = true;
	let isFirst = true;
	/** Whether the line is one of its own. */
	let isAlone = false;
	const cut = (start: number, end: number) => {
		if (end > start) made.push({ role: 'cut', start, end, node: spaced(text.slice(start, end)) });
	};
	/** Parts the line from the one before it. */
	const begin = () => {
		const last = made.at(-1);
		if (last?.role === 'soft') last.role = 'cut';
	};
	const isHead = (nodes[0]?.start ?? 0) <= 1;
	/** Whether every line up to here is a statement. */
	let isScript = true;
	/** Whether the rest of the line is nobody's words. */
	let isKept = false;
	for (const [place, node] of nodes.entries()) {
		if (node.role === 'soft' || node.role === 'hard') {
			made.push(isAlone ? { ...node, role: 'cut' } : { ...node });
			isLineStart = true;
			isAlone = false;
			isKept = false;
		} else if (isKept) {
			cut(node.start, node.end);
		} else if (node.role !== 'text') {
			made.push({ ...node });
			isScript = false;
			isLineStart &&= /^taskListCheck/.test(node.node ?? '');
		} else {
			let { start } = node;
			const raw = text.slice(start, node.end);
			const [, before = '', label = ''] = labelledLine.exec(raw) ?? titledLine.exec(raw) ?? [];
			const next = nodes[place + 1]?.role;
			const isLine = next === undefined || next === 'soft' || next === 'hard';
			if (isLineStart) isScript &&= isLine && scriptLine.test(raw);
			const below = text.slice(node.end, node.end + 80);
			const where = { isFirst, isLine, isHead, isScript, below };
			const mark = isParagraph && isLineStart ? lineMark(raw, where) : undefined;
			if (isParagraph && isLineStart && before !== '') {
				begin();
				cut(start, start + before.length);
				made.push({
					role: 'text',
					start: start + before.length,
					end: start + before.length + label.length,
				});
				cut(start + before.length + label.length, node.end);
				isAlone = true;
				start = node.end;
			} else if (mark !== undefined) {
				begin();
				cut(start, start + mark.length);
				isAlone = mark.isAlone;
				isKept = mark.isKept === true;
				start += mark.length;
			}
			split(made, text, start, node.end);
			isLineStart = false;
		}
		isFirst = false;
	}
	return withPairs(made, text);
}

interface LinePlace {
	readonly isFirst: boolean;
	/** Whether the words are all of the line. */
	readonly isLine: boolean;
	readonly isHead: boolean;
	readonly isScript: boolean;
	/** What the document goes on with behind them. */
	readonly below: string;
}

/** What a line begins with that is no words, and whether the line is one of its own. */
function lineMark(
	raw: string,
	{ isFirst, isLine, isHead, isScript, below }: LinePlace,
): { length: number; isAlone: boolean; isKept?: boolean } | undefined {
	// What belongs to an admonition is indented.
	const isAdmonition = (indentedBelow.test(below) ? untitledLine : plainLine).test(raw);
	const whole = isLine && (isScript || isAdmonition || templateLine.test(raw));
	if (whole) return { length: raw.length, isAlone: true };
	const [sign] = (isHead && titleBlock.exec(raw)) || [];
	if (sign !== undefined)
		return isFirst && !manualTitle.test(raw)
			? { length: sign.length, isAlone: true }
			: { length: raw.length, isAlone: true, isKept: true };
	const alone = (containerLine.exec(raw) ??
		ownLine.exec(raw) ??
		(isFirst ? alert.exec(raw) : null))?.[0];
	if (alone !== undefined) return { length: alone.length, isAlone: true };
	const term = definition.exec(raw)?.[0];
	return term === undefined ? undefined : { length: term.length, isAlone: false };
}

/** Words with what is kept between them. */
function split(made: Draft[], text: string, from: number, to: number): void {
	let next = from;
	for (const match of text.slice(from, to).matchAll(templateLink)) {
		const [all, words = '', address = ''] = match;
		const start = from + match.index;
		splitKept(made, text, next, start);
		const pair = templatePairs + start;
		made.push({ role: 'open', start, end: start + 1, node: `link ${address}`, pair });
		splitKept(made, text, start + 1, start + 1 + words.length);
		next = start + all.length;
		made.push({ role: 'close', start: start + 1 + words.length, end: next, pair });
	}
	splitKept(made, text, next, to);
}

/** Beyond the numbers of other pairs in a line. */
const templatePairs = 1_000_000;

function splitKept(made: Draft[], text: string, from: number, to: number): void {
	let next = from;
	const words = (end: number) => {
		if (end > next) made.push({ role: 'text', start: next, end });
	};
	for (const match of text.slice(from, to).matchAll(kept)) {
		const start = from + match.index;
		words(start);
		next = start + match[0].length;
		made.push({ role: 'single', start, end: next, node: `kept ${match[0]}` });
	}
	words(to);
}

/** Tags and marks without a partner stand alone, and elements that hold code are one part. */
function withPairs(nodes: Draft[], text: string): InlineNode[] {
	const closes = new Map<number, number>();
	nodes.forEach(({ role, pair }, index) => {
		if (role === 'close' && pair !== undefined) closes.set(pair, index);
	});
	const made: Draft[] = [];
	for (let index = 0; index < nodes.length; index++) {
		const node = nodes[index];
		if (!node) break;
		const close = node.role === 'open' ? closes.get(node.pair ?? -1) : undefined;
		if (node.role === 'open' && close === undefined) {
			const { pair: _, ...rest } = node;
			made.push({ ...rest, role: 'single' });
		} else if (
			close !== undefined &&
			(untouched.has(node.element ?? '') || isManualPage(nodes.slice(index + 1, close + 2), text))
		) {
			const end = nodes[close]?.end ?? node.end;
			made.push({
				role: 'single',
				start: node.start,
				end,
				node: `code ${spaced(text.slice(node.start, end))}`,
			});
			index = close;
		} else made.push(node);
	}
	return made;
}

/** Whether the parts behind a mark are the name of a page of a manual: `**grep**(1)`. */
function isManualPage([name, close, after]: readonly InlineNode[], text: string): boolean {
	return (
		name?.role === 'text' &&
		close?.role === 'close' &&
		after?.role === 'text' &&
		/^[\w.+-]{1,60}$/.test(text.slice(name.start, name.end)) &&
		/^\(\d\w{0,3}\)/.test(text.slice(after.start, after.end))
	);
}

/** Whether a part stands for a word, so that its sentence cannot be read without it. */
export function isWordLike({ role, node = '' }: InlineNode): boolean {
	if (role !== 'single') return false;
	if (node.startsWith('kept ')) return wordLike.test(node.slice(5));
	return /^(?:mdxTextExpression|autolink|literalAutolink|mathText|code) /.test(node);
}
