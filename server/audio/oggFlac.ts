/** FLAC in Ogg (RFC 9639, section 10.1). */

import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { AppError } from '../protocol/index.ts';
import { parseStreamInfo } from './flac.ts';
import type { OggHead } from './oggRecording.ts';
import { mixDown } from './openedAudio.ts';

/** Of the first packet: 17 bytes before the STREAMINFO block, and its 34. */
const headerBytes = 51;

/** Reads the first packet of a stream. Throws `invalid_audio`. */
export function readOggFlac(packet: Uint8Array): OggHead {
	if (packet.length < headerBytes)
		throw new AppError('invalid_audio', 'The FLAC header of the Ogg file is cut off.');
	const { sampleRateHz, channels, bits } = parseStreamInfo(packet.subarray(17));
	return {
		codec: `flac-s${bits}`,
		sampleRateHz,
		channels,
		secondsAt: (granule) => Number(granule) / sampleRateHz,
		decoder: async () => {
			const decoder = new FLACDecoder();
			await decoder.ready;
			return {
				decode: async (frame) => {
					if (frame[0] !== 0xff) return 'no sound';
					const { channelData } = await decoder.decodeFrames([frame]);
					const samples = mixDown(channelData);
					return samples.length === 0 ? undefined : { samples, sampleRateHz };
				},
				checkDamage: () => {},
				free: () => decoder.free(),
			};
		},
	};
}
