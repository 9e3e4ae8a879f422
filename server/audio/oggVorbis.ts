/** Ogg Vorbis to mono blocks. */

import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';
import { lastGranule, oggPages } from './oggPages.ts';
import { checkComplete, checkShape, type MonoBlock, type OpenedAudio } from './openedAudio.ts';
import { bytesFrom, decodeBytes } from './wasmStream.ts';

/** Opens the stream at `start`. Throws `invalid_audio`. */
export async function openOggVorbis(source: AudioSource, start: number): Promise<OpenedAudio> {
	const { value: page } = await oggPages(source, start).next();
	if (page === undefined || page.body.length < 30)
		throw new AppError('invalid_audio', 'The first page of the Ogg file is damaged.');
	const { channels, sampleRateHz } = parseVorbisHead(page.body);
	const granule = await lastGranule(source, page.serial);
	const durationS = granule === undefined ? undefined : Number(granule) / sampleRateHz;
	return {
		info: { format: 'ogg-vorbis', codec: 'vorbis', sampleRateHz, channels, durationS },
		blocks: blocks(source, start, durationS),
	};
}

/** Channels and rate of a Vorbis identification header. Throws `invalid_audio`. */
export function parseVorbisHead(bytes: Uint8Array): { channels: number; sampleRateHz: number } {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (bytes.length < 30) throw new AppError('invalid_audio', 'The Vorbis header is cut off.');
	const channels = view.getUint8(11);
	const sampleRateHz = view.getUint32(12, true);
	checkShape(sampleRateHz, channels);
	return { channels, sampleRateHz };
}

async function* blocks(
	source: AudioSource,
	start: number,
	durationS: number | undefined,
): AsyncGenerator<MonoBlock> {
	let foundS = 0;
	for await (const block of decodeBytes(
		new OggVorbisDecoder(),
		bytesFrom(source, start),
		'Vorbis',
	)) {
		foundS += block.samples.length / block.sampleRateHz;
		yield block;
	}
	if (durationS !== undefined) checkComplete(durationS, foundS);
}
