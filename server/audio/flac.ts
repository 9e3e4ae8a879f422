/** FLAC to mono blocks. */

import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';
import { FlacSplitter } from './flacFrames.ts';
import {
	assertAudioFormat,
	checkComplete,
	type MonoBlock,
	mixDown,
	type OpenedAudio,
} from './openedAudio.ts';

export interface StreamInfo {
	readonly sampleRateHz: number;
	readonly channels: number;
	readonly bits: number;
	/** 0 = the encoder did not know. */
	readonly totalSamples: number;
}

/** How a stream begins: STREAMINFO of 34 bytes is its first block, be it the last one or not. */
const streamBegins = [0x00, 0x80].map((kind) =>
	Buffer.from([...Buffer.from('fLaC'), kind, 0, 0, 34]),
);
const beginningBytes = 8;
const pieceBytes = 65_536;

/**
 * Opens native FLAC whose `fLaC` is at `start`, and the recordings that somebody joined to its end.
 * Throws `invalid_audio`.
 */
export async function openFlac(source: AudioSource, start: number): Promise<OpenedAudio> {
	const { sampleRateHz, channels, bits, durationS } = await readStreamInfo(source, start);
	return {
		info: { format: 'flac', codec: `flac-s${bits}`, sampleRateHz, channels, durationS },
		blocks: blocks(source, start),
	};
}

async function readStreamInfo(source: AudioSource, start: number) {
	const head = await source.read(start + 4, 38);
	if (head.length < 38 || ((head[0] ?? 0) & 0x7f) !== 0)
		throw new AppError('invalid_audio', 'The FLAC file has no stream information: it is cut off.');
	const info = parseStreamInfo(head.subarray(4));
	const { totalSamples, sampleRateHz } = info;
	return { ...info, durationS: totalSamples === 0 ? undefined : totalSamples / sampleRateHz };
}

/** The STREAMINFO block (RFC 9639, section 8.2). */
export function parseStreamInfo(block: Uint8Array): StreamInfo {
	const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
	const packed = view.getBigUint64(10);
	const sampleRateHz = Number(packed >> 44n);
	const channels = Number((packed >> 41n) & 7n) + 1;
	assertAudioFormat(sampleRateHz, channels);
	return {
		sampleRateHz,
		channels,
		bits: Number((packed >> 36n) & 31n) + 1,
		totalSamples: Number(packed & 0xfffffffffn),
	};
}

/** The frames of the stream at `start`; returns where the next one begins. */
async function* frameGroups(
	source: AudioSource,
	start: number,
): AsyncGenerator<Uint8Array[], number | undefined> {
	const splitter = new FlacSplitter();
	let next: number | undefined;
	for (let at = await firstFrame(source, start + 4); next === undefined; at += pieceBytes) {
		// The beginning of a stream may lie across two pieces.
		const piece = Buffer.from(await source.read(at, pieceBytes + beginningBytes - 1));
		if (piece.length === 0) break;
		const found = streamBegins.map((bytes) => piece.indexOf(bytes)).filter((place) => place >= 0);
		const length = Math.min(...found, pieceBytes);
		if (found.length > 0) next = at + length;
		yield splitter.push(piece.subarray(0, length));
	}
	yield splitter.push(new Uint8Array(0), true);
	return next;
}

/** Offset behind the metadata blocks (RFC 9639, section 8.1), the first of which is at `at`. */
async function firstFrame(source: AudioSource, at: number): Promise<number> {
	for (let next = at; ; ) {
		const [kind = 0x80, a = 0, b = 0, c = 0] = await source.read(next, 4);
		next += 4 + (a << 16) + (b << 8) + c;
		if ((kind & 0x80) !== 0) return next;
	}
}

async function* blocks(source: AudioSource, start: number): AsyncGenerator<MonoBlock> {
	for (let at: number | undefined = start; at !== undefined; ) at = yield* streamBlocks(source, at);
}

/** The sound of the stream at `start`; returns where the next one begins. */
async function* streamBlocks(
	source: AudioSource,
	start: number,
): AsyncGenerator<MonoBlock, number | undefined> {
	const { sampleRateHz, durationS } = await readStreamInfo(source, start);
	const decoder = new FLACDecoder();
	let foundS = 0;
	let next: number | undefined;
	async function* groups() {
		next = yield* frameGroups(source, start);
	}
	try {
		await decoder.ready;
		for await (const frames of groups()) {
			if (frames.length === 0) continue;
			const { channelData } = await decoder.decodeFrames(frames);
			const samples = mixDown(channelData);
			if (samples.length === 0) continue;
			foundS += samples.length / sampleRateHz;
			yield { samples, sampleRateHz };
		}
	} finally {
		decoder.free();
	}
	if (durationS !== undefined) checkComplete(durationS, foundS);
	return next;
}
