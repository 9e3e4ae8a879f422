/**
 * Sound that is being recorded: pieces go in at the microphone's rate, 16 kHz mono comes out as soon as it
 * is there. What the model has not heard yet waits in a file, so a slow model costs no memory.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../protocol/index.ts';
import { removePath } from '../store/movePath.ts';
import { fillScratchFolder } from '../store/scratch.ts';
import { type DecodedAudio, speechRateHz } from './decodeAudio.ts';
import { assertAudioFormat } from './openedAudio.ts';
import { Resampler } from './resampler.ts';

/** Samples given out at once. */
const blockSamples = 4 * speechRateHz;

/** One recording that grows. */
export class LiveAudio implements DecodedAudio {
	readonly info = {
		format: 'wav',
		codec: 'pcm-s16',
		sampleRateHz: speechRateHz,
		channels: 1,
		durationS: undefined,
	} as const;
	readonly samples: AsyncIterable<Float32Array>;
	readonly #maximumS: number;
	readonly #folder: string;
	readonly #file: FileHandle;
	#resampler: Resampler | undefined;
	#rateHz: number | undefined;
	/** Samples of the microphone so far. */
	#received = 0;
	/** Samples at 16 kHz in the file. */
	#written = 0;
	#ended = false;
	#closed = false;
	#wake: () => void = () => {};
	#writing: Promise<void> = Promise.resolve();

	private constructor(folder: string, file: FileHandle, maximumS: number) {
		this.#folder = folder;
		this.#file = file;
		this.#maximumS = maximumS;
		this.samples = this.#read();
	}

	/**
	 * @param maximumS longest recording; what comes later is refused with `payload_too_large`
	 * @param scratch folder for the sound
	 */
	static async open(maximumS: number, scratch: string): Promise<LiveAudio> {
		return fillScratchFolder('live', scratch, async (folder) => {
			const file = await open(join(folder, 'samples'), 'wx+', 0o600);
			return new LiveAudio(folder, file, maximumS);
		});
	}

	/** Samples received, at the microphone's rate. */
	get received(): number {
		return this.#received;
	}

	get seconds(): number {
		return this.#received / (this.#rateHz ?? speechRateHz);
	}

	/**
	 * Adds samples that begin at sample `from` of the recording; those it has already are passed over.
	 * Throws `conflict` for a gap, `invalid_audio` for rates no microphone has.
	 */
	push(samples: Int16Array, rateHz: number, from = this.#received): Promise<void> {
		if (this.#ended) throw new AppError('not_found', 'This recording has ended.');
		if (this.#rateHz === undefined) {
			assertAudioFormat(rateHz, 1);
			this.#rateHz = rateHz;
			if (rateHz !== speechRateHz) this.#resampler = new Resampler(rateHz, speechRateHz);
		} else if (this.#rateHz !== rateHz) {
			throw new AppError(
				'invalid_request',
				`The recording began with ${this.#rateHz} samples per second; it cannot go on with ${rateHz}.`,
				{ param: 'rate' },
			);
		}
		if (from > this.#received) {
			throw new AppError(
				'conflict',
				`Sample ${from} was sent, but only ${this.#received} came before it. Send what is missing first.`,
				{ param: 'from' },
			);
		}
		const fresh = samples.subarray(this.#received - from);
		const seconds = (this.#received + fresh.length) / rateHz;
		if (seconds > this.#maximumS) {
			throw new AppError(
				'payload_too_large',
				`A recording may be ${this.#maximumS} s long; this one is longer.`,
			);
		}
		this.#received += fresh.length;
		const floats = Float32Array.from(fresh, (value) => value / 32_768);
		return this.#append(this.#resampler?.push(floats) ?? floats);
	}

	/** A moment of silence that was not recorded: what was said before it counts as finished. */
	async rest(seconds: number): Promise<void> {
		if (!this.#ended) await this.#append(new Float32Array(Math.round(seconds * speechRateHz)));
	}

	/** Nothing follows. */
	async end(): Promise<void> {
		if (this.#ended) return;
		this.#ended = true;
		await this.#append(this.#resampler?.flush() ?? new Float32Array(0));
		this.#wake();
	}

	async close(): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		this.#ended = true;
		this.#wake();
		await this.#writing.catch(() => {});
		await this.#file.close();
		await removePath(this.#folder, { recursive: true, force: true });
	}

	#append(samples: Float32Array): Promise<void> {
		const bytes = Int16Array.from(samples, (value) =>
			Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))),
		);
		this.#writing = this.#writing.then(async () => {
			await this.#file.write(bytes, 0, bytes.byteLength, this.#written * 2);
			this.#written += bytes.length;
			this.#wake();
		});
		return this.#writing;
	}

	async *#read(): AsyncGenerator<Float32Array> {
		let read = 0;
		for (;;) {
			while (read === this.#written) {
				if (this.#closed) return;
				if (this.#ended) {
					await this.#writing;
					if (read === this.#written) return;
					break;
				}
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
			}
			const count = Math.min(blockSamples, this.#written - read);
			const block = new Int16Array(count);
			await this.#file.read(block, 0, block.byteLength, read * 2);
			read += count;
			yield Float32Array.from(block, (value) => value / 32_768);
		}
	}
}
