/** The peaks of a recording as bars of a picture. */

/** Loudness below this is drawn as silence even in a quiet recording. */
const quietest = 24;

/**
 * `count` heights of 0…1: the loudest peak of each stretch, against the loudest of all, with quiet
 * speech lifted as ears do.
 */
export function barsOf(peaks: readonly number[], count: number): number[] {
	if (peaks.length === 0 || count <= 0) return [];
	let loudest = quietest;
	for (const peak of peaks) loudest = Math.max(loudest, peak);
	return Array.from({ length: count }, (_, bar) => {
		const from = Math.floor((bar * peaks.length) / count);
		const to = Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / count));
		let peak = 0;
		for (let at = from; at < to; at++) peak = Math.max(peak, peaks[at] ?? 0);
		return (peak / loudest) ** 0.7;
	});
}
