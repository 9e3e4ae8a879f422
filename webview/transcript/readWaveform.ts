/** The sound of a recording as a picture, decoded by the browser. */

import type { Waveform } from '../../server/protocol/index.ts';

/** Decoding takes 32 kB a second at this rate, which is enough for a picture. */
const rateHz = 8000;
const buckets = 2400;
/** Larger recordings would take gigabytes when decoded at once. */
const maxBytes = 100 * 1_048_576;

/** `undefined` where the browser cannot decode it, or where it is too large to. */
export async function readWaveform(sound: Blob): Promise<Waveform | undefined> {
	if (sound.size > maxBytes) return undefined;
	try {
		const context = new OfflineAudioContext(1, 1, rateHz);
		const decoded = await context.decodeAudioData(await sound.arrayBuffer());
		const samples = decoded.getChannelData(0);
		const count = Math.min(buckets, samples.length);
		const peaks = Array.from({ length: count }, (_, bucket) => {
			let loudest = 0;
			const end = Math.floor(((bucket + 1) * samples.length) / count);
			for (let at = Math.floor((bucket * samples.length) / count); at < end; at++)
				loudest = Math.max(loudest, Math.abs(samples[at] ?? 0));
			return Math.min(255, Math.round(loudest * 255));
		});
		return { peaks, duration: decoded.duration };
	} catch {
		return undefined;
	}
}
