/** Terms that two glossaries prescribe for one text: the first decides where both have some. */

import type { Fixed } from '../../translate/mask.ts';

type FindTerms = (text: string) => readonly Fixed[];

export function combinedTerms(
	first: FindTerms | undefined,
	second: FindTerms | undefined,
): FindTerms | undefined {
	if (!first || !second) return first ?? second;
	return (text) => {
		const own = first(text);
		const free = second(text).filter(
			({ start, end }) => !own.some((other) => other.start < end && start < other.end),
		);
		return [...own, ...free].sort((a, b) => a.start - b.start);
	};
}
