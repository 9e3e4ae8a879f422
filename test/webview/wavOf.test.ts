/** Recordings of browsers that make no Opus become WAV files that the server reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wavOf } from '../../webview/wavOf.ts';

test('a WAV file says how long and how fast it is, and keeps its samples', async () => {
	const sound = wavOf(Float32Array.of(0, 0.5, -1, 2), 16_000);
	assert.equal(sound.type, 'audio/wav');
	const view = new DataView(await sound.arrayBuffer());
	const word = (at: number) => String.fromCharCode(...new Uint8Array(view.buffer, at, 4));
	assert.deepEqual([0, 8, 12, 36].map(word), ['RIFF', 'WAVE', 'fmt ', 'data']);
	assert.equal(view.getUint32(4, true), view.byteLength - 8);
	assert.deepEqual([view.getUint32(24, true), view.getUint32(28, true)], [16_000, 32_000]);
	assert.equal(view.getUint32(40, true), 8);
	const samples = [0, 1, 2, 3].map((index) => view.getInt16(44 + 2 * index, true));
	assert.deepEqual(samples, [0, 16_383, -32_767, 32_767]);
});
