/** Any recording to 16 kHz mono, piece by piece: tells the format, decodes, mixes, resamples. */

import { AppError } from '../protocol/index.ts';
import { type AudioFormat, audioFormatNames, type OggFormat, sniffFormat } from './audioFormat.ts';
import type { AudioSource } from './audioSource.ts';
import { openWithFfmpeg } from './ffmpegAudio.ts';
import { openFlac } from './flac.ts';
import { type OtherTrack, openContainer } from './mediaContainer.ts';
import { openMp3 } from './mp3.ts';
import { readOggFlac } from './oggFlac.ts';
import { readOggOpus } from './oggOpus.ts';
import { type OggReader, openOgg } from './oggRecording.ts';
import { readOggVorbis } from './oggVorbis.ts';
import type { AudioInfo, MonoBlock, OpenedAudio } from './openedAudio.ts';
import { Resampler } from './resampler.ts';
import { openWav } from './wav.ts';

/** The rate of every speech model here. */
export const speechRateHz = 16_000;

/** Four hours. */
export const defaultMaximumS = 14_400;

export interface DecodeLimits {
	/** Longest recording in seconds; longer ones end in `payload_too_large`. */
	readonly maximumS: number;
}

export interface DecodedAudio {
	readonly info: AudioInfo;
	/** 16 kHz mono, −1…1, pieces of at most a few seconds; can be iterated once. */
	readonly samples: AsyncIterable<Float32Array>;
	/** Frees the decoder, also when the samples were never asked for. */
	close(): Promise<void>;
}

/**
 * Opens a recording whatever its name. Throws `invalid_audio` (what is wrong with it) and
 * `payload_too_large` (longer than the limit); both may also come while iterating.
 */
export async function decodeAudio(
	source: AudioSource,
	limits: DecodeLimits = { maximumS: defaultMaximumS },
	signal?: AbortSignal,
): Promise<DecodedAudio> {
	const { format, offset } = await sniffFormat(source);
	const opened = await openFormat(source, format, offset, limits);
	const { durationS } = opened.info;
	// A header that lies about its length is damage, found while decoding; here it only saves time.
	if (durationS !== undefined && durationS > limits.maximumS) throw tooLong(durationS, limits);
	const samples = speechSamples(opened, limits, signal);
	return { info: opened.info, samples, close: async () => void (await samples.return(undefined)) };
}

async function openFormat(
	source: AudioSource,
	format: AudioFormat,
	offset: number,
	limits: DecodeLimits,
): Promise<OpenedAudio> {
	const withFfmpeg = (track: OtherTrack) =>
		openWithFfmpeg(source, { ...track, format, maximumS: limits.maximumS });
	switch (format) {
		case 'wav':
			return openWav(source, offset);
		case 'mp3':
			return openMp3(source, offset);
		case 'flac':
			return openFlac(source, offset);
		case 'ogg-flac':
		case 'ogg-opus':
		case 'ogg-vorbis':
			return openOgg(source, offset, oggReaders);
		case 'aac':
			return withFfmpeg({ codec: 'aac', track: 0, onClock: false });
		case 'mp4':
		case 'matroska':
			return openContainer(source, format, withFfmpeg);
	}
}

const oggReaders: Readonly<Record<OggFormat, OggReader>> = {
	'ogg-flac': readOggFlac,
	'ogg-opus': readOggOpus,
	'ogg-vorbis': readOggVorbis,
};

async function* speechSamples(
	opened: OpenedAudio,
	limits: DecodeLimits,
	signal: AbortSignal | undefined,
): AsyncGenerator<Float32Array> {
	let resampler: Resampler | undefined;
	let rateHz = 0;
	let total = 0;
	const measure = (samples: Float32Array): Float32Array => {
		total += samples.length;
		if (total > limits.maximumS * speechRateHz) throw tooLong(total / speechRateHz, limits);
		return samples;
	};
	const flush = () => (resampler === undefined ? new Float32Array(0) : resampler.flush());
	for await (const block of opened.blocks) {
		signal?.throwIfAborted();
		if (block.sampleRateHz !== rateHz) {
			const rest = measure(flush());
			if (rest.length > 0) yield rest;
			rateHz = block.sampleRateHz;
			resampler = rateHz === speechRateHz ? undefined : new Resampler(rateHz, speechRateHz);
		}
		const converted = measure(convert(block, resampler));
		if (converted.length > 0) yield converted;
	}
	const rest = measure(flush());
	if (rest.length > 0) yield rest;
	if (total === 0)
		throw new AppError(
			'invalid_audio',
			`The ${audioFormatNames[opened.info.format]} file holds no audio: it is empty or cut off after its header.`,
		);
}

function convert(block: MonoBlock, resampler: Resampler | undefined): Float32Array {
	return resampler === undefined ? block.samples : resampler.push(block.samples);
}

function tooLong(seconds: number, limits: DecodeLimits): AppError {
	return new AppError(
		'payload_too_large',
		`The recording is ${seconds.toFixed(0)} s long or longer; at most ${limits.maximumS} s are accepted. Split it, or raise the limit.`,
		{ param: 'file' },
	);
}
