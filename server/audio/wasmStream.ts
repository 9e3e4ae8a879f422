/** Drives a decoder that is fed raw bytes of a file and gives channels back (FLAC, Ogg Vorbis). */

import { AppError } from '../protocol/index.ts';
import { type AudioSource, pieces } from './audioSource.ts';
import { type MonoBlock, mixDown } from './openedAudio.ts';

interface Decoded {
	readonly channelData: Float32Array[];
	readonly samplesDecoded: number;
	readonly sampleRate: number;
	readonly errors: readonly unknown[];
}

export interface ByteDecoder {
	readonly ready: Promise<void>;
	decode(bytes: Uint8Array): Promise<Decoded>;
	flush(): Promise<Decoded>;
	free(): void;
}

export interface DecodeTally {
	samples: number;
	errors: number;
	blocks: number;
}

/** Feeds `bytes` piece by piece. Whatever the decoder throws becomes `invalid_audio`. */
export async function* decodeBytes(
	decoder: ByteDecoder,
	bytes: AsyncIterable<Uint8Array>,
	name: string,
	tally: DecodeTally = { samples: 0, errors: 0, blocks: 0 },
): AsyncGenerator<MonoBlock> {
	const guard = async (work: () => Promise<Decoded>): Promise<MonoBlock | undefined> => {
		const decoded = await work().catch((error: unknown) => {
			throw new AppError('invalid_audio', `The ${name} audio is damaged and cannot be decoded.`, {
				cause: error,
			});
		});
		tally.errors += decoded.errors.length;
		tally.blocks++;
		const samples = mixDown(decoded.channelData);
		if (samples.length === 0 || !(decoded.sampleRate > 0)) return undefined;
		tally.samples += samples.length;
		return { samples, sampleRateHz: decoded.sampleRate };
	};
	try {
		await decoder.ready;
		for await (const piece of bytes) {
			const block = await guard(() => decoder.decode(piece));
			if (block !== undefined) yield block;
		}
		const rest = await guard(() => decoder.flush());
		if (rest !== undefined) yield rest;
	} finally {
		decoder.free();
	}
}

/** All bytes of a source from an offset. */
export const bytesFrom = (source: AudioSource, offset: number) => pieces(source, offset);
