/** Speech told from loudness: against noise, hum and silence, for talkers who are loud, quiet, or both in turn. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityFrame, activityFrameS, EnergyActivity } from '../../server/audio/voiceActivity.ts';

const rateHz = 16_000;

/** Deterministic noise of −1…1. */
function noise(seconds: number, peak: number, seed = 5): Float32Array {
	let state = seed;
	return Float32Array.from({ length: Math.round(seconds * rateHz) }, () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return peak * (state / 2 ** 31 - 1);
	});
}

/** A buzz with a syllable every quarter of a second. */
function voice(seconds: number, peak: number): Float32Array {
	return Float32Array.from({ length: Math.round(seconds * rateHz) }, (_, i) => {
		const t = i / rateHz;
		const syllable = 0.3 + 0.7 * Math.abs(Math.sin(4 * Math.PI * t));
		return peak * syllable * Math.sin(2 * Math.PI * 150 * t + 3 * Math.sin(2 * Math.PI * 700 * t));
	});
}

function joined(...parts: readonly Float32Array[]): Float32Array {
	return Float32Array.from(parts.flatMap((part) => [...part]));
}

const mixed = (a: Float32Array, b: Float32Array) => a.map((value, i) => value + (b[i] as number));

/** Share of the frames between two moments in which somebody speaks. */
async function share(samples: Float32Array, fromS: number, toS: number): Promise<number> {
	const found = await new EnergyActivity().probabilities(samples);
	const part = found.subarray(Math.ceil(fromS / activityFrameS), Math.floor(toS / activityFrameS));
	return part.filter((probability) => probability >= 0.5).length / part.length;
}

test('silence and a noise that nobody would hear are no speech', async () => {
	assert.equal(await share(new Float32Array(3 * rateHz), 0, 3), 0);
	const hardly = joined(noise(2, 0.0002), noise(1, 0.0006), noise(1, 0.0002));
	assert.equal(await share(hardly, 0, 4), 0);
});

test('a voice is found between silence, quiet or loud', async () => {
	for (const peak of [0.8, 0.05, 0.01]) {
		const samples = joined(noise(2, peak / 500), voice(2, peak), noise(2, peak / 500));
		assert.ok((await share(samples, 2.1, 3.9)) > 0.97, `voice of ${peak}`);
		assert.equal(await share(samples, 0.1, 1.8), 0, `before a voice of ${peak}`);
		assert.equal(await share(samples, 4.3, 6), 0, `after a voice of ${peak}`);
	}
});

test('a voice is found in steady noise, and the noise is not taken for one', async () => {
	const samples = mixed(
		joined(new Float32Array(2 * rateHz), voice(2, 0.3), new Float32Array(2 * rateHz)),
		noise(6, 0.02),
	);
	assert.ok((await share(samples, 2.1, 3.9)) > 0.9);
	assert.ok((await share(samples, 0.1, 1.8)) < 0.05);
	assert.ok((await share(samples, 4.3, 6)) < 0.05);
});

test('the hum of the mains hides nobody and is nobody', async () => {
	const hum = Float32Array.from(
		{ length: 6 * rateHz },
		(_, i) => 0.05 * Math.sin((2 * Math.PI * 50 * i) / rateHz),
	);
	const samples = mixed(
		joined(new Float32Array(2 * rateHz), voice(2, 0.2), new Float32Array(2 * rateHz)),
		hum,
	);
	assert.ok((await share(samples, 2.1, 3.9)) > 0.9);
	assert.equal(await share(samples, 0.1, 1.8), 0);
});

test('speech without any pause is speech throughout', async () => {
	assert.ok((await share(voice(10, 0.3), 0, 10)) > 0.97);
});

test('a stop of two frames inside a word does not cut it', async () => {
	const samples = joined(
		noise(1, 0.0005),
		voice(0.512, 0.3),
		new Float32Array(2 * activityFrame),
		voice(0.512, 0.3),
		noise(1, 0.0005),
	);
	assert.equal(await share(samples, 1.1, 2), 1);
});

test('what was loud half a minute ago no longer counts, and the floor is kept from call to call', async () => {
	const activity = new EnergyActivity();
	const heard = async (samples: Float32Array) => {
		const found = await activity.probabilities(samples);
		return found.filter((probability) => probability >= 0.5).length / found.length;
	};
	await heard(noise(2, 0.001));
	assert.ok((await heard(voice(0.5, 0.3))) > 0.95, 'a piece that is speech from end to end');
	// Twenty seconds of a fan, then it stops: after half a minute its noise is no measure any more.
	await heard(noise(30, 0.1, 3));
	for (let second = 0; second < 40; second++) await heard(noise(1, 0.0005, second + 1));
	assert.ok((await heard(voice(1, 0.02))) > 0.95, 'a quiet voice');
	assert.equal(await heard(noise(1, 0.0005, 99)), 0);
});

test('frames are judged whole: what is over is left for the next call', async () => {
	const found = await new EnergyActivity().probabilities(new Float32Array(3 * activityFrame - 1));
	assert.equal(found.length, 2);
});
