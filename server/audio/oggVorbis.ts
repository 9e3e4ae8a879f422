/** Ogg Vorbis to mono blocks. */

import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';
import { lastGranule, oggPackets, oggPages } from './oggPages.ts';
import { checkComplete, checkShape, type MonoBlock, type OpenedAudio } from './openedAudio.ts';
import { VorbisStream } from './vorbisPackets.ts';

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
	for await (const block of decoded(source, start)) {
		foundS += block.samples.length / block.sampleRateHz;
		yield block;
	}
	if (durationS !== undefined) checkComplete(durationS, foundS);
}

const headerKinds = { identification: 1, setup: 5 };

/** Of all streams chained in the file. */
async function* decoded(source: AudioSource, start: number): AsyncGenerator<MonoBlock> {
	let stream: VorbisStream | undefined;
	let identification: Uint8Array | undefined;
	let clock = new SampleClock();
	try {
		for await (const { bytes, granule, last } of oggPackets(source, start)) {
			if (bytes[0] === headerKinds.identification) {
				identification = bytes;
			} else if (bytes[0] === headerKinds.setup && identification !== undefined) {
				stream?.free();
				stream = new VorbisStream();
				clock = new SampleClock();
				await stream.ready;
				stream.begin(identification, bytes);
			} else if (stream !== undefined && ((bytes[0] ?? 1) & 1) === 0) {
				const block = stream.decode(bytes);
				const extra = clock.add(block?.samples.length ?? 0, granule, last);
				if (block === undefined) continue;
				const samples = block.samples.subarray(0, Math.max(0, block.samples.length - extra));
				if (samples.length > 0) yield { ...block, samples };
			}
		}
	} finally {
		stream?.free();
	}
}

/** Where a stream is by its own count, and by the granules of its pages, which may begin anywhere. */
class SampleClock {
	#done = 0;
	#offset: number | undefined;

	/** Samples at the end of the stream that are beyond what its last granule says. */
	add(samples: number, granule: bigint | undefined, last: boolean): number {
		this.#done += samples;
		if (granule === undefined) return 0;
		if (!last) {
			this.#offset ??= Math.max(0, Number(granule) - this.#done);
			return 0;
		}
		return Math.max(0, this.#done - (Number(granule) - (this.#offset ?? 0)));
	}
}
