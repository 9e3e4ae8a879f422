/** Where turns begin and end, frame by frame. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityFrame } from '../../../../server/audio/voiceActivity.ts';
import { TurnDetector } from '../../../../server/services/speech/realtime/turnDetector.ts';

/** Samples whose frames are speech of this probability each. */
const frames = (probabilities: readonly number[]) =>
	Float32Array.from(
		{ length: probabilities.length * activityFrame },
		(_, i) => probabilities[Math.floor(i / activityFrame)] ?? 0,
	);
const activity = {
	probabilities: async (samples: Float32Array) =>
		Float32Array.from(
			{ length: samples.length / activityFrame },
			(_, frame) => samples[frame * activityFrame] ?? 0,
		),
};
const options = { threshold: 0.5, prefixPaddingMs: 64, silenceDurationMs: 96 };
const at = (frame: number) => frame * activityFrame;

test('a turn begins with the sound before it and ends after silence, in pieces of any size', async () => {
	const sound = frames([0, 0, 0, 0.9, 0, 0.9, 0.9, 0.8, 0.2, 0.7, 0, 0, 0, 0, 0.9, 0.9, 0, 0, 0]);
	for (const piece of [100, activityFrame, 1300, sound.length]) {
		const detector = new TurnDetector(activity, options);
		const events = [];
		for (let from = 0; from < sound.length; from += piece)
			events.push(...(await detector.push(sound.slice(from, from + piece))));
		assert.deepEqual(events, [
			{ type: 'started', at: at(3) },
			{ type: 'stopped', at: at(13) },
			// It does not begin before the end of the last one.
			{ type: 'started', at: at(13) },
			{ type: 'stopped', at: at(19) },
		]);
	}
});

test('what follows a commit is another turn, and an open one may go on', async () => {
	const detector = new TurnDetector(activity, options);
	assert.equal((await detector.push(frames([0.9, 0.9, 0.9]))).length, 1);
	detector.reset();
	assert.deepEqual(await detector.push(frames([0.9, 0.9])), [{ type: 'started', at: at(3) }]);
	const open = new TurnDetector(activity, options, { from: at(10), speaking: true });
	assert.deepEqual(await open.push(frames([0, 0, 0])), [{ type: 'stopped', at: at(13) }]);
});
