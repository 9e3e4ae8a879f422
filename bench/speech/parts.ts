/** The parts of a transcription one by one: spectrogram, decoding of formats, encoder, decoder. */

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeInThread } from '../../server/audio/threadedDecode.ts';
import type { EncodedBatch, EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { logMel } from '../../server/engine/speech/whisper/logMel.ts';
import type { Precision } from '../../server/protocol/index.ts';
import { hasProgram } from '../../test/support/ffmpeg.ts';
import { speechLike, wavFile } from '../../test/support/madeAudio.ts';
import { openGraphs } from '../../test/support/speechModels.ts';
import { whisperModel, type whisperShapes } from './whisperShape.ts';

export interface PartRow {
	readonly what: string;
	/** Milliseconds, the median of the rounds. */
	readonly ms: number;
	/** Seconds of sound per second. */
	readonly timesRealTime?: number;
}

const windowS = 30;
const rateHz = 16_000;
/** Tokens of thirty seconds of English speech, times included. */
const tokensPerWindow = 100;
const median = (list: readonly number[]): number =>
	[...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;

async function timed(rounds: number, work: () => unknown): Promise<number> {
	await work();
	const times: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const began = performance.now();
		await work();
		times.push(performance.now() - began);
	}
	return median(times);
}

/** The log-mel spectrogram of a window. */
export async function spectrogramRows(rounds: number): Promise<PartRow[]> {
	const samples = speechLike(windowS, rateHz);
	const rows: PartRow[] = [];
	for (const bins of [80, 128]) {
		const times = Array.from({ length: rounds * 4 }, () => {
			const began = process.cpuUsage();
			logMel(samples, bins, windowS * 100);
			return process.cpuUsage(began).user / 1000;
		});
		const ms = median(times);
		rows.push({
			what: `log-mel, ${bins} bins, ${windowS} s (processor time, one core)`,
			ms,
			timesRealTime: (windowS * 1000) / ms,
		});
	}
	return rows;
}

const forms: readonly (readonly [file: string, ...options: string[]])[] = [
	['a.wav'],
	['a.mp3', '-b:a', '128k'],
	['a.flac'],
	['a.ogg', '-c:a', 'libvorbis'],
	['a.opus', '-c:a', 'libopus'],
	['a.webm', '-c:a', 'libopus'],
	['a.m4a', '-c:a', 'aac'],
];

/** Ten minutes of stereo in every format, decoded and resampled; needs ffmpeg to make them. */
export async function formatRows(): Promise<PartRow[]> {
	if (!hasProgram('ffmpeg')) return [];
	const folder = await mkdtemp(join(tmpdir(), 'nearglot-bench-'));
	const seconds = 600;
	const rows: PartRow[] = [];
	try {
		const source = join(folder, 'source.wav');
		await writeFile(source, wavFile(speechLike(60, 44_100), { rateHz: 44_100, channels: 2 }));
		for (const [file, ...options] of forms) {
			const path = join(folder, file);
			const args = ['-y', '-v', 'error', '-stream_loop', '9', '-i', source, ...options, path];
			if (spawnSync('ffmpeg', args).status !== 0) continue;
			const began = performance.now();
			const audio = await decodeInThread(path, { maximumS: 3600, scratch: folder });
			let count = 0;
			for await (const block of audio.samples) count += block.length;
			await audio.close();
			const ms = performance.now() - began;
			const timesRealTime = count / rateHz / (ms / 1000);
			rows.push({
				what: `${file.slice(2)}, ${seconds / 60} min stereo to 16 kHz`,
				ms,
				timesRealTime,
			});
			await rm(path);
		}
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
	return rows;
}

/** Encoder and decoder of a published shape with random weights. */
export function shapeRows(
	root: string,
	size: keyof typeof whisperShapes,
	rounds: number,
	threads: number,
): Promise<PartRow[]> {
	return modelRows(`whisper-${size}`, whisperModel(root, size), 'fp32', rounds, threads);
}

const starter = fileURLToPath(new URL('../../starter/models/starter-speech', import.meta.url));

/** Encoder and decoder of the built-in model, whose windows are shorter. */
export function starterRows(rounds: number, threads: number): Promise<PartRow[]> {
	return modelRows('starter-speech', starter, 'q8', rounds, threads);
}

/** Encoder and decoder for thirty seconds of speech, one window alone and several together. */
async function modelRows(
	name: string,
	folder: string,
	precision: Precision,
	rounds: number,
	threads: number,
): Promise<PartRow[]> {
	const { model } = await openGraphs(folder, precision, threads);
	try {
		const frames = model.encoderInputs.get('input_features')?.dims[2] ?? 0;
		const windows = (windowS * 100) / frames;
		const every = windows === 1 ? '' : ` (${windows} windows of ${frames / 100} s)`;
		const encodeMs = windows * (await timed(rounds, () => encode(model, frames)));
		const encoded = await encode(model, frames);
		const rows: PartRow[] = [
			{
				what: `${name} encoder, per ${windowS} s${every}`,
				ms: encodeMs,
				timesRealTime: (windowS * 1000) / encodeMs,
			},
		];
		for (const together of [1, 4, 8]) {
			const stepMs = await stepTime(model, repeated(encoded, together), rounds);
			const decodeMs = (stepMs * tokensPerWindow) / together;
			rows.push(
				{
					what: `${name} decoder, per ${windowS} s (${tokensPerWindow} tokens), ${together} together`,
					ms: decodeMs,
					timesRealTime: (windowS * 1000) / decodeMs,
				},
				{
					what: `${name} in all, ${together} together`,
					ms: encodeMs + decodeMs,
					timesRealTime: (windowS * 1000) / (encodeMs + decodeMs),
				},
			);
		}
		return rows;
	} finally {
		model.close();
	}
}

function encode(model: EncoderDecoder, frames: number): Promise<EncodedBatch> {
	const data = logMel(speechLike(frames / 100, rateHz), 80, frames);
	return model.encode({ input_features: { type: 'float32', dims: [1, 80, frames], data } });
}

/** The same window several times, as a batch of different ones would lie. */
function repeated(one: EncodedBatch, items: number): EncodedBatch {
	const hidden = one.hidden.data as Float32Array;
	const mask = one.mask.data as BigInt64Array;
	const data = new Float32Array(hidden.length * items);
	const ones = new BigInt64Array(mask.length * items);
	for (let item = 0; item < items; item++) {
		data.set(hidden, item * hidden.length);
		ones.set(mask, item * mask.length);
	}
	const width = one.hidden.dims[2] as number;
	return {
		items,
		positions: one.positions,
		hidden: { type: 'float32', dims: [items, one.positions, width], data },
		mask: { type: 'int64', dims: [items, one.positions], data: ones },
	};
}

async function stepTime(
	model: EncoderDecoder,
	encoded: EncodedBatch,
	rounds: number,
): Promise<number> {
	const steps = 30;
	const ms = await timed(Math.max(3, Math.ceil(rounds / 2)), async () => {
		const run = model.start(encoded);
		const rows = Array.from({ length: encoded.items }, (_, row) => row);
		await run.feed(rows.map(() => [258, 1, 2, 3]));
		for (let step = 1; step < steps; step++)
			await run.feed(rows.map((row) => [(row + step) % 256]));
		run.release();
	});
	return ms / steps;
}
