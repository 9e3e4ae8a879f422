/** Words of a text with their offsets: the units of alignment and of tag projection. */

import { primaryLanguage } from './languageCodes.ts';
import type { Span } from './sentences.ts';

const segmenters = new Map<string, Intl.Segmenter>();

function segmenter(language: string): Intl.Segmenter {
	const known = segmenters.get(language);
	if (known) return known;
	const made = new Intl.Segmenter(language, { granularity: 'word' });
	segmenters.set(language, made);
	return made;
}

/**
 * Spans of words and punctuation marks, without white space. A placeholder `{0}` is one word, and
 * every span of `whole` is one too.
 */
export function wordSpans(text: string, language: string, whole: readonly Span[] = []): Span[] {
	const spans: Span[] = [];
	const units = [...whole, ...[...text.matchAll(/\{\d+\}/g)].map(spanOfMatch)].sort(
		(a, b) => a[0] - b[0],
	);
	let from = 0;
	const plain = (to: number): void => {
		for (const { segment, index } of segmenter(primaryLanguage(language)).segment(
			text.slice(from, to),
		)) {
			if (segment.trim() !== '') spans.push([from + index, from + index + segment.length]);
		}
	};
	for (const unit of units) {
		if (unit[0] < from) continue;
		plain(unit[0]);
		spans.push(unit);
		from = unit[1];
	}
	plain(text.length);
	return spans;
}

function spanOfMatch(match: RegExpExecArray | RegExpMatchArray): Span {
	const start = match.index ?? 0;
	return [start, start + match[0].length];
}

/** Whether a text holds anything a translation could change. */
export function hasWords(text: string): boolean {
	return /\p{L}/u.test(text);
}
