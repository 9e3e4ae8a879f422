/** MPEG audio (layers I to III) to mono blocks. */

import { MPEGDecoder } from 'mpg123-decoder';
import { AppError } from '../protocol/index.ts';
import { type AudioSource, pieces } from './audioSource.ts';
import { announcedLength, mpegFrame } from './mpegFrame.ts';
import { checkComplete, type MonoBlock, mixDown, type OpenedAudio } from './openedAudio.ts';

/** Opens a stream whose first frame is at `start`. Throws `invalid_audio`. */
export async function openMp3(source: AudioSource, start: number): Promise<OpenedAudio> {
	const head = await source.read(start, 4096);
	const frame = mpegFrame(head, 0);
	if (frame === undefined)
		throw new AppError('invalid_audio', 'The MP3 file holds no frame where audio should begin.');
	const announced = announcedLength(head, 0);
	const present = source.sizeBytes - start;
	if (announced.bytes !== undefined && present < announced.bytes * 0.98 - 4096) {
		throw new AppError(
			'invalid_audio',
			`The MP3 file is cut off: its header promises ${announced.bytes} bytes of audio and ${present} are there. Copy or upload it again.`,
		);
	}
	const durationS =
		announced.frames === undefined
			? undefined
			: (announced.frames * frame.samplesPerFrame) / frame.sampleRateHz;
	return {
		info: {
			format: 'mp3',
			codec: 'mp3',
			sampleRateHz: frame.sampleRateHz,
			channels: frame.channels,
			durationS: durationS ?? (present * 8) / (frame.bitrateKbps * 1000),
		},
		blocks: blocks(source, start, durationS),
	};
}

async function* blocks(
	source: AudioSource,
	start: number,
	durationS: number | undefined,
): AsyncGenerator<MonoBlock> {
	const decoder = new MPEGDecoder();
	let errors = 0;
	let foundS = 0;
	try {
		await decoder.ready;
		for await (const piece of pieces(source, start, source.sizeBytes, 16_384)) {
			const decoded = decoder.decode(piece);
			errors += decoded.errors.length;
			if (decoded.samplesDecoded === 0 || !(decoded.sampleRate > 0)) continue;
			foundS += decoded.samplesDecoded / decoded.sampleRate;
			yield { samples: mixDown(decoded.channelData), sampleRateHz: decoded.sampleRate };
		}
	} finally {
		decoder.free();
	}
	// Noise decodes too: what counts is how often the decoder lost its way.
	if (errors > 8 && errors > foundS * 4) {
		throw new AppError(
			'invalid_audio',
			`The MP3 audio is damaged: the decoder lost its place ${errors} times in ${foundS.toFixed(1)} s.`,
		);
	}
	if (durationS !== undefined) checkComplete(durationS, foundS);
}
