/**
 * A sentence with its tags as a chat model reads and writes them: numbered, where they stand. Where the
 * answer has each of them once, nested and around words, nobody has to guess where they go.
 */

import { mapForward } from './mask.ts';
import type { SentenceUnit } from './sentence.ts';
import type { Placed } from './tagProjection.ts';

const tag = /<(\/?)x(\d{1,4})(\/?)>/g;

/** The masked text with its tags as `<x1>…</x1>` and `<x2/>`; `undefined` when there are none to place. */
export function withNumberedTags({
	marks,
	masked,
	replacements,
}: SentenceUnit): string | undefined {
	if (marks.length === 0 || marks.length > maxTags || !isWhole(marks)) return undefined;
	let out = '';
	let at = 0;
	for (const [index, mark] of marks.entries()) {
		const place = mapForward(replacements, mark.at, mark.kind === 'close' ? 'end' : 'start');
		const next = Math.max(at, place);
		out += masked.slice(at, next) + written(marks, index);
		at = next;
	}
	return out + masked.slice(at);
}

/** Tags that are few enough to be written again one by one. */
const maxTags = 40;

/** Whether every element begins and ends in the sentence; others have to reach its edge. */
function isWhole(marks: SentenceUnit['marks']): boolean {
	const pairs = marks.filter(({ kind }) => kind !== 'point').map(({ pair }) => pair);
	return pairs.length === 2 * new Set(pairs).size;
}

/** The tags of a pair have the number of the first. */
function written(marks: SentenceUnit['marks'], index: number): string {
	const { kind, pair } = marks[index] ?? { kind: 'point', pair: -1 };
	if (kind === 'point') return `<x${index + 1}/>`;
	const first = marks.findIndex((other) => other.pair === pair && other.kind === 'open');
	return kind === 'open' ? `<x${index + 1}>` : `</x${first + 1}>`;
}

/** An answer without its tags, and where they stand in it; `undefined` unless they are all there as they were. */
export function readTagged(
	answer: string,
	{ marks }: SentenceUnit,
): { readonly text: string; readonly placed: readonly Placed[] } | undefined {
	const expected = marks.map((_, index) => written(marks, index));
	let text = '';
	let from = 0;
	let wordsEnd = 0;
	const placed: Placed[] = [];
	const open: { readonly name: string; readonly at: number }[] = [];
	const seen = new Set<number>();
	for (const match of answer.matchAll(tag)) {
		const piece = answer.slice(from, match.index);
		text += piece;
		if (piece.trim() !== '') wordsEnd = text.length;
		from = match.index + match[0].length;
		const index = expected.findIndex((one, place) => one === match[0] && !seen.has(place));
		const mark = marks[index];
		if (mark === undefined) return undefined;
		seen.add(index);
		if (match[0] === `<x${match[2]}>`) open.push({ name: match[2] ?? '', at: text.length });
		if (match[1] === '/') {
			const last = open.pop();
			// Words went in, so words come out.
			if (last === undefined || last.name !== match[2] || wordsEnd <= last.at) return undefined;
		}
		placed.push({ ...mark, at: text.length });
	}
	text += answer.slice(from);
	return seen.size === marks.length && open.length === 0 ? { text, placed } : undefined;
}
