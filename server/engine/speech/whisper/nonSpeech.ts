/**
 * Tokens that are never speech: brackets, notes, quotation marks and the like, which a model writes
 * for sounds and speakers. For exports that do not publish the list; the reference decoder makes the
 * same one of the same symbols.
 */

import type { TextModel } from '../../api.ts';

const symbols = [
	...'"#()*+/:;<=>@[\\]^_`{|}~「」『』',
	...'<< >> <<< >>> -- --- -( -[ (\' (" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪'.split(' '),
];
/** Of these the first token is given up as well, when it is theirs alone: most are several tokens. */
const notes = [...'♩♪♫♬♭♮♯'];
/** Bytes that only these begin with: one alone begins quotation marks and dashes, too. */
const noteBytes = 2;

/** Ids of the tokens, ascending. */
export function nonSpeechTokens(text: TextModel): number[] {
	const ids = new Set<number>();
	const add = (string: string, firstBytes = Number.POSITIVE_INFINITY) => {
		const [first, ...rest] = text.encode(string, { addSpecial: false });
		if (first === undefined) return;
		const lengthOfFirst = text.tokenBytes(first).length - (string.startsWith(' ') ? 1 : 0);
		if (rest.length === 0 || lengthOfFirst >= firstBytes) ids.add(first);
	};
	// Between words they are part of them: only at the beginning of one is a hyphen or quote a sign.
	for (const string of [' -', " '", ...symbols, ...symbols.map((symbol) => ` ${symbol}`)])
		add(string);
	for (const note of notes) for (const string of [note, ` ${note}`]) add(string, noteBytes);
	return [...ids].sort((a, b) => a - b);
}
