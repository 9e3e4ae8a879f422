/** What every container reader gives: facts from the header and mono blocks at the recording's own rate. */

import { AppError } from '../protocol/index.ts';
import type { AudioFormat } from './audioFormat.ts';

export interface AudioInfo {
	readonly format: AudioFormat;
	/** For example `pcm-s16`, `mp3`, `opus`. */
	readonly codec: string;
	readonly sampleRateHz: number;
	readonly channels: number;
	/** From the header, in seconds; `undefined` when only decoding tells. */
	readonly durationS: number | undefined;
}

export interface MonoBlock {
	/** −1…1, at most about a second. */
	readonly samples: Float32Array;
	readonly sampleRateHz: number;
}

export interface OpenedAudio {
	readonly info: AudioInfo;
	/** Decodes from the start; can be iterated once. */
	readonly blocks: AsyncIterable<MonoBlock>;
}

/** Sampling rates that exist in practice; anything else is a damaged header. */
const minimumRateHz = 1000;
const maximumRateHz = 768_000;
const maximumChannels = 64;

/** Throws `invalid_audio` for rates and channel counts no recording has. */
export function assertAudioFormat(sampleRateHz: number, channels: number): void {
	if (!(sampleRateHz >= minimumRateHz && sampleRateHz <= maximumRateHz)) {
		throw new AppError(
			'invalid_audio',
			`The header says ${sampleRateHz} samples per second; between ${minimumRateHz} and ${maximumRateHz} is possible.`,
		);
	}
	if (!(channels >= 1 && channels <= maximumChannels))
		throw new AppError(
			'invalid_audio',
			`The header says ${channels} channels; 1 to ${maximumChannels} are possible.`,
		);
}

/** Mean of the channels. One channel is returned as it is. */
export function mixDown(channels: readonly Float32Array[]): Float32Array {
	const [first] = channels;
	if (first === undefined) return new Float32Array(0);
	if (channels.length === 1) return first;
	const mono = new Float32Array(first.length);
	for (const channel of channels) {
		for (let i = 0; i < mono.length; i++) mono[i] = (mono[i] ?? 0) + (channel[i] ?? 0);
	}
	const scale = 1 / channels.length;
	for (let i = 0; i < mono.length; i++) mono[i] = (mono[i] ?? 0) * scale;
	return mono;
}

/** Throws when clearly less is there than a header promises: a cut-off upload or copy. */
export function checkComplete(promisedS: number, foundS: number): void {
	if (foundS >= promisedS * 0.98 - 0.25) return;
	throw new AppError(
		'invalid_audio',
		`The recording is cut off or damaged: its header promises ${promisedS.toFixed(2)} s and ${foundS.toFixed(2)} s can be read. Copy or upload it again.`,
	);
}
