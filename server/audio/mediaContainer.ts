/** WebM, Matroska and MP4: takes the packets of the audio track out and gives them to their decoder. */

import { FLACDecoder } from '@wasm-audio-decoders/flac';
import {
	CustomSource,
	type EncodedPacket,
	EncodedPacketSink,
	Input,
	type InputAudioTrack,
	MATROSKA,
	MP4,
	QTFF,
	WEBM,
} from 'mediabunny';
import { MPEGDecoder } from 'mpg123-decoder';
import { AppError, asAppError } from '../protocol/index.ts';
import { audioFormatNames } from './audioFormat.ts';
import type { AudioSource } from './audioSource.ts';
import { checkContainerLength } from './containerLength.ts';
import {
	assertAudioFormat,
	checkComplete,
	type MonoBlock,
	mixDown,
	type OpenedAudio,
} from './openedAudio.ts';
import { checkOpusDamage, OpusStream, parseOpusHead } from './opusPackets.ts';
import { mixFrames, pcmReader } from './pcm.ts';
import { fillGaps, type TimedBlock } from './timeline.ts';
import { splitVorbisHeaders, VorbisStream } from './vorbisPackets.ts';

/** What has no decoder here. */
export interface OtherTrack {
	/** As people call it. */
	readonly codec: string;
	/** Its number among the sound tracks of the file, from 0. */
	readonly track: number;
	/** The recording begins at zero of the file's clock, not with its first sound. */
	readonly onClock: boolean;
}

/**
 * Opens the sound track that the file marks as the one to play; `other` opens it where its codec has no decoder
 * here. Throws `invalid_audio`.
 */
export async function openContainer(
	source: AudioSource,
	format: 'matroska' | 'mp4',
	other: (track: OtherTrack) => Promise<OpenedAudio>,
): Promise<OpenedAudio> {
	const name = audioFormatNames[format];
	const { trackCount } = await checkContainerLength(source, format);
	const input = new Input({
		formats: format === 'mp4' ? [MP4, QTFF] : [WEBM, MATROSKA],
		source: new CustomSource({
			getSize: () => source.sizeBytes,
			read: (start, end) => source.read(start, end - start),
			maxCacheSize: 2 << 20,
		}),
	});
	try {
		const track = await input.getPrimaryAudioTrack();
		if (track === null) throw new AppError('invalid_audio', `The ${name} file has no audio track.`);
		const codec = await track.getCodec();
		const sampleRateHz = await track.getSampleRate();
		const channels = await track.getNumberOfChannels();
		assertAudioFormat(sampleRateHz, channels);
		const description = (await track.getDecoderConfig())?.description;
		const durationS = (await track.getDurationFromMetadata({ skipLiveWait: true })) ?? undefined;
		const decode = packetDecoders.get(codec ?? '') ?? pcmDecoder(codec);
		// A piece of a live stream begins at whatever time it is; only a whole file begins at zero.
		const firstS = (await new EncodedPacketSink(track).getFirstPacket())?.timestamp ?? 0;
		const onClock = durationS !== undefined && firstS < durationS;
		if (decode === undefined) {
			const number = (await input.getAudioTracks()).indexOf(track);
			input.dispose();
			return await other({ codec: codec ?? 'unknown', track: number, onClock });
		}
		const setup = description === undefined ? undefined : bytesOf(description);
		const zeroS = onClock ? Math.min(0, firstS) : firstS;
		const promisedS = durationS && (await soundEndS(track, format, durationS, trackCount));
		return {
			info: { format, codec: codec ?? '', sampleRateHz, channels, durationS },
			blocks: blocks(input, decode(track, setup), { name, zeroS, promisedS }),
		};
	} catch (error) {
		input.dispose();
		throw readable(error, name);
	}
}

function readable(error: unknown, name: string): AppError {
	if (error instanceof AppError) return error;
	const known = asAppError(error);
	if (known.code === 'cancelled') return known;
	return new AppError('invalid_audio', `The ${name} file is damaged and cannot be read.`, {
		cause: error,
	});
}

/** Where the sound ends at the latest; `undefined` where nobody says. */
async function soundEndS(
	track: InputAudioTrack,
	format: 'matroska' | 'mp4',
	durationS: number,
	trackCount: number | undefined,
): Promise<number | undefined> {
	// The table of an MP4 file has every packet; its duration may be that of something else.
	if (format === 'mp4') return Math.min(durationS, await track.computeDuration());
	// Of WebM only the whole file says how long it is: pictures, subtitles and other sound included.
	return trackCount === 1 ? durationS : undefined;
}

interface Track {
	/** Of the container, for people. */
	readonly name: string;
	/** Where the recording begins on the container's clock. */
	readonly zeroS: number;
	readonly promisedS: number | undefined;
}

async function* blocks(
	input: Input,
	decoded: AsyncIterable<TimedBlock>,
	{ name, zeroS, promisedS }: Track,
): AsyncGenerator<MonoBlock> {
	async function* fromZero() {
		for await (const block of decoded) yield { ...block, atS: block.atS - zeroS };
	}
	let foundS = 0;
	try {
		foundS = yield* fillGaps(fromZero());
	} catch (error) {
		throw readable(error, name);
	} finally {
		input.dispose();
	}
	if (promisedS !== undefined) checkComplete(promisedS, foundS);
}

