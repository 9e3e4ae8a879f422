/**
 * Word error rate of a speech model through the product's own way from samples to text (pauses, stretches,
 * engine). Sets: held-out recordings as starter/speech/synth.py writes them, spoken digits of speakers that
 * were held out, and recordings of people with their text.
 */

import { existsSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSource } from '../../server/audio/audioSource.ts';
import { type DecodedAudio, decodeAudio, speechRateHz } from '../../server/audio/decodeAudio.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import type { ModelInfo } from '../../server/protocol/index.ts';
import { voiceActivityOf } from '../../server/services/speech/chooseVoiceActivity.ts';
import { speechCall } from '../../server/services/speech/speechRequest.ts';
import { transcribeRecording } from '../../server/services/speech/transcribeRecording.ts';
import { plainWords, wordErrors } from './wordErrors.ts';

export interface SpeechQualityOptions {
	/** Model folder in the hub layout. */
	readonly model: string;
	/** `PATH.i16` (16 kHz, 16 bits) and `PATH.jsonl` ({at, n, text, voice, kind}); absent = not measured. */
	readonly recordings?: string;
	/** Folder with `fsdd/`, `1272-141231-0002.wav` and `jfk.wav`. */
	readonly audio: string;
	/** Recordings per set; 0 = all. */
	readonly limit: number;
	readonly threads?: number;
}

export interface SpeechRow {
	readonly set: string;
	readonly recordings: number;
	readonly words: number;
	/** Insertions, deletions and substitutions per word. */
	readonly wordErrorRate: number;
	/** Seconds of sound per second. */
	readonly timesRealTime: number;
	readonly wrong: readonly { readonly heard: string; readonly expected: string }[];
}

interface Sample {
	/** A recording counts in each. */
	readonly sets: readonly string[];
	readonly expected: string;
	readonly open: () => Promise<DecodedAudio>;
}

const digitWords = 'zero one two three four five six seven eight nine'.split(' ');
/** As in starter/speech/synth.py. */
const heldOutSpeakers = ['theo', 'yweweler'];
const people: readonly (readonly [string, string, string])[] = [
	[
		'LibriSpeech clip',
		'1272-141231-0002.wav',
		'the cut on his chest still dripping blood the ache of his overstrained eyes even the soaring arena around him with the thousands of spectators were trivialities not worth thinking about',
	],
	[
		'a speech of 1961',
		'jfk.wav',
		'and so my fellow americans ask not what your country can do for you ask what you can do for your country',
	],
];

/** Rows in the order of the sets. @throws when no set can be found. */
export async function speechQuality(
	options: SpeechQualityOptions,
	onRow: (row: SpeechRow) => void,
): Promise<SpeechRow[]> {
	const samples = await allSamples(options);
	const engine = await loadEngine({
		folder: options.model,
		...(options.threads === undefined ? {} : { threads: options.threads }),
	});
	const call = speechCall({ model: 'default', temperature: 0, seed: 1 }, 'transcribe');
	const info = { id: 'measured' } as ModelInfo;
	const lease = { info, engine, loadMs: 0, [Symbol.asyncDispose]: async () => undefined };
	const tallies = new Map<string, Tally>();
	try {
		for (const sample of limited(samples, options.limit)) {
			const audio = await sample.open();
			try {
				const began = performance.now();
				const job = { call, audio, lease, activity: voiceActivityOf(engine), seed: 1 };
				const { text, duration } = await transcribeRecording(job, () => undefined);
				const took = (performance.now() - began) / 1000;
				for (const set of sample.sets)
					count(tallies, set, { heard: text, expected: sample.expected }, duration, took);
			} finally {
				await audio.close();
			}
		}
	} finally {
		await engine.close();
	}
	return [...tallies].map(([set, { words, errors, recordings, soundS, tookS, wrong }]) => {
		const row = {
			set,
			recordings,
			words,
			wordErrorRate: errors / words,
			timesRealTime: soundS / tookS,
			wrong,
		};
		onRow(row);
		return row;
	});
}

