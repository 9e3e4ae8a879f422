/** Vorbis in Ogg (Vorbis I, appendix A). */

import { AppError } from '../protocol/index.ts';
import type { OggHead } from './oggRecording.ts';
import { assertAudioFormat } from './openedAudio.ts';
import { VorbisStream } from './vorbisPackets.ts';

const setupKind = 5;

/** Reads the first packet of a stream. Throws `invalid_audio`. */
export function readOggVorbis(packet: Uint8Array): OggHead {
	if (packet.length < 30) throw new AppError('invalid_audio', 'The Vorbis header is cut off.');
	const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
	const channels = view.getUint8(11);
	const sampleRateHz = view.getUint32(12, true);
	assertAudioFormat(sampleRateHz, channels);
	return {
		codec: 'vorbis',
		sampleRateHz,
		channels,
		secondsAt: (granule) => Number(granule) / sampleRateHz,
		decoder: async () => {
			const stream = new VorbisStream();
			await stream.ready;
			let isSetUp = false;
			let isFirst = true;
			return {
				decode: (bytes) => {
					if (bytes[0] === setupKind && !isSetUp) {
						stream.begin(packet, bytes);
						isSetUp = true;
						return 'no sound';
					}
					if (!isSetUp || ((bytes[0] ?? 1) & 1) === 1) return 'no sound';
					const block = stream.decode(bytes);
					// The first packet gives no samples: each one is mixed with the one before.
					const found = block ?? (isFirst ? 'no sound' : undefined);
					isFirst = false;
					return found;
				},
				checkDamage: () => {},
				free: () => stream.free(),
			};
		},
	};
}
