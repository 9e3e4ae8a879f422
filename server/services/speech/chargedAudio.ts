/** Sound whose seconds are reserved before a model gets them, however long its file says it is. */

import type { DecodedAudio } from '../../audio/decodeAudio.ts';
import type { Bill } from '../limits/account.ts';

const rateHz = 16_000;
/** Reserved at once of sound whose length nobody knows, and what has to be left for it to begin. */
const stepS = 1;
const minStepS = 0.1;
/** Decoders may give a little more than a file says. */
const toleranceS = 0.1;

/** What is reserved before the first sample. @param durationS as the file says; absent: it is heard as it comes */
export const firstSeconds = (durationS: number | undefined) =>
	durationS === undefined
		? { amounts: { seconds: stepS }, min: { seconds: minStepS } }
		: { amounts: { seconds: durationS } };

/** Sound that ends with `rate_limited` where more comes than the limits leave. @param bill opened with {@link firstSeconds} */
export function chargedAudio(audio: DecodedAudio, bill: Bill): DecodedAudio {
	return { ...audio, samples: reserved(audio, bill) };
}

async function* reserved(
	{ info, samples }: DecodedAudio,
	bill: Bill,
): AsyncGenerator<Float32Array> {
	const slackS = info.durationS === undefined ? 0 : toleranceS;
	let reservedS = bill.granted.seconds ?? 0;
	let receivedS = 0;
	let spentS = 0;
	for await (const piece of samples) {
		const missing = receivedS + piece.length / rateHz - reservedS;
		if (missing > slackS) {
			const granted = await bill.extend({
				more: { seconds: Math.max(missing, stepS) },
				min: { seconds: missing },
				// Speech that goes on for longer than a minute does not count against the last minute as a whole.
				spent: { seconds: receivedS - spentS },
			});
			reservedS += granted.seconds ?? 0;
			spentS = receivedS;
		}
		receivedS += piece.length / rateHz;
		yield piece;
	}
}
