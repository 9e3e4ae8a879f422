/** The words of a text, for those who look at its language. */

import { protectedSpans } from './protect.ts';

/** What of a text tells its language: no code, placeholders, numbers or punctuation, at most 2,000 units. */
export function readableWords(text: string): string {
	const part = text
		.slice(0, 4000)
		.replace(/\p{Cs}/gu, ' ')
		.replace(/<[^<>]*>/g, ' ');
	let out = '';
	let at = 0;
	for (const [start, end] of protectedSpans(part)) {
		out += `${part.slice(at, start)} `;
		at = end;
	}
	return (out + part.slice(at))
		.replace(/[^\p{L}\p{M}'’\- ]+/gu, ' ')
		.replace(/\s+/g, ' ')
		.trim()
		.slice(0, 2000);
}
