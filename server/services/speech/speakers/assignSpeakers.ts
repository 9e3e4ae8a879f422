/** Gives the words of a transcript to speakers, and divides segments where the speaker changes. */

import type { SpeechResult } from '../../../engine/api.ts';
import type { SpeakerTurn } from './speakerTurns.ts';

/** A segment of one speaker; `undefined` where nobody was found to speak. */
export type SpokenSegment = SpeechResult['segments'][number] & { readonly speaker?: string };

/** `A`, `B`, …, `Z`, `AA`, … in the order in which they begin to speak. */
export function speakerLabel(speaker: number): string {
	const letter = String.fromCharCode(65 + (speaker % 26));
	return speaker < 26 ? letter : `${speakerLabel(Math.floor(speaker / 26) - 1)}${letter}`;
}

/** Whoever speaks longest in a span of seconds; of nobody there, whoever is nearest within {@link nearS}. */
export function speakerIn(
	turns: readonly SpeakerTurn[],
	start: number,
	end: number,
): string | undefined {
	const shares = new Map<number, number>();
	let nearest: { readonly speaker: number; readonly distance: number } | undefined;
	for (const turn of turns) {
		if (turn.start > end + nearS) break;
		const shared = Math.min(end, turn.end) - Math.max(start, turn.start);
		if (shared > 0) shares.set(turn.speaker, (shares.get(turn.speaker) ?? 0) + shared);
		else if (-shared < Math.min(nearS, nearest?.distance ?? Number.POSITIVE_INFINITY))
			nearest = { speaker: turn.speaker, distance: -shared };
	}
	const [longest] = [...shares].sort((a, b) => b[1] - a[1]);
	const speaker = longest?.[0] ?? nearest?.speaker;
	return speaker === undefined ? undefined : speakerLabel(speaker);
}

/** Times of words are this far off at times. */
const nearS = 0.5;

/** The segments of a result that began at `startS` of the recording, each of one speaker. */
export function spokenSegments(
	{ segments, words = [] }: Pick<SpeechResult, 'segments' | 'words'>,
	startS: number,
	turns: readonly SpeakerTurn[],
): SpokenSegment[] {
	let next = 0;
	return segments.flatMap((segment): SpokenSegment[] => {
		const own: NonNullable<SpeechResult['words']>[number][] = [];
		let left = segment.text.replace(/\s/g, '').length;
		// Words belong to segments in order; counting characters needs no guess about times.
		while (left > 0 && next < words.length) {
			const word = words[next++] as (typeof own)[number];
			left -= word.word.replace(/\s/g, '').length;
			own.push(word);
		}
		const whole = speakerIn(turns, startS + segment.start, startS + segment.end);
		const named = own.map(
			({ start, end }) => speakerIn(turns, startS + start, startS + end) ?? whole,
		);
		if (new Set(named).size < 2 || left > 0) {
			const speaker = named[0] ?? whole;
			return [{ ...segment, ...(speaker === undefined ? {} : { speaker }) }];
		}
		return divided(segment, own, named);
	});
}

function divided(
	segment: SpeechResult['segments'][number],
	words: NonNullable<SpeechResult['words']>,
	speakers: readonly (string | undefined)[],
): SpokenSegment[] {
	const parts: SpokenSegment[] = [];
	// Times of words may leave their segment; those of its parts follow each other within it.
	const within = (time: number, after: number) => Math.min(segment.end, Math.max(after, time));
	let from = 0;
	let cursor = segment.start;
	for (let at = 1; at <= words.length; at++) {
		if (at < words.length && speakers[at] === speakers[from]) continue;
		const own = words.slice(from, at);
		const speaker = speakers[from];
		const start = from === 0 ? segment.start : within(own[0]?.start ?? cursor, cursor);
		const end = at === words.length ? segment.end : within(own.at(-1)?.end ?? start, start);
		cursor = end;
		parts.push({
			start,
			end,
			text: own.map(({ word }) => word).join(''),
			// Tokens of a part cannot be told; the first one keeps them all.
			tokens: from === 0 ? segment.tokens : [],
			avgLogprob: segment.avgLogprob,
			...(speaker === undefined ? {} : { speaker }),
		});
		from = at;
	}
	return parts;
}
