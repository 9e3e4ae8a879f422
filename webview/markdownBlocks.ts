/** Markdown while it grows: finished blocks keep their tokens, only the last one is read again. */

import { Marked, type Token, type TokenizerExtension, type Tokens } from 'marked';

/** `[^1]` in a text. */
export interface FootnoteMark extends Tokens.Generic {
	readonly type: 'footnoteMark';
	readonly label: string;
}

/** `[^1]: …`, a line of its own. */
export interface Footnote extends Tokens.Generic {
	readonly type: 'footnote';
	readonly label: string;
	readonly tokens: Token[];
}

/** `<details>` with a summary: the one element of HTML that answers use and that needs no trust. */
export interface Details extends Tokens.Generic {
	readonly type: 'details';
	readonly summary: Token[];
	readonly tokens: Token[];
}

/** A formula: `$…$` or `\\(…\\)` in a line, `$$…$$` or `\\[…\\]` on its own. */
export interface Formula extends Tokens.Generic {
	readonly type: 'maths';
	readonly tex: string;
	readonly isBlock: boolean;
}

/** Dollars around a formula touch it, and no figure follows: `$5 and $6` are prices. */
const inlineMaths = /^(?:\$(?![\s$])((?:\\[^\n]|[^$\\\n])+?)(?<!\s)\$(?!\d)|\\\(([^\n]+?)\\\))/;
const displayMaths = /^(?:\$\$([^$]+?)\$\$|\\\[([\s\S]+?)\\\])/;

const extensions: TokenizerExtension[] = [
	{
		name: 'maths',
		level: 'inline',
		start: (text) => /\$|\\[([]/.exec(text)?.index,
		tokenizer(text): Formula | undefined {
			const shown = displayMaths.exec(text);
			const [raw, dollars, brackets] = shown ?? inlineMaths.exec(text) ?? [];
			const tex = (dollars ?? brackets)?.trim();
			if (raw === undefined || !tex) return undefined;
			return { type: 'maths', raw, tex, isBlock: shown !== null };
		},
	},
	{
		name: 'footnoteMark',
		level: 'inline',
		start: (text) => text.indexOf('[^'),
		tokenizer(text): FootnoteMark | undefined {
			const [raw, label] = /^\[\^([^\]\s]{1,40})\]/.exec(text) ?? [];
			return raw === undefined || label === undefined
				? undefined
				: { type: 'footnoteMark', raw, label };
		},
	},
	{
		name: 'footnote',
		level: 'block',
		start: (text) => /^ {0,3}\[\^/m.exec(text)?.index,
		tokenizer(text): Footnote | undefined {
			const [raw, label, words] =
				/^ {0,3}\[\^([^\]\s]{1,40})\]: *([^\n]*)(?:\n+|$)/.exec(text) ?? [];
			if (raw === undefined || label === undefined) return undefined;
			return { type: 'footnote', raw, label, tokens: this.lexer.inlineTokens(words ?? '') };
		},
	},
	{
		name: 'details',
		level: 'block',
		start: (text) => text.indexOf('<details'),
		tokenizer(text): Details | undefined {
			const open = /^<details(?: open)?>\s*<summary>([^\n]*?)<\/summary>/.exec(text);
			const end = open ? text.indexOf('</details>', open[0].length) : -1;
			if (!open || end === -1) return undefined;
			const raw = text.slice(0, end + '</details>'.length);
			return {
				type: 'details',
				raw,
				summary: this.lexer.inlineTokens(open[1] ?? ''),
				tokens: this.lexer.blockTokens(text.slice(open[0].length, end).trim(), []),
			};
		},
	},
];

const marked = new Marked({ gfm: true, extensions });

/** Blocks of a text; give the last result back with the longer text. */
export interface MarkdownBlocks {
	readonly text: string;
	readonly tokens: readonly Token[];
	/** How many of the first blocks are known to stand in the text as they are, and how long they are. */
	readonly checked: number;
	readonly checkedLength: number;
}

export const noBlocks: MarkdownBlocks = { text: '', tokens: [], checked: 0, checkedLength: 0 };

/** Reads a text that begins with the text of `before`, or any other. */
export function readBlocks(text: string, before: MarkdownBlocks = noBlocks): MarkdownBlocks {
	if (text === before.text) return before;
	const { tokens: old } = before;
	const grown = text.startsWith(before.text);
	let { checked, checkedLength } = grown ? before : noBlocks;
	const end = grown ? stable(old) : 0;
	// Raw texts add up to the source unless the lexer normalised something; from there on all is read.
	for (; checked < end; checked++) {
		const raw = old[checked]?.raw ?? '';
		if (!text.startsWith(raw, checkedLength)) break;
		checkedLength += raw.length;
	}
	const rest = marked.lexer(text.slice(checkedLength));
	return { text, tokens: [...old.slice(0, checked), ...rest], checked, checkedLength };
}

/** How many blocks more text cannot change: those before the last one that is not white space. */
function stable(tokens: readonly Token[]): number {
	let last = tokens.length - 1;
	while (last >= 0 && tokens[last]?.type === 'space') last--;
	return Math.max(0, last);
}

/**
 * Level each heading is drawn at, by the index of its block. The turn has a heading of its own, so the
 * first is one below it, and no level is left out, whatever the model wrote.
 */
export function headingLevels(tokens: readonly Token[]): (number | undefined)[] {
	const open: number[] = [];
	return tokens.map((token) => {
		if (token.type !== 'heading') return undefined;
		const { depth } = token as Tokens.Heading;
		while (open.length > 0 && (open.at(-1) ?? 0) >= depth) open.pop();
		open.push(depth);
		return Math.min(6, 2 + open.length);
	});
}
