/** Ogg Opus (RFC 7845) to mono blocks at 16 kHz. */

import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';
import { lastGranule, oggPackets, oggPages } from './oggPages.ts';
import { checkComplete, type MonoBlock, type OpenedAudio } from './openedAudio.ts';
import { checkOpusDamage, OpusStream, opusRateHz, parseOpusHead } from './opusPackets.ts';

const startsWith = (bytes: Uint8Array, text: string) =>
	bytes.length >= text.length && String.fromCharCode(...bytes.subarray(0, text.length)) === text;

/** Opens the stream at `start`. Throws `invalid_audio`. */
export async function openOggOpus(source: AudioSource, start: number): Promise<OpenedAudio> {
	const { value: page } = await oggPages(source, start).next();
	if (page === undefined || !startsWith(page.body, 'OpusHead'))
		throw new AppError('invalid_audio', 'The first page of the Ogg file is damaged.');
	const head = parseOpusHead(page.body);
	const granule = await lastGranule(source, page.serial);
	const durationS =
		granule === undefined ? undefined : Math.max(0, (Number(granule) - head.preSkip) / 48_000);
	return {
		info: {
			format: 'ogg-opus',
			codec: 'opus',
			sampleRateHz: 48_000,
			channels: head.channels,
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
	let stream: OpusStream | undefined;
	let done = 0;
	let firstGranule = 0;
	try {
		for await (const packet of oggPackets(source, start)) {
			if (startsWith(packet.bytes, 'OpusHead')) {
				if (stream !== undefined) checkOpusDamage(stream);
				stream?.free();
				const head = parseOpusHead(packet.bytes);
				stream = new OpusStream(head);
				firstGranule = head.preSkip;
				done = 0;
				await stream.ready;
				continue;
			}
			if (stream === undefined || startsWith(packet.bytes, 'OpusTags')) continue;
			const block = stream.decode(packet.bytes);
			if (block === undefined) continue;
			done += block.samples.length;
			// The granule of the last packet says where the recording really ends inside it.
			const end =
				packet.last && packet.granule !== undefined
					? Math.round((Number(packet.granule) - firstGranule) / 3)
					: done;
			const extra = Math.max(0, Math.min(block.samples.length, done - end));
			yield extra === 0
				? block
				: { ...block, samples: block.samples.subarray(0, block.samples.length - extra) };
		}
		if (stream !== undefined) {
			checkOpusDamage(stream);
			// A recording cut out of a live stream starts at a high granule: nothing was promised then.
			if (durationS !== undefined && stream.damaged > 0)
				checkComplete(durationS, done / opusRateHz);
		}
	} finally {
		stream?.free();
	}
}
