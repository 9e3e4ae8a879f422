/** When a decoded stretch is believed, and when it is tried again at a higher temperature. */

import { deflateSync } from 'node:zlib';

/** The reference thresholds of the Whisper paper, section 4.5. */
const thresholds = {
	/** Above this, the text repeats itself. */
	compressionRatio: 2.4,
	/** Below this, the model was guessing. */
	avgLogprob: -1,
	/** Above this, and guessing, the chunk counts as silence. */
	noSpeechProb: 0.6,
} as const;

const temperatureStep = 0.2;

/** Bytes of the text over bytes of its zlib form; 0 for no text. */
export function compressionRatio(text: string): number {
	const bytes = Buffer.from(text, 'utf8');
	return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}

/** The temperatures to try, from the asked one up to 1. */
export function temperatureLadder(start: number): number[] {
	const ladder: number[] = [];
	for (let step = 0; ; step++) {
		const temperature = Number((start + step * temperatureStep).toFixed(6));
		if (temperature > 1 && step > 0) return ladder;
		ladder.push(temperature);
	}
}

export interface Attempt {
	readonly text: string;
	readonly avgLogprob: number;
	readonly noSpeechProb: number;
}

/** Nobody speaks: the model says so and does not believe its own text. */
export function isSilence({ noSpeechProb, avgLogprob }: Attempt): boolean {
	return noSpeechProb > thresholds.noSpeechProb && avgLogprob < thresholds.avgLogprob;
}

/** Whether the next temperature should be tried. */
export function isDoubtful(attempt: Attempt): boolean {
	if (compressionRatio(attempt.text) > thresholds.compressionRatio) return true;
	return attempt.avgLogprob < thresholds.avgLogprob && !isSilence(attempt);
}
