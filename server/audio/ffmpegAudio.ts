/** Codecs without a decoder here (AAC, ALAC, AC-3, …), decoded by an ffmpeg that the user has installed. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { AppError } from '../protocol/index.ts';
import { nativePath } from '../store/nativePath.ts';
import { programPath } from '../store/programs.ts';
import { type AudioFormat, audioFormatNames } from './audioFormat.ts';
import type { AudioSource } from './audioSource.ts';
import type { OtherTrack } from './mediaContainer.ts';
import type { MonoBlock, OpenedAudio } from './openedAudio.ts';

/** ffmpeg's names of the readers it may use: the one for the bytes that were found, nothing else. */
const demuxers: Readonly<Partial<Record<AudioFormat, string>>> = {
	mp4: 'mov',
	matroska: 'matroska',
	aac: 'aac',
};

const rateHz = 16_000;

/** Silence before the first sound and in gaps, instead of sound that moves up. */
const fillGaps = 'aresample=async=1:first_pts=0';

/** A minute to begin, and a second for each of these seconds of sound: a longer computation is stuck. */
const slowestRate = 16;

export interface FfmpegJob extends OtherTrack {
	readonly format: AudioFormat;
	/** Longest recording in seconds. */
	readonly maximumS: number;
}

/**
 * Opens a file through ffmpeg. Throws `invalid_audio` that asks for ffmpeg when there is none.
 * The file is data of a stranger: only one demuxer and only the `file` protocol are allowed.
 */
export async function openWithFfmpeg(
	source: AudioSource,
	{ format, codec, track, onClock, maximumS }: FfmpegJob,
): Promise<OpenedAudio> {
	const demuxer = demuxers[format];
	if (source.path === undefined || demuxer === undefined) throw missing(format, codec);
	const computeS = Math.ceil(60 + maximumS / slowestRate);
	const program = programPath('ffmpeg');
	if (program === undefined) throw missing(format, codec);
	const child = spawn(
		program,
		[
			...['-nostdin', '-v', 'error', '-timelimit', String(computeS)],
			...[...(onClock ? ['-copyts'] : []), '-protocol_whitelist', 'file', '-f', demuxer],
			...['-i', `file:${nativePath(source.path)}`, '-map', `0:a:${track}`],
			...['-af', fillGaps, '-ac', '1', '-ar', String(rateHz)],
			...['-f', 's16le', 'pipe:1'],
		],
		{ stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true },
	);
	await new Promise<void>((resolve, reject) => {
		child.once('spawn', () => resolve());
		child.once('error', () => reject(missing(format, codec)));
	});
	return {
		info: { format, codec, sampleRateHz: rateHz, channels: 1, durationS: undefined },
		blocks: blocks(child, audioFormatNames[format], computeS),
	};
}

function missing(format: AudioFormat, codec: string): AppError {
	const what = codec === 'unknown' ? 'a codec Nearglot has no decoder for' : codec.toUpperCase();
	return new AppError(
		'invalid_audio',
		`This ${audioFormatNames[format]} file holds ${what}. To read it, Nearglot needs ffmpeg on this machine (in PATH), and none was found. Install ffmpeg, or convert the file to WAV, MP3, FLAC or Opus.`,
		{ data: { codec } },
	);
}

async function* blocks(
	child: ChildProcessByStdio<null, Readable, Readable>,
	name: string,
	timeoutS: number,
): AsyncGenerator<MonoBlock> {
	let complaint = '';
	child.stderr.on('data', (chunk: Buffer) => {
		complaint = (complaint + chunk.toString()).slice(-2000);
	});
	const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
	let odd: number | undefined;
	// `-timelimit` counts time of the processor, and on Windows nothing: who says nothing for as long is ended, too.
	const startTimer = () => setTimeout(() => child.kill(), timeoutS * 1000);
	let timer = startTimer();
	try {
		for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
			clearTimeout(timer);
			const bytes = odd === undefined ? chunk : Buffer.concat([Buffer.from([odd]), chunk]);
			odd = bytes.length % 2 === 1 ? bytes[bytes.length - 1] : undefined;
			const samples = new Float32Array(bytes.length >> 1);
			for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(2 * i) / 32_768;
			yield { samples, sampleRateHz: rateHz };
			timer = startTimer();
		}
		if ((await exit) !== 0)
			throw new AppError(
				'invalid_audio',
				`The ${name} file is damaged: ffmpeg could not decode it.`,
				{
					cause: complaint,
				},
			);
	} finally {
		clearTimeout(timer);
		child.kill();
	}
}
