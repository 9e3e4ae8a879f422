/** Voices become speakers, as numpy groups them, however many there are. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { clusterVoices } from '../../../../server/services/speech/speakers/clusterVoices.ts';

interface Case {
	readonly minSimilarity: number;
	readonly vectors: readonly (readonly number[])[];
	readonly windows: readonly number[];
	readonly speakers: readonly number[];
}

const file = new URL('../../../fixtures/speakers/clusters.json', import.meta.url);

test('the groups are those of naive average linkage in numpy', async () => {
	const cases = JSON.parse(await readFile(file, 'utf8')) as Case[];
	for (const { minSimilarity, vectors, windows, speakers } of cases) {
		const voices = vectors.map((vector, index) => ({
			vector: Float32Array.from(vector),
			window: windows[index] ?? 0,
			seconds: 4,
		}));
		assert.deepEqual(await clusterVoices(voices, minSimilarity), speakers);
	}
});

/** A voice of one of four people, a little off. */
const voice = (index: number, seconds = 4) => ({
	vector: Float32Array.from({ length: 8 }, (_, at) =>
		at === index % 4 ? 1 : 0.2 * Math.sin(index * 7 + at * 3),
	),
	window: Math.floor(index / 2),
	seconds,
});

test('thousands of voices, scraps, one voice and none', async () => {
	const many = Array.from({ length: 2500 }, (_, index) => voice(index));
	const found = await clusterVoices(many, 0.4);
	assert.deepEqual(
		found,
		many.map((_, index) => index % 4),
	);
	assert.deepEqual(await clusterVoices([], 0.4), []);
	assert.deepEqual(await clusterVoices([voice(0, 0.4)], 0.4), [0]);
	const scrap = { vector: new Float32Array([0.3, 0, 0, 0, 1, 1, 1, 1]), window: 9, seconds: 0.4 };
	assert.deepEqual(await clusterVoices([voice(0), voice(1), voice(4), scrap], 0.4), [0, 1, 0, 0]);
	const stop = AbortSignal.abort();
	await assert.rejects(clusterVoices([voice(0), voice(4)], 0.4, stop));
});
