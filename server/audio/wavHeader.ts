/** Reads the chunks of RIFF, RF64 and BW64 wave files up to the samples. */

import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';
import { assertAudioFormat } from './openedAudio.ts';
import type { PcmEncoding } from './pcm.ts';
import { type PcmForm, soundingForm } from './wavShape.ts';

export interface WavHeader {
	readonly encoding: PcmEncoding;
	readonly sampleRateHz: number;
	readonly channels: number;
	/** Bytes of one sample of one channel. */
	readonly sampleBytes: number;
	/** Bytes of one sample of all channels. */
	readonly frameBytes: number;
	readonly dataOffset: number;
	/** Bytes of whole frames that are there. */
	readonly dataBytes: number;
	/** Bytes the header announces; `undefined` for a recorder that never wrote the length. */
	readonly announcedBytes: number | undefined;
}

/** What the "fmt " chunk says; where its fields contradict each other, all that they say. */
interface WavFormat
	extends Pick<WavHeader, 'encoding' | 'sampleRateHz' | 'channels' | 'sampleBytes' | 'frameBytes'> {
	readonly contradicting?: readonly PcmForm[];
}

const formatTags = { pcm: 1, float: 3, aLaw: 6, muLaw: 7, extensible: 0xfffe } as const;
/** Wave formats people meet that are not plain samples. */
const otherFormats: Readonly<Record<number, string>> = {
	2: 'Microsoft ADPCM',
	17: 'IMA ADPCM',
	49: 'GSM 6.10',
	80: 'MPEG',
	85: 'MP3',
	353: 'Windows Media Audio',
};
const maximumChunks = 1000;

/** Throws `invalid_audio` that names the damaged field. */
export async function readWavHeader(source: AudioSource, start: number): Promise<WavHeader> {
	const tag = text(await source.read(start, 4), 0);
	let format: WavFormat | undefined;
	let longData: number | undefined;
	let at = start + 12;
	for (let chunk = 0; chunk < maximumChunks && at + 8 <= source.sizeBytes; chunk++) {
		const head = view(await source.read(at, 8));
		const name = text(new Uint8Array(head.buffer, head.byteOffset, 4), 0);
		const size = head.getUint32(4, true);
		at += 8;
		if (name === 'ds64' && tag !== 'RIFF') {
			const body = view(await source.read(at, 28));
			if (body.byteLength >= 16) longData = Number(body.getBigUint64(8, true));
		} else if (name === 'fmt ') {
			format = readFormat(view(await source.read(at, Math.min(size, 40))));
		} else if (name === 'data') {
			if (format === undefined)
				throw new AppError('invalid_audio', 'The WAV file has no "fmt " chunk before its samples.');
			return withData(source, format, at, size === 0xffffffff ? longData : size);
		}
		at += size + (size & 1);
	}
	throw new AppError(
		'invalid_audio',
		format === undefined
			? 'The WAV file has no "fmt " chunk: it is damaged or cut off.'
			: 'The WAV file has no "data" chunk: it holds no samples.',
	);
}

async function withData(
	source: AudioSource,
	{ contradicting, ...said }: WavFormat,
	dataOffset: number,
	announced: number | undefined,
): Promise<WavHeader> {
	const available = source.sizeBytes - dataOffset;
	// Recorders that write to a pipe leave 0 or a huge number and never come back to it.
	const unknown =
		announced === undefined || announced >= 0x7ffff000 || (announced === 0 && available > 0);
	const bytes = unknown ? available : Math.min(announced, available);
	const format =
		contradicting === undefined
			? said
			: {
					...said,
					...(await soundingForm(
						source,
						dataOffset,
						unknown ? undefined : announced,
						contradicting,
					)),
				};
	const dataBytes = bytes - (bytes % format.frameBytes);
	if (dataBytes === 0) throw new AppError('invalid_audio', 'The WAV file holds no samples.');
	return {
		...format,
		dataOffset,
		dataBytes,
		announcedBytes: unknown && (announced ?? 0) < 2 ** 32 ? undefined : announced,
	};
}

function readFormat(body: DataView): WavFormat {
	if (body.byteLength < 16)
		throw new AppError('invalid_audio', 'The "fmt " chunk of the WAV file is cut off.');
	let tag = body.getUint16(0, true);
	const channels = body.getUint16(2, true);
	const sampleRateHz = body.getUint32(4, true);
	const bits = body.getUint16(14, true);
	if (tag === formatTags.extensible) {
		if (body.byteLength < 26)
			throw new AppError(
				'invalid_audio',
				'The extensible "fmt " chunk of the WAV file is cut off.',
			);
		tag = body.getUint16(24, true);
	}
	assertAudioFormat(sampleRateHz, channels);
	const encoding = encodingOf(tag, bits);
	const sampleBytes = Math.ceil(bits / 8);
	const frameBytes = sampleBytes * channels;
	const said = { encoding, sampleRateHz, channels, sampleBytes, frameBytes };
	const others = otherFrameBytes(body, sampleRateHz, frameBytes);
	if (others.length === 0) return said;
	const possible = others.filter(
		(bytes) => Number.isInteger(bytes / channels) && bytes / channels <= 4,
	);
	if (tag !== formatTags.pcm || possible.length === 0)
		throw new AppError(
			'invalid_audio',
			`The header of the WAV file contradicts itself: ${bits} bits a sample, and ${others.join(' or ')} bytes for ${channels} channels.`,
		);
	// PCM with fewer bits than its bytes hold has them at the top, so the bytes alone tell how to read it.
	const contradicting = [frameBytes, ...possible].map((bytes) => ({
		encoding: bytes === channels ? ('unsigned' as const) : ('signed' as const),
		channels,
		sampleBytes: bytes / channels,
		frameBytes: bytes,
	}));
	return { ...said, contradicting };
}

/** Bytes of a sample of all channels as the other fields have them, unless one of them agrees with the bits. */
function otherFrameBytes(body: DataView, sampleRateHz: number, fromBits: number): number[] {
	const perSecond = body.getUint32(8, true) / sampleRateHz;
	const blockAlign = body.getUint16(12, true);
	const others = [...new Set([blockAlign, perSecond])].filter(
		(bytes) => bytes > 0 && Number.isInteger(bytes),
	);
	return others.includes(fromBits) ? [] : others;
}

function encodingOf(tag: number, bits: number): PcmEncoding {
	if (tag === formatTags.pcm && bits >= 1 && bits <= 32) return bits <= 8 ? 'unsigned' : 'signed';
	if (tag === formatTags.float && (bits === 32 || bits === 64)) return 'float';
	if (tag === formatTags.muLaw && bits === 8) return 'mu-law';
	if (tag === formatTags.aLaw && bits === 8) return 'a-law';
	const name = otherFormats[tag] ?? `format ${tag}`;
	throw new AppError(
		'invalid_audio',
		`The WAV file holds ${name} with ${bits} bits; Nearglot reads PCM with 8 to 32 bits, float, µ-law and A-law in WAV.`,
	);
}

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const text = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
