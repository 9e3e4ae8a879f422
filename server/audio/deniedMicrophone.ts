/** A microphone that the system keeps from a program: on macOS and Windows it records, and every sample is nought. */

import { AppError } from '../protocol/index.ts';

/** Samples that no microphone gives in a row, however quiet the room: its own noise moves the last bits. */
const maxNoughts = 3 * 16_000;

const advice: Partial<Record<NodeJS.Platform, string>> = {
	darwin:
		'Allow it in System Settings, Privacy & Security, Microphone, for the program you started this in (the editor or the terminal)',
	win32:
		'Allow it in Settings, Privacy & security, Microphone (also for desktop apps), or unmute it',
};

/**
 * Passes samples on. Where the system hands out silence instead of refusing, three seconds of noughts at the start
 * end it.
 * @throws AppError `not_supported` that says where access is given
 */
export async function* refuseDenied(
	samples: AsyncIterable<Int16Array>,
	platform: NodeJS.Platform,
): AsyncGenerator<Int16Array> {
	const where = advice[platform];
	let noughts = 0;
	for await (const piece of samples) {
		if (where !== undefined && noughts >= 0) {
			noughts = piece.some((sample) => sample !== 0) ? -1 : noughts + piece.length;
			if (noughts > maxNoughts)
				throw new AppError(
					'not_supported',
					`The microphone gives nothing but silence: the system does not let this program hear it, or it is muted. ${where}, and try again, or record on the recorder page of the editor.`,
				);
		}
		yield piece;
	}
}
