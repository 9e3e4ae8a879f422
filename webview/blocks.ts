/** Markdown while it grows: finished blocks keep their tokens, only the last one is read again. */

import { lexer, type Token } from 'marked';

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