interface Tally {
	recordings: number;
	words: number;
	errors: number;
	soundS: number;
	tookS: number;
	readonly wrong: { heard: string; expected: string }[];
}

function count(
	tallies: Map<string, Tally>,
	set: string,
	pair: { readonly heard: string; readonly expected: string },
	soundS: number,
	tookS: number,
): void {
	const tally = tallies.get(set) ?? {
		...{ recordings: 0, words: 0, errors: 0, soundS: 0, tookS: 0 },
		wrong: [],
	};
	const expected = plainWords(pair.expected);
	const missed = wordErrors(expected, plainWords(pair.heard));
	tally.recordings++;
	tally.words += expected.length;
	tally.errors += missed;
	tally.soundS += soundS;
	tally.tookS += tookS;
	if (missed > 0) tally.wrong.push(pair);
	tallies.set(set, tally);
}

/** The first `limit` of every first set. */
function limited(samples: readonly Sample[], limit: number): Sample[] {
	const taken = new Map<string, number>();
	return samples.filter(({ sets: [first = ''] }) => {
		const number = (taken.get(first) ?? 0) + 1;
		taken.set(first, number);
		return limit <= 0 || number <= limit;
	});
}

async function allSamples({ recordings, audio }: SpeechQualityOptions): Promise<Sample[]> {
	const samples: Sample[] = [];
	if (recordings !== undefined && existsSync(`${recordings}.jsonl`))
		samples.push(...(await madeSamples(recordings)));
	const fsdd = join(audio, 'fsdd');
	const digits = existsSync(fsdd) ? (await readdir(fsdd)).sort() : [];
	for (const name of digits) {
		const [digit = '', speaker = ''] = name.split('_');
		if (!name.endsWith('.wav') || !heldOutSpeakers.includes(speaker)) continue;
		samples.push({
			sets: ['digits of people', `  ${speaker}`],
			expected: digitWords[Number(digit)] ?? digit,
			open: () => openFile(join(fsdd, name)),
		});
	}
	for (const [set, name, expected] of people)
		if (existsSync(join(audio, name)))
			samples.push({ sets: [set], expected, open: () => openFile(join(audio, name)) });
	if (samples.length === 0)
		throw new Error(
			`There is nothing to measure: neither ${recordings ?? 'recordings'}.jsonl nor ${audio} exists. Make recordings with starter/speech/synth.py --heldout, or name a folder with --audio.`,
		);
	return samples;
}

async function openFile(path: string): Promise<DecodedAudio> {
	const source = await fileSource(path);
	const audio = await decodeAudio(source);
	const close = async () => {
		await audio.close();
		await source[Symbol.asyncDispose]();
	};
	return { ...audio, close };
}

/** Made recordings, also by kind of sentence and voice; those of held-out digit speakers are measured from their own files. */
async function madeSamples(path: string): Promise<Sample[]> {
	const rows = (await readFile(`${path}.jsonl`, 'utf8'))
		.split('\n')
		.filter((line) => line !== '')
		.map(
			(line) =>
				JSON.parse(line) as { at: number; n: number; text: string; voice: string; kind: string },
		)
		.filter(({ kind }) => kind !== 'digits');
	return rows.map(({ at, n, text, voice, kind }) => ({
		sets: ['made speech', `  ${kind}`, `  ${voice}`],
		expected: text,
		open: async () => {
			const samples = await readSamples(`${path}.i16`, at, n);
			return {
				info: {
					format: 'wav',
					codec: 'pcm-s16',
					sampleRateHz: speechRateHz,
					channels: 1,
					durationS: n / speechRateHz,
				},
				samples: once(samples),
				close: async () => undefined,
			};
		},
	}));
}

async function* once(samples: Float32Array): AsyncGenerator<Float32Array> {
	yield samples;
}

async function readSamples(path: string, at: number, count: number): Promise<Float32Array> {
	const file = await open(path);
	try {
		const bytes = Buffer.alloc(2 * count);
		await file.read(bytes, 0, bytes.length, 2 * at);
		return Float32Array.from({ length: count }, (_, i) => bytes.readInt16LE(2 * i) / 32_768);
	} finally {
		await file.close();
	}
}
