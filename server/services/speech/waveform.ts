/** A recording as a picture and as a file any browser plays, both from its decoded sound. */

import { open } from 'node:fs/promises';
import { type DecodedAudio, speechRateHz } from '../../audio/decodeAudio.ts';
import { type SoundCut, type Waveform, withoutSoundCuts } from '../../protocol/index.ts';
import { movePath, removePath } from '../../store/movePath.ts';

/** Samples of the finest chunk: 10 ms. */
const blockSamples = speechRateHz / 100;
const wavHeaderBytes = 44;

/** The loudest sample of each of `buckets` equal chunks, 0…255. Throws `invalid_audio` as decoding does. */
export async function waveformOf(
	audio: DecodedAudio,
	buckets: number,
	signal?: AbortSignal,
): Promise<Waveform> {
	const fine = new LoudnessTrack();
	try {
		for await (const samples of audio.samples) {
			signal?.throwIfAborted();
			fine.add(samples);
		}
	} finally {
		await audio.close();
	}
	return { peaks: fine.reduce(buckets), duration: fine.samples / speechRateHz };
}

/** Peaks of 10 ms chunks, a byte each: 1.4 MB for four hours. */
class LoudnessTrack {
	#peaks = new Uint8Array(4096);
	samples = 0;

	add(samples: Float32Array): void {
		const needed = Math.ceil((this.samples + samples.length) / blockSamples);
		if (needed > this.#peaks.length) {
			const grown = new Uint8Array(Math.max(needed, this.#peaks.length * 2));
			grown.set(this.#peaks);
			this.#peaks = grown;
		}
		for (const value of samples) {
			const place = Math.floor(this.samples++ / blockSamples);
			const loud = Math.min(255, Math.round(Math.abs(value) * 255));
			if (loud > (this.#peaks[place] ?? 0)) this.#peaks[place] = loud;
		}
	}

	reduce(buckets: number): number[] {
		const length = Math.ceil(this.samples / blockSamples);
		const count = Math.min(buckets, length);
		return Array.from({ length: count }, (_, bucket) => {
			let loudest = 0;
			const end = Math.floor(((bucket + 1) * length) / count);
			for (let place = Math.floor((bucket * length) / count); place < end; place++)
				loudest = Math.max(loudest, this.#peaks[place] ?? 0);
			return loudest;
		});
	}
}

/** Writes 16 kHz mono PCM to `target`, which is complete or absent, without some parts of it. */
export async function writePlayable(
	audio: DecodedAudio,
	target: string,
	signal?: AbortSignal,
	cuts: readonly SoundCut[] = [],
): Promise<void> {
	const temporary = `${target}.part`;
	const file = await open(temporary, 'w', 0o600);
	try {
		let at = wavHeaderBytes;
		const kept = withoutSoundCuts(cuts, speechRateHz);
		for await (const all of audio.samples) {
			signal?.throwIfAborted();
			const samples = kept(all);
			if (samples.length === 0) continue;
			const pcm = new Int16Array(samples.length);
			samples.forEach((value, place) => {
				pcm[place] = Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768)));
			});
			await file.write(new Uint8Array(pcm.buffer), 0, pcm.byteLength, at);
			at += pcm.byteLength;
		}
		await file.write(wavHeader(at - wavHeaderBytes), 0, wavHeaderBytes, 0);
		await file.close();
		await movePath(temporary, target);
	} catch (error) {
		await file.close();
		await removePath(temporary, { force: true });
		throw error;
	} finally {
		await audio.close();
	}
}

function wavHeader(dataBytes: number): Buffer {
	const header = Buffer.alloc(wavHeaderBytes);
	header.write('RIFF', 0);
	header.writeUInt32LE(dataBytes + 36, 4);
	header.write('WAVEfmt ', 8);
	header.writeUInt32LE(16, 16);
	header.writeUInt16LE(1, 20);
	header.writeUInt16LE(1, 22);
	header.writeUInt32LE(speechRateHz, 24);
	header.writeUInt32LE(speechRateHz * 2, 28);
	header.writeUInt16LE(2, 32);
	header.writeUInt16LE(16, 34);
	header.write('data', 36);
	header.writeUInt32LE(dataBytes, 40);
	return header;
}
