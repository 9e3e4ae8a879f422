/** Where a recording is cut: stretches begin and end in silence, and live sound is cut as soon as somebody pauses. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EnergyActivity } from '../../server/audio/voiceActivity.ts';
import {
	type CutterOptions,
	type Stretch,
	StretchCutter,
} from '../../server/services/speechStretches.ts';
import { tones } from './toneModel.ts';

const rateHz = 16_000;

/** Gives these pieces, then waits for ever for the next one. */
async function* stillRecording(...pieces: readonly Float32Array[]): AsyncGenerator<Float32Array> {
	yield* pieces;
	await new Promise<never>(() => {});
}

const cutterOf = (input: AsyncIterable<Float32Array>, options: CutterOptions = {}) =>
	new StretchCutter(input, new EnergyActivity(), options);

const lengthS = ({ samples }: Stretch) => samples.length / rateHz;

test('live sound that comes late and all at once is cut at the pause in its middle', async () => {
	const spoken = tones([
		{ words: [1, 2], gapS: 0.05, pauseS: 1.2 },
		{ words: [3, 4], gapS: 0.05, pauseS: 0.1 },
	]);
	const cutter = cutterOf(stillRecording(spoken), { pauseS: 0.8 });
	const first = await cutter.next();
	assert.ok(first?.endsInPause);
	assert.ok(lengthS(first) > 0.75 && lengthS(first) < 1.95, `${lengthS(first)} s`);
});
