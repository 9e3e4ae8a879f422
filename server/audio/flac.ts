/** FLAC, native and in Ogg, to mono blocks. */

import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { AppError } from '../protocol/index.ts';
import type { AudioFormat } from './audioFormat.ts';
import { type AudioSource, pieces } from './audioSource.ts';
import { FlacSplitter } from './flacFrames.ts';
import { lastGranule, oggPackets, oggPages } from './oggPages.ts';
import {
	checkComplete,
	checkShape,
	type MonoBlock,
	mixDown,
	type OpenedAudio,
} from './openedAudio.ts';

/** Of the first packet in Ogg: 17 bytes before the STREAMINFO block, and its 34. */
const oggHeaderBytes = 51;

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
	const info = parseStreamInfo(head.subarray(4));
	return opened('flac', info, nativeFrames(source, start));
}

/** Opens FLAC in Ogg. Throws `invalid_audio`. */
export async function openOggFlac(source: AudioSource, start: number): Promise<OpenedAudio> {
	const { value: page } = await oggPages(source, start).next();
	if (page === undefined || page.body.length < oggHeaderBytes)
		throw new AppError('invalid_audio', 'The first page of the Ogg file is damaged.');
	const info = parseStreamInfo(page.body.subarray(17));
	const granule = await lastGranule(source, page.serial);
	// Encoders that write to a pipe leave the total open; the last page knows it.
	const totalSamples = info.totalSamples || Number(granule ?? 0n);
	return opened('ogg-flac', { ...info, totalSamples }, packetFrames(source, start));
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
	format: AudioFormat,
	info: StreamInfo,
	frames: AsyncIterable<FrameGroup>,
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
		blocks: blocks(frames, info, durationS),
	};
}

interface FrameGroup {
	readonly frames: readonly Uint8Array[];
	/** Samples of the stream up to here, where the container tells; the last frame may hold more. */
	readonly until?: number;
	/** A stream begins, and counts its samples anew. */
	readonly begins?: StreamInfo;
}

async function* nativeFrames(source: AudioSource, start: number): AsyncGenerator<FrameGroup> {
	const splitter = new FlacSplitter();
	for await (const piece of pieces(source, await firstFrame(source, start + 4))) {
		const frames = splitter.push(piece);
		if (frames.length > 0) yield { frames };
	}
	yield { frames: splitter.push(new Uint8Array(0), true) };
}

/** Offset behind the metadata blocks (RFC 9639, section 8.1), the first of which is at `at`. */
async function firstFrame(source: AudioSource, at: number): Promise<number> {
	for (let next = at; ; ) {
		const [kind = 0x80, a = 0, b = 0, c = 0] = await source.read(next, 4);
		next += 4 + (a << 16) + (b << 8) + c;
		if ((kind & 0x80) !== 0) return next;
	}
}

async function* packetFrames(source: AudioSource, start: number): AsyncGenerator<FrameGroup> {
	for await (const { bytes, last, granule } of oggPackets(source, start)) {
		if (bytes[0] === 0x7f && bytes.length >= oggHeaderBytes)
			yield { frames: [], begins: parseStreamInfo(bytes.subarray(17)) };
		else if (bytes[0] === 0xff)
			yield { frames: [bytes], ...(last && granule !== undefined && { until: Number(granule) }) };
	}
}

async function* blocks(
	groups: AsyncIterable<FrameGroup>,
	info: StreamInfo,
	durationS: number | undefined,
): AsyncGenerator<MonoBlock> {
	const decoder = new FLACDecoder();
	let { sampleRateHz } = info;
	let foundS = 0;
	let ofStream = 0;
	try {
		await decoder.ready;
		for await (const { frames, until, begins } of groups) {
			if (begins !== undefined) {
				ofStream = 0;
				sampleRateHz = begins.sampleRateHz;
			}
			if (frames.length === 0) continue;
			const { channelData } = await decoder.decodeFrames([...frames]);
			const mixed = mixDown(channelData);
			ofStream += mixed.length;
			const extra = Math.min(mixed.length, Math.max(0, ofStream - (until ?? ofStream)));
			const samples = mixed.subarray(0, mixed.length - extra);
			foundS += samples.length / sampleRateHz;
			if (samples.length > 0) yield { samples, sampleRateHz };
		}
	} finally {
		decoder.free();
	}
	if (durationS !== undefined) checkComplete(durationS, foundS);
}
