/** Real voices cut into stretches: no word is dropped, cut in two or heard twice, whatever the silences between. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EnergyActivity } from '../../../server/audio/voiceActivity.ts';
import { VadChunker, type VadChunkerOptions } from '../../../server/services/speech/vadChunks.ts';
import { wavSamples } from '../../support/madeAudio.ts';
import { sharedFolder } from '../../support/sharedData.ts';

const fsdd = sharedFolder('audio', 'fsdd');
const rateHz = 16_000;

function randomSource(seed: number): (below: number) => number {
	let state = seed >>> 0;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

interface Spoken {
	/** Samples of the loud part of a digit. */
	readonly from: number;
	readonly to: number;
	readonly name: string;
}

/** Digits of six speakers with 0.05 to 4 s between them, over a noise that is this loud. */
function recording(seed: number, count: number, noise: number) {
	const random = randomSource(seed);
	const files = readdirSync(fsdd.path).filter((name) => name.endsWith('.wav'));
	const parts: Float32Array[] = [];
	const spoken: Spoken[] = [];
	let at = 0;
	for (let i = 0; i < count; i++) {
		const name = files[random(files.length)] as string;
		const { digit, from, to } = digitOf(name);
		spoken.push({ from: at + from, to: at + to, name });
		const gap = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 4][random(7)] as number;
		const silence = new Float32Array(Math.round(gap * rateHz));
		parts.push(digit, silence);
		at += digit.length + silence.length;
	}
	const samples = new Float32Array(at);
	let offset = 0;
	for (const part of parts) {
		samples.set(part, offset);
		offset += part.length;
	}
	for (let i = 0; i < at; i++)
		samples[i] = (samples[i] as number) + noise * (random(2001) / 1000 - 1);
	return { samples, spoken };
}

const digits = new Map<string, { digit: Float32Array; from: number; to: number }>();

function digitOf(name: string) {
	const known = digits.get(name);
	if (known !== undefined) return known;
	const digit = doubled(wavSamples(join(fsdd.path, name)));
	const [from, to] = loudPart(digit);
	const made = { digit, from, to };
	digits.set(name, made);
	return made;
}

/** 8 kHz to 16 kHz, and as loud as any other. */
function doubled(samples: Float32Array): Float32Array {
	const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
	return Float32Array.from({ length: samples.length * 2 }, (_, i) => {
		const left = samples[i >> 1] as number;
		const right = samples[Math.min(samples.length - 1, (i + 1) >> 1)] as number;
		return ((left + right) / 2) * (0.6 / peak);
	});
}

/** From the first to the last 10 ms within 20 dB of the loudest: the vowel and what stands around it. */
function loudPart(samples: Float32Array): [number, number] {
	const frame = 160;
	const levels: number[] = [];
	for (let at = 0; at + frame <= samples.length; at += frame) {
		let sum = 0;
		for (let i = at; i < at + frame; i++) sum += (samples[i] as number) ** 2;
		levels.push(sum);
	}
	const least = Math.max(...levels) / 100;
	const first = levels.findIndex((level) => level >= least);
	return [first * frame, (levels.findLastIndex((level) => level >= least) + 1) * frame];
}

async function stretchesOf(samples: Float32Array, piece: number, options: VadChunkerOptions) {
	async function* input() {
		for (let at = 0; at < samples.length; at += piece) yield samples.slice(at, at + piece);
	}
	const cutter = new VadChunker(input(), new EnergyActivity(), options);
	const found: { from: number; to: number }[] = [];
	for (;;) {
		const stretch = await cutter.next();
		if (stretch === undefined) return found;
		const from = Math.round(stretch.startS * rateHz);
		found.push({ from, to: from + stretch.samples.length });
		cutter.consume(stretch.samples.length / rateHz);
	}
}

const ways = [
	{ name: 'a file', piece: 16_000, options: {} },
	{ name: 'a file for a short window', piece: 9999, options: { windowS: 10 } },
	{ name: 'a microphone', piece: 1600, options: { pauseS: 0.8 } },
] as const;

/** Loudest sample of the noise, and how many digits of 360 may be torn by it. */
const noises = [
	{ noise: 0, torn: 0 },
	{ noise: 0.001, torn: 0 },
	{ noise: 0.01, torn: 0 },
	{ noise: 0.03, torn: 14 },
] as const;

for (const { noise, torn } of noises) {
	const recordings = new Map<number, ReturnType<typeof recording>>();
	for (const { name, piece, options } of ways) {
		test(`${name} with noise of ${noise}: every digit lies in one stretch as a whole`, {
			skip: fsdd.skip,
		}, async () => {
			const lost: string[] = [];
			for (const seed of [1, 2, 3]) {
				const made = recordings.get(seed) ?? recording(seed, 120, noise);
				recordings.set(seed, made);
				const { samples, spoken } = made;
				const stretches = await stretchesOf(samples, piece, options);
				for (const [index, { from, to }] of stretches.entries()) {
					assert.ok(from >= (stretches[index - 1]?.to ?? 0), 'stretches overlap');
					assert.ok(to - from <= ('windowS' in options ? options.windowS : 30) * rateHz);
				}
				for (const { from, to, name: digit } of spoken) {
					const holding = stretches.filter((one) => one.from <= from && one.to >= to);
					const seconds = `${(from / rateHz).toFixed(2)}–${(to / rateHz).toFixed(2)} s`;
					if (holding.length !== 1) lost.push(`seed ${seed}: ${digit} at ${seconds}`);
				}
			}
			assert.ok(lost.length <= torn, lost.join('; '));
		});
	}
}