type PacketDecoder = (
	track: InputAudioTrack,
	setup: Uint8Array | undefined,
) => AsyncGenerator<TimedBlock>;

const packetDecoders: ReadonlyMap<string, PacketDecoder | undefined> = new Map(
	Object.entries<PacketDecoder | undefined>({
		opus: opusBlocks,
		vorbis: vorbisBlocks,
		flac: flacBlocks,
		mp3: mp3Blocks,
	}),
);

/** The decoder of a codec named as `pcm-s16be`, `ulaw` or `alaw`. */
function pcmDecoder(codec: string | null): PacketDecoder | undefined {
	const law = ({ ulaw: 'mu-law', alaw: 'a-law' } as const)[codec ?? ''];
	const plain = /^pcm-([usf])(8|16|24|32|64)(be)?$/.exec(codec ?? '');
	if (law === undefined && plain === null) return undefined;
	const sampleBytes = Number(plain?.[2] ?? 8) / 8;
	const kinds = { u: 'unsigned', s: 'signed', f: 'float' } as const;
	const encoding = law ?? kinds[plain?.[1] as keyof typeof kinds];
	const read = pcmReader(encoding, sampleBytes, plain?.[3] === undefined);
	return async function* (track) {
		const channels = await track.getNumberOfChannels();
		const sampleRateHz = await track.getSampleRate();
		const shape = { channels, sampleBytes, frameBytes: channels * sampleBytes };
		for await (const { data, timestamp: atS } of packetsOf(track)) {
			const samples = mixFrames(data, read, shape);
			if (samples.length > 0) yield { samples, sampleRateHz, atS };
		}
	};
}

const packetsOf = (track: InputAudioTrack): AsyncIterable<EncodedPacket> =>
	new EncodedPacketSink(track).packets();

async function* opusBlocks(
	track: InputAudioTrack,
	setup: Uint8Array | undefined,
): AsyncGenerator<TimedBlock> {
	const channels = await track.getNumberOfChannels();
	const head = setup
		? parseOpusHead(setup)
		: {
				channels,
				preSkip: 312,
				gain: 1,
				streams: 1,
				coupled: channels - 1,
				mapping: [0, 1].slice(0, channels),
			};
	const stream = new OpusStream(head);
	try {
		await stream.ready;
		for await (const packet of packetsOf(track)) {
			const block = stream.decode(packet.data);
			if (block !== undefined) yield { ...block, atS: packet.timestamp };
		}
		checkOpusDamage(stream);
	} finally {
		stream.free();
	}
}

async function* vorbisBlocks(
	track: InputAudioTrack,
	setup: Uint8Array | undefined,
): AsyncGenerator<TimedBlock> {
	if (setup === undefined)
		throw new AppError('invalid_audio', 'The file holds Vorbis audio without its headers.');
	const [identification, , codebooks] = splitVorbisHeaders(setup);
	const stream = new VorbisStream();
	try {
		await stream.ready;
		stream.begin(identification, codebooks);
		for await (const packet of packetsOf(track)) {
			const block = stream.decode(packet.data);
			if (block !== undefined) yield { ...block, atS: packet.timestamp };
		}
	} finally {
		stream.free();
	}
}

async function* flacBlocks(track: InputAudioTrack): AsyncGenerator<TimedBlock> {
	const decoder = new FLACDecoder();
	try {
		await decoder.ready;
		for await (const packet of packetsOf(track)) {
			const decoded = await decoder.decodeFrames([packet.data]);
			if (decoded.samplesDecoded > 0)
				yield {
					samples: mixDown(decoded.channelData),
					sampleRateHz: decoded.sampleRate,
					atS: packet.timestamp,
				};
		}
	} finally {
		decoder.free();
	}
}

async function* mp3Blocks(track: InputAudioTrack): AsyncGenerator<TimedBlock> {
	const decoder = new MPEGDecoder();
	let startS: number | undefined;
	try {
		await decoder.ready;
		for await (const packet of packetsOf(track)) {
			const { channelData, samplesDecoded, sampleRate } = decoder.decodeFrame(packet.data);
			if (samplesDecoded === 0) continue;
			startS ??= packet.timestamp;
			const mixed = mixDown(channelData);
			// What the container's clock puts before zero is the encoder's run-up.
			const early = Math.min(mixed.length, Math.max(0, Math.round(-startS * sampleRate)));
			startS += early / sampleRate;
			const atS = Math.max(packet.timestamp, startS);
			yield { samples: mixed.subarray(early), sampleRateHz: sampleRate, atS };
		}
	} finally {
		decoder.free();
	}
}

function bytesOf(data: ArrayBufferView | ArrayBufferLike): Uint8Array {
	return ArrayBuffer.isView(data)
		? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
		: new Uint8Array(data);
}
