/** Markdown while it grows: finished blocks keep their tokens, only the last one is read again. */

import { lexer, type Token, type Tokens } from 'marked';

/** Blocks of a text; give the last result back with the longer text. */
export interface Blocks {
	readonly text: string;
	readonly tokens: readonly Token[];
}

export const noBlocks: Blocks = { text: '', tokens: [] };

/** Reads a text that begins with the text of `before`, or any other. */
export function readBlocks(text: string, before: Blocks = noBlocks): Blocks {
	if (text === before.text) return before;
	const kept = text.startsWith(before.text) ? stable(before.tokens) : [];
	const length = kept.reduce((sum, token) => sum + token.raw.length, 0);
	// Raw texts add up to the source unless the lexer normalised something; then read all of it.
	const same = before.text.slice(0, length) === kept.map((token) => token.raw).join('');
	const start = same ? length : 0;
	const tokens = [...(same ? kept : []), ...lexer(text.slice(start), { gfm: true })];
	return { text, tokens };
}

/** All blocks that more text cannot change: those before the last one that is not white space. */
function stable(tokens: readonly Token[]): Token[] {
	let last = tokens.length - 1;
	while (last >= 0 && tokens[last]?.type === 'space') last--;
	return tokens.slice(0, Math.max(0, last));
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
