/** Opus in Ogg (RFC 7845), decoded to 16 kHz. */

import type { OggHead } from './oggRecording.ts';
import { checkOpusDamage, OpusStream, parseOpusHead } from './opusPackets.ts';

/** Positions count these, whatever the rate of the recording (section 4). */
const granuleRateHz = 48_000;
const tags = 'OpusTags';

/** Reads the first packet of a stream. Throws `invalid_audio`. */
export function readOggOpus(packet: Uint8Array): OggHead {
	const head = parseOpusHead(packet);
	return {
		codec: 'opus',
		sampleRateHz: granuleRateHz,
		channels: head.channels,
		secondsAt: (granule) => (Number(granule) - head.preSkip) / granuleRateHz,
		decoder: async () => {
			const stream = new OpusStream(head);
			await stream.ready;
			return {
				decode: (bytes) =>
					String.fromCharCode(...bytes.subarray(0, tags.length)) === tags
						? 'no sound'
						: stream.decode(bytes),
				checkDamage: () => checkOpusDamage(stream),
				free: () => stream.free(),
			};
		},
	};
}
