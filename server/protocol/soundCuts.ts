/** Parts of a recording whose words were taken out of its transcript: what is exported can be without them. */

import type { TranscriptWord } from './speechTypes.ts';

/** Seconds from the start of the recording. */
export interface SoundCut {
	readonly start: number;
	readonly end: number;
}

/** Seconds of silence after a word that go with it; longer ones are a pause of their own. */
const maxSilence = 0.6;

/** Cuts in order, with others among them; those that touch are one. */
export function withCuts(cuts: readonly SoundCut[], more: readonly SoundCut[]): SoundCut[] {
	const merged: SoundCut[] = [];
	for (const cut of [...cuts, ...more].sort((one, other) => one.start - other.start)) {
		const last = merged.at(-1);
		if (cut.end <= cut.start) continue;
		if (last && cut.start <= last.end)
			merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, cut.end) };
		else merged.push(cut);
	}
	return merged;
}

/** Cuts without what of them lies in a stretch: what is said there is wanted again. */
export const withoutCutsIn = (cuts: readonly SoundCut[], stretch: SoundCut): SoundCut[] =>
	cuts.flatMap(({ start, end }) => [
		...(start < Math.min(end, stretch.start) ? [{ start, end: Math.min(end, stretch.start) }] : []),
		...(end > Math.max(start, stretch.end) ? [{ start: Math.max(start, stretch.end), end }] : []),
	]);

/** Seconds that are left out. */
export const cutSeconds = (cuts: readonly SoundCut[]): number =>
	cuts.reduce((sum, { start, end }) => sum + end - start, 0);

/**
 * What goes with words that were taken out of a line: each with the silence after it.
 * @param isKept whether the word with an index stays
 */
export function cutsOfWords(
	words: readonly TranscriptWord[],
	isKept: (index: number) => boolean,
): SoundCut[] {
	return words.flatMap(({ start, end }, index) => {
		if (isKept(index)) return [];
		const next = words[index + 1]?.start ?? end;
		return [{ start, end: next >= end && next - end <= maxSilence ? next : end }];
	});
}

/** Seconds over which the sound fades beside a cut, so that nothing clicks. */
const fadeS = 0.01;

/**
 * The sound without parts of it, which are in order: what is returned takes the samples piece by piece, from the start on,
 * and gives what is kept of each.
 */
export function withoutSoundCuts(
	cuts: readonly SoundCut[],
	rateHz: number,
): (samples: Float32Array) => Float32Array {
	const [starts, ends] = (['start', 'end'] as const).map((side) =>
		cuts.map((cut) => Math.round(cut[side] * rateHz)),
	) as [number[], number[]];
	const fadeSamples = fadeS * rateHz;
	let at = 0;
	let next = 0;
	return (samples) => {
		const kept = new Float32Array(samples.length);
		let count = 0;
		for (const value of samples) {
			while (at >= (ends[next] ?? Number.POSITIVE_INFINITY)) next++;
			const until = (starts[next] ?? Number.POSITIVE_INFINITY) - at;
			const since = at - (ends[next - 1] ?? Number.NEGATIVE_INFINITY);
			if (until > 0) kept[count++] = value * Math.min(1, until / fadeSamples, since / fadeSamples);
			at++;
		}
		return kept.subarray(0, count);
	};
}
