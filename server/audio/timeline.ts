/** Sound on a container's clock: where the clock goes on without sound there is silence. */

import type { MonoBlock } from './openedAudio.ts';

/** A block and when it begins, in seconds from the beginning of the recording. */
export interface TimedBlock extends MonoBlock {
	readonly atS: number;
}

/** Pauses shorter than this between blocks are the rounding of the container's clock. */
const smallestGapS = 0.1;

/** The blocks with silence before the first one and in gaps. Returns the seconds that came. */
export async function* fillGaps(
	timed: AsyncIterable<TimedBlock>,
): AsyncGenerator<MonoBlock, number> {
	let foundS = 0;
	for await (const { atS, samples, sampleRateHz } of timed) {
		const missingS = atS - foundS;
		if (missingS > smallestGapS && missingS < Number.POSITIVE_INFINITY) {
			for (let left = Math.round(missingS * sampleRateHz); left > 0; left -= sampleRateHz)
				yield { samples: new Float32Array(Math.min(left, sampleRateHz)), sampleRateHz };
			foundS = atS;
		}
		foundS += samples.length / sampleRateHz;
		yield { samples, sampleRateHz };
	}
	return foundS;
}
