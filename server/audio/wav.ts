/** Wave files to mono blocks: PCM of 8 to 32 bits, float, µ-law and A-law. */

import type { AudioSource } from './audioSource.ts';
import { pieces } from './audioSource.ts';
import { checkComplete, type MonoBlock, type OpenedAudio } from './openedAudio.ts';
import { readWavHeader, type WavEncoding, type WavHeader } from './wavHeader.ts';

/** Opens a wave file whose RIFF tag is at `start`. Throws `invalid_audio`. */
export async function openWav(source: AudioSource, start: number): Promise<OpenedAudio> {
	const header = await readWavHeader(source, start);
	const seconds = (bytes: number) => bytes / header.frameBytes / header.sampleRateHz;
	if (header.announcedBytes !== undefined)
		checkComplete(seconds(header.announcedBytes), seconds(header.dataBytes));
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
	const read = sampleReader(header.encoding, header.sampleBytes);
	const perPiece = Math.max(1, Math.floor(65_536 / header.frameBytes)) * header.frameBytes;
	const end = header.dataOffset + header.dataBytes;
	const scale = 1 / header.channels;
	for await (const piece of pieces(source, header.dataOffset, end, perPiece)) {
		const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
		const samples = new Float32Array(Math.floor(piece.length / header.frameBytes));
		let at = 0;
		for (let i = 0; i < samples.length; i++) {
			let sum = 0;
			for (let c = 0; c < header.channels; c++, at += header.sampleBytes) sum += read(view, at);
			samples[i] = sum * scale;
		}
		yield { samples, sampleRateHz: header.sampleRateHz };
	}
}

type SampleReader = (view: DataView, at: number) => number;

function sampleReader(encoding: WavEncoding, bytes: number): SampleReader {
	if (encoding === 'unsigned') return (view, at) => (view.getUint8(at) - 128) / 128;
	if (encoding === 'mu-law') return (view, at) => muLaw[view.getUint8(at)] ?? 0;
	if (encoding === 'a-law') return (view, at) => aLaw[view.getUint8(at)] ?? 0;
	if (encoding === 'float') {
		// A broken recorder's NaN or infinity would poison every sample after it in the resampler.
		const finite = (value: number) => (Math.abs(value) <= 1e6 ? value : 0);
		return bytes === 8
			? (view, at) => finite(view.getFloat64(at, true))
			: (view, at) => finite(view.getFloat32(at, true));
	}
	if (bytes === 2) return (view, at) => view.getInt16(at, true) / 32_768;
	if (bytes === 3)
		return (view, at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 65_536) / 8_388_608;
	return (view, at) => view.getInt32(at, true) / 2_147_483_648;
}

/** G.711: code → −1…1. */
const muLaw = Float32Array.from({ length: 256 }, (_, code) => {
	const bits = ~code & 0xff;
	const magnitude = (((bits & 15) << 3) + 132) << ((bits >> 4) & 7);
	return (bits & 0x80 ? 132 - magnitude : magnitude - 132) / 32_768;
});

const aLaw = Float32Array.from({ length: 256 }, (_, code) => {
	const bits = code ^ 0x55;
	const exponent = (bits >> 4) & 7;
	const base = ((bits & 15) << 4) + 8;
	const magnitude = exponent === 0 ? base : (base + 256) << (exponent - 1);
	return (bits & 0x80 ? magnitude : -magnitude) / 32_768;
});
