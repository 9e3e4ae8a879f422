/** Wave files to mono blocks: PCM of 8 to 32 bits, float, µ-law and A-law. */

import type { AudioSource } from './audioSource.ts';
import { pieces } from './audioSource.ts';
import { refuseConcatenatedWav } from './concatenatedRecordings.ts';
import { checkComplete, type MonoBlock, type OpenedAudio } from './openedAudio.ts';
import { mixFrames, pcmReader } from './pcm.ts';
import { readWavHeader, type WavHeader } from './wavHeader.ts';

/** Opens a wave file whose RIFF tag is at `start`. Throws `invalid_audio`. */
export async function openWav(source: AudioSource, start: number): Promise<OpenedAudio> {
	const header = await readWavHeader(source, start);
	const seconds = (bytes: number) => bytes / header.frameBytes / header.sampleRateHz;
	if (header.announcedBytes !== undefined)
		checkComplete(seconds(header.announcedBytes), seconds(header.dataBytes));
	// A recorder that never wrote the length takes all that follows for samples.
	if (header.announcedBytes !== undefined)
		await refuseConcatenatedWav(source, header.dataOffset + header.announcedBytes);
	return {
		info: {
			format: 'wav',
			codec: codecName(header),
			sampleRateHz: header.sampleRateHz,
			channels: header.channels,
			durationS: seconds(header.dataBytes),
		},
		blocks: blocks(source, header),
	};
}

function codecName({ encoding, sampleBytes }: WavHeader): string {
	const kind = { unsigned: 'pcm-u', signed: 'pcm-s', float: 'pcm-f', 'mu-law': '', 'a-law': '' };
	return kind[encoding] === '' ? encoding : `${kind[encoding]}${sampleBytes * 8}`;
}

async function* blocks(source: AudioSource, header: WavHeader): AsyncGenerator<MonoBlock> {
	const read = pcmReader(header.encoding, header.sampleBytes);
	const perPiece = Math.max(1, Math.floor(65_536 / header.frameBytes)) * header.frameBytes;
	const end = header.dataOffset + header.dataBytes;
	for await (const piece of pieces(source, header.dataOffset, end, perPiece)) {
		const samples = mixFrames(piece, read, header);
		yield { samples, sampleRateHz: header.sampleRateHz };
	}
}
