/** Cuts a text that is too long for one request. */

import { splitSentences } from './sentences.ts';

/**
 * A text between sentences in parts of at most `limit` UTF-16 units; a sentence that is longer is cut
 * after white space, or anywhere when it has none. Joined, the parts are the text.
 */
export function cutText(text: string, limit: number, language: string): string[] {
	if (text.length <= limit) return [text];
	const parts: string[] = [];
	let from = 0;
	for (const [start, stop] of splitSentences(text, language)) {
		if (stop - from > limit && start > from) {
			parts.push(text.slice(from, start));
			from = start;
		}
		while (stop - from > limit) {
			const end = from + wordEnd(text.slice(from, from + limit));
			parts.push(text.slice(from, end));
			from = end;
		}
	}
	return from < text.length ? [...parts, text.slice(from)] : parts;
}

/** Where to cut the beginning of a longer text: after its last white space, never in a character. */
function wordEnd(text: string): number {
	const space = text.search(/\s\S*$/) + 1;
	if (space > text.length / 2) return space;
	return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}
