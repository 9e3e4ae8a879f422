/** The resampler's own promises: no aliasing, a flat pass band, and no seam between blocks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Resampler } from '../../server/audio/resampler.ts';

function tone(hz: number, rateHz: number, seconds = 1): Float32Array {
	return Float32Array.from({ length: rateHz * seconds }, (_, i) =>
		Math.sin((2 * Math.PI * hz * i) / rateHz),
	);
}

function convert(input: Float32Array, from: number, to: number, block: number): Float32Array {
	const resampler = new Resampler(from, to);
	const output: number[] = [];
	for (let at = 0; at < input.length; at += block)
		output.push(...resampler.push(input.subarray(at, at + block)));
	output.push(...resampler.flush());
	return Float32Array.from(output);
}

/** Level of the middle part in dB relative to a full sine. */
function level(samples: Float32Array): number {
	const middle = samples.subarray(1000, samples.length - 1000);
	const power = middle.reduce((sum, value) => sum + value * value, 0) / middle.length;
	return 10 * Math.log10(2 * power + 1e-20);
}

test('what lies above the new Nyquist frequency is gone, what lies below stays', () => {
	for (const from of [44_100, 48_000]) {
		assert.ok(level(convert(tone(12_000, from), from, 16_000, 4096)) < -70, `12 kHz from ${from}`);
		assert.ok(level(convert(tone(8500, from), from, 16_000, 4096)) < -60, `8.5 kHz from ${from}`);
		for (const hz of [50, 1000, 4000, 6800])
			assert.ok(
				Math.abs(level(convert(tone(hz, from), from, 16_000, 4096))) < 0.1,
				`${hz} from ${from}`,
			);
	}
});

test('the division into blocks does not change a single sample', () => {
	const input = tone(777, 44_100);
	const whole = convert(input, 44_100, 16_000, input.length);
	for (const block of [1, 17, 1000, 4097]) {
		const found = convert(input, 44_100, 16_000, block);
		assert.deepEqual(found, whole, `blocks of ${block}`);
	}
});

test('the length is that of the input in time, to the sample', () => {
	for (const [from, samples] of [
		[44_100, 44_100],
		[48_000, 5],
		[8000, 1],
		[22_050, 12_345],
	] as const) {
		const found = convert(new Float32Array(samples), from, 16_000, 1000);
		assert.equal(found.length, Math.ceil((samples * 16_000) / from));
	}
});

test('a constant passes unchanged, so no rate adds a tone of its own', () => {
	for (const from of [8000, 22_050, 44_100, 48_000, 44_101]) {
		const found = convert(new Float32Array(from).fill(0.5), from, 16_000, 4096);
		for (const value of found.subarray(100, 15_900))
			assert.ok(Math.abs(value - 0.5) < 1e-6, `${value} from ${from}`);
	}
});

/** Level of what is left of a tone when the best fitting one of its frequency is taken away, in dB below it. */
function distortion(samples: Float32Array, hz: number, rateHz: number): number {
	const middle = samples.subarray(1000, samples.length - 1000);
	let sine = 0;
	let cosine = 0;
	const turn = (i: number) => (2 * Math.PI * hz * i) / rateHz;
	for (const [i, value] of middle.entries()) {
		sine += (2 * value * Math.sin(turn(i))) / middle.length;
		cosine += (2 * value * Math.cos(turn(i))) / middle.length;
	}
	let rest = 0;
	for (const [i, value] of middle.entries())
		rest += (value - sine * Math.sin(turn(i)) - cosine * Math.cos(turn(i))) ** 2;
	return 10 * Math.log10(rest / middle.length / ((sine ** 2 + cosine ** 2) / 2));
}

test('also between rates without a common measure a tone stays clean', () => {
	for (const from of [44_100, 44_101, 16_001]) {
		const found = convert(tone(1000, from), from, 16_000, 4096);
		// Whole turns of the tone, so that it is orthogonal to everything else.
		const level = distortion(found.subarray(0, 15_600), 1000, 16_000);
		assert.ok(level < -75, `${level.toFixed(1)} dB from ${from}`);
	}
});
