/** Recordings in Ogg, whatever their codec: streams in a row, each on the clock of its pages. */

import { AppError } from '../protocol/index.ts';
import { checkOggContinues, type OggFormat, oggCodec } from './audioFormat.ts';
import type { AudioSource } from './audioSource.ts';
import { type JudgedPacket, PageClock } from './oggClock.ts';
import { lastGranule, type OggPacket, oggPackets } from './oggPages.ts';
import { checkComplete, type MonoBlock, type OpenedAudio } from './openedAudio.ts';
import { fillGaps, type TimedBlock } from './timeline.ts';

/** What the first packet of a stream tells. */
export interface OggHead {
	readonly codec: string;
	readonly sampleRateHz: number;
	readonly channels: number;
	/** Seconds of sound up to a position of the stream. */
	secondsAt(granule: bigint): number;
	decoder(): Promise<OggDecoder>;
}

/** Decodes the packets of one stream behind the first one. Free it when done. */
export interface OggDecoder {
	/** `undefined` for a packet that is damaged. */
	decode(packet: Uint8Array): JudgedPacket | Promise<JudgedPacket>;
	/** Throws when so much was damaged that what is left is not the recording. */
	checkDamage(): void;
	free(): void;
}

export type OggReader = (packet: Uint8Array) => OggHead;

/** More pages than these are missing only where somebody joined a stream while it ran. */
const maxLostPages = 10;
/** Headers and the first sound are among these. */
const packetsOfBeginning = 1000;

/**
 * Opens the streams from `start` on, each with the reader of its own codec. Throws `invalid_audio`,
 * also while iterating.
 */
export async function openOgg(
	source: AudioSource,
	start: number,
	readers: Readonly<Record<OggFormat, OggReader>>,
): Promise<OpenedAudio> {
	const begins = (body: Uint8Array) => oggCodec(body) !== undefined;
	const { first, joined } = await beginning(oggPackets(source, start, begins));
	const { format, read } = readerOf(first, readers);
	const { codec, sampleRateHz, channels, secondsAt } = read(first.bytes);
	const granule = await lastGranule(source, first.serial);
	// Who joined late never had what the position counts.
	const durationS = granule === undefined || joined ? undefined : Math.max(0, secondsAt(granule));
	return {
		info: { format, codec, sampleRateHz, channels, durationS },
		blocks: blocks(
			oggPackets(source, start, begins, checkOggContinues),
			(packet) => readerOf(packet, readers).read(packet.bytes),
			durationS,
		),
	};
}

function readerOf(first: OggPacket, readers: Readonly<Record<OggFormat, OggReader>>) {
	const format = oggCodec(first.bytes);
	if (format === undefined)
		throw new AppError('invalid_audio', 'The first packet of a stream in the Ogg file is damaged.');
	return { format, read: readers[format] };
}

/** The first packet, and whether the sound after the headers began before the recording did. */
async function beginning(
	packets: AsyncIterable<OggPacket>,
): Promise<{ readonly first: OggPacket; readonly joined: boolean }> {
	let first: OggPacket | undefined;
	let lostPages = 0;
	let count = 0;
	for await (const packet of packets) {
		first ??= packet;
		lostPages += packet.lostPages;
		if ((packet.granule ?? 0n) > 0n || ++count > packetsOfBeginning) break;
	}
	if (first === undefined)
		throw new AppError('invalid_audio', 'The first page of the Ogg file is damaged.');
	return { first, joined: lostPages > maxLostPages };
}

async function* blocks(
	packets: AsyncIterable<OggPacket>,
	read: (first: OggPacket) => OggHead,
	durationS: number | undefined,
): AsyncGenerator<MonoBlock> {
	let lostS = 0;
	async function* timed(): AsyncGenerator<TimedBlock> {
		let decoder: OggDecoder | undefined;
		let clock: PageClock | undefined;
		try {
			for await (const packet of packets) {
				if (packet.first) {
					yield* clock?.settle() ?? [];
					decoder?.checkDamage();
					decoder?.free();
					const head = read(packet);
					decoder = await head.decoder();
					clock = new PageClock(head, clock?.endS ?? 0, maxLostPages);
				} else if (decoder !== undefined && clock !== undefined) {
					yield* clock.add(await decoder.decode(packet.bytes), packet);
					lostS += clock.takeLostS();
				}
			}
			yield* clock?.settle() ?? [];
			decoder?.checkDamage();
		} finally {
			decoder?.free();
		}
	}
	const foundS = yield* fillGaps(timed());
	if (durationS !== undefined) checkComplete(durationS, foundS - lostS);
}
