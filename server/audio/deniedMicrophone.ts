/**
 * A microphone that the system keeps from a program: on macOS and Windows it records, and every sample is nought. So do
 * muted and virtual devices, gates against noise and push-to-talk, so nothing is ended for it: a person is told.
 */

/** Samples that a microphone which hears hardly gives in a row: its own noise moves the last bits. */
const maxNoughts = 3 * 16_000;

const advice: Partial<Record<NodeJS.Platform, string>> = {
	darwin:
		'allow it in System Settings, Privacy & Security, Microphone, for the program you started this in (the editor or the terminal)',
	win32: 'allow it in Settings, Privacy & security, Microphone (also for desktop apps)',
};

/** Passes samples on as they are. Three seconds of nothing but noughts at the start are told of, once. */
export async function* noticeSilence(
	samples: AsyncIterable<Int16Array>,
	platform: NodeJS.Platform,
	onNotice: (text: string) => void,
): AsyncGenerator<Int16Array> {
	const where = advice[platform];
	let noughts = 0;
	for await (const piece of samples) {
		if (where !== undefined && noughts >= 0) {
			noughts = piece.some((sample) => sample !== 0) ? -1 : noughts + piece.length;
			if (noughts > maxNoughts) {
				noughts = -1;
				onNotice(
					`The microphone has given nothing but silence so far. The recording goes on; if you are speaking, the microphone is muted, or the system does not let this program hear it: ${where}.`,
				);
			}
		}
		yield piece;
	}
}
