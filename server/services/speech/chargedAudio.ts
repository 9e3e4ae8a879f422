/** Sound whose seconds are reserved before a model gets them, however long its file says it is. */

import type { DecodedAudio } from '../../audio/decodeAudio.ts';
import type { Bill } from '../limits/account.ts';

const rateHz = 16_000;
/** Reserved at once of sound whose length nobody knows. */
export const unknownLengthS = 30;

/** Sound that ends with `rate_limited` where more comes than the limits leave. @param reservedS seconds on the bill */
export function chargedAudio(audio: DecodedAudio, bill: Bill, reservedS: number): DecodedAudio {
	return { ...audio, samples: reserved(audio.samples, bill, reservedS) };
}

async function* reserved(
	samples: AsyncIterable<Float32Array>,
	bill: Bill,
	first: number,
): AsyncGenerator<Float32Array> {
	let reservedS = first;
	let receivedS = 0;
	for await (const piece of samples) {
		receivedS += piece.length / rateHz;
		while (receivedS > reservedS + 0.1) {
			await bill.extend({ seconds: unknownLengthS });
			reservedS += unknownLengthS;
		}
		yield piece;
	}
}
