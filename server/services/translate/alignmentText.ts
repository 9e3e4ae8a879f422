/** Word links as the translate interface writes them. */

import type { Span } from '../../translate/sentences.ts';

interface Link {
	readonly source: Span;
	readonly target: Span;
}

/** A copied sentence is linked to itself as a whole. */
export function identityLinks(sentence: string): Link[] {
	return [...sentence.matchAll(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu)].map((match) => {
		const span: Span = [match.index, match.index + match[0].length];
		return { source: span, target: span };
	});
}

/** Inclusive UTF-16 indices, `0:4-0:3 …`. */
export function alignmentText(links: readonly Link[]): string {
	return [...links]
		.sort((a, b) => a.source[0] - b.source[0] || a.target[0] - b.target[0])
		.filter(({ source, target }) => source[1] > source[0] && target[1] > target[0])
		.map(({ source, target }) => `${source[0]}:${source[1] - 1}-${target[0]}:${target[1] - 1}`)
		.join(' ');
}
