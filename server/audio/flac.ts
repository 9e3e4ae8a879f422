/** FLAC, native and in Ogg, to mono blocks. */

import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { AppError } from '../protocol/index.ts';
import type { AudioFormat } from './audioFormat.ts';
import type { AudioSource } from './audioSource.ts';
import { lastGranule, oggPages } from './oggPages.ts';
import { checkComplete, checkShape, type MonoBlock, type OpenedAudio } from './openedAudio.ts';
import { bytesFrom, decodeBytes } from './wasmStream.ts';

interface StreamInfo {
	readonly sampleRateHz: number;
	readonly channels: number;
	readonly bits: number;
	/** 0 = the encoder did not know. */
	readonly totalSamples: number;
}

/** Opens native FLAC whose `fLaC` is at `start`. Throws `invalid_audio`. */
export async function openFlac(source: AudioSource, start: number): Promise<OpenedAudio> {
	const head = await source.read(start + 4, 38);
	if (head.length < 38 || ((head[0] ?? 0) & 0x7f) !== 0)
		throw new AppError('invalid_audio', 'The FLAC file has no stream information: it is cut off.');
	return opened(source, start, 'flac', parseStreamInfo(head.subarray(4)));
}

/** Opens FLAC in Ogg. Throws `invalid_audio`. */
export async function openOggFlac(source: AudioSource, start: number): Promise<OpenedAudio> {
	const { value: page } = await oggPages(source, start).next();
	if (page === undefined || page.body.length < 51)
		throw new AppError('invalid_audio', 'The first page of the Ogg file is damaged.');
	const info = parseStreamInfo(page.body.subarray(17));
	const granule = await lastGranule(source, page.serial);
	// Encoders that write to a pipe leave the total open; the last page knows it.
	const totalSamples = info.totalSamples || Number(granule ?? 0n);
	return opened(source, start, 'ogg-flac', { ...info, totalSamples });
}

/** The STREAMINFO block (RFC 9639, section 8.2). */
function parseStreamInfo(block: Uint8Array): StreamInfo {
	const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
	const packed = view.getBigUint64(10);
	const sampleRateHz = Number(packed >> 44n);
	const channels = Number((packed >> 41n) & 7n) + 1;
	checkShape(sampleRateHz, channels);
	return {
		sampleRateHz,
		channels,
		bits: Number((packed >> 36n) & 31n) + 1,
		totalSamples: Number(packed & 0xfffffffffn),
	};
}

function opened(
	source: AudioSource,
	start: number,
	format: AudioFormat,
	info: StreamInfo,
): OpenedAudio {
	const durationS = info.totalSamples === 0 ? undefined : info.totalSamples / info.sampleRateHz;
	return {
		info: {
			format,
			codec: `flac-s${info.bits}`,
			sampleRateHz: info.sampleRateHz,
			channels: info.channels,
			durationS,
		},
		blocks: blocks(source, start, durationS),
	};
}

async function* blocks(
	source: AudioSource,
	start: number,
	durationS: number | undefined,
): AsyncGenerator<MonoBlock> {
	let foundS = 0;
	for await (const block of decodeBytes(new FLACDecoder(), bytesFrom(source, start), 'FLAC')) {
		foundS += block.samples.length / block.sampleRateHz;
		yield block;
	}
	if (durationS !== undefined) checkComplete(durationS, foundS);
}
