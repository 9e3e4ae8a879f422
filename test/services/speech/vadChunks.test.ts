/** Where a recording is cut: stretches begin and end in silence, and live sound is cut as soon as somebody pauses. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EnergyActivity } from '../../../server/audio/voiceActivity.ts';
import {
	type SpeechChunk,
	speechAfter,
	VadChunker,
	type VadChunkerOptions,
} from '../../../server/services/speech/vadChunks.ts';
import { tones } from '../../support/toneModel.ts';

const rateHz = 16_000;

/** Gives these pieces, then waits for ever for the next one. */
async function* stillRecording(...pieces: readonly Float32Array[]): AsyncGenerator<Float32Array> {
	yield* pieces;
	await new Promise<never>(() => {});
}

const cutterOf = (input: AsyncIterable<Float32Array>, options: VadChunkerOptions = {}) =>
	new VadChunker(input, new EnergyActivity(), options);

const lengthS = ({ samples }: SpeechChunk) => samples.length / rateHz;

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

/** Frames of 32 ms: `s` somebody speaks, `.` nobody does. */
const heardAs = (frames: string): SpeechChunk => ({
	startS: 0,
	samples: new Float32Array(frames.length * 512),
	speech: [...frames].map((frame) => (frame === 's' ? 0.9 : 0.1)),
	endsInPause: true,
});
const frameS = 512 / rateHz;

test('speech after a moment begins in the pause before it, and noises and short gaps count for nothing', () => {
	const after = (frames: string, frame: number) => {
		const at = speechAfter(heardAs(frames), frame * frameS);
		return at === undefined ? undefined : Math.round(at / frameS);
	};
	const pause = '.'.repeat(20);
	const sentence = 's'.repeat(30);
	assert.equal(after(sentence + pause + sentence, 30), 44, 'the pause is kept for 0.2 s');
	assert.equal(after(sentence + pause + sentence, 25), 44, 'a moment too early');
	assert.equal(after(sentence + pause + sentence, 35), 44, 'a moment too late');
	assert.equal(after(`${sentence}........${sentence}`, 30), 32, 'a quarter of a second');
	assert.equal(after(`${sentence}.......${sentence}`, 30), undefined, 'a gap between words');
	assert.equal(after(`${sentence + pause}${'s'.repeat(13)}..`, 30), 44);
	assert.equal(after(`${sentence + pause}${'s'.repeat(11)}..`, 30), undefined, 'a noise');
	assert.equal(after(sentence + pause, 30), undefined);
	assert.equal(
		after(`${sentence}...${sentence + pause + sentence}`, 30),
		77,
		'speech goes on first',
	);
});
