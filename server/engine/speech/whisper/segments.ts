/** Cuts a token sequence with timestamps into segments, as the reference transcriber does. */

import type { SpeechResult, SpeechToken } from '../../api.ts';

export type SpeechSegment = SpeechResult['segments'][number];

export interface SegmentCut {
	readonly segments: readonly SpeechSegment[];
	/** Seconds of the stretch that are dealt with; the next one should begin there. */
	readonly consumedS: number;
}

/** One timestamp token is 20 ms. */
const stepS = 0.02;

/**
 * Splits at pairs of timestamps. Without a closing timestamp the last words may be cut off by the end
 * of the stretch, so `consumedS` ends before them.
 */
export function cutSegments(
	tokens: readonly SpeechToken[],
	firstTimestamp: number | undefined,
	durationS: number,
	decode: (ids: readonly number[]) => string,
): SegmentCut {
	const isTime = (index: number) =>
		firstTimestamp !== undefined && (tokens[index]?.id ?? -1) >= firstTimestamp;
	const timeOf = (index: number) => ((tokens[index]?.id ?? 0) - (firstTimestamp ?? 0)) * stepS;
	const segment = (from: number, to: number, start: number, end: number): SpeechSegment[] => {
		const part = tokens.slice(from, to);
		const text = part.filter((token) => firstTimestamp === undefined || token.id < firstTimestamp);
		const string = decode(text.map((token) => token.id));
		if (string.trim() === '') return [];
		const sum = part.reduce((total, token) => total + token.logprob, 0);
		return [
			{
				start: Math.min(start, durationS),
				end: Math.min(Math.max(start, end), durationS),
				text: string,
				tokens: part.map((token) => token.id),
				avgLogprob: sum / Math.max(1, part.length),
			},
		];
	};
	const pairs: number[] = [];
	for (let i = 1; i < tokens.length; i++) if (isTime(i) && isTime(i - 1)) pairs.push(i);
	const closed = tokens.length >= 2 && isTime(tokens.length - 1) && !isTime(tokens.length - 2);
	if (pairs.length > 0) {
		const cuts = closed ? [...pairs, tokens.length] : pairs;
		let from = 0;
		const segments = cuts.flatMap((to) => {
			const found = segment(from, to, isTime(from) ? timeOf(from) : 0, timeOf(to - 1));
			from = to;
			return found;
		});
		if (closed) return { segments, consumedS: durationS };
		const consumedS = Math.min(timeOf((cuts.at(-1) as number) - 1), durationS);
		return { segments, consumedS };
	}
	const lastTime = tokens.findLastIndex((_, index) => isTime(index));
	const start = isTime(0) ? timeOf(0) : 0;
	const end = lastTime > 0 && timeOf(lastTime) > 0 ? timeOf(lastTime) : durationS;
	return { segments: segment(0, tokens.length, start, end), consumedS: durationS };
}
