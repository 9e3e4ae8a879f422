/**
 * Tokens that are never speech: brackets, notes, quotation marks and the like, which a model writes
 * for sounds and speakers. For exports that do not publish the list; the reference decoder makes the
 * same one of the same symbols.
 */

import type { TextModel } from '../api.ts';

const symbols = [
	...'"#()*+/:;<=>@[\\]^_`{|}~「」『』',
	...'<< >> <<< >>> -- --- -( -[ (\' (" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪'.split(' '),
];
/** Of these the first token alone is given up, whose bytes nothing else has. */
const notes = [...'♩♪♫♬♭♮♯'];

/** Ids of the tokens, ascending. */
export function nonSpeechTokens(text: TextModel): number[] {
	const encode = (string: string) => text.encode(string, { addSpecial: false });
	// Between words they are part of them: only at the beginning of one is a hyphen or quote a sign.
	const ids = new Set([encode(' -')[0], encode(" '")[0]]);
	for (const symbol of [...symbols, ...notes]) {
		for (const tokens of [encode(symbol), encode(` ${symbol}`)])
			if (tokens.length === 1 || notes.includes(symbol)) ids.add(tokens[0]);
	}
	return [...ids].filter((id) => id !== undefined).sort((a, b) => a - b);
}
