/** The neural detector, when it lies beside a speech model: speech is found, noise is not. */

import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadEngine } from '../../../server/engine/engine.ts';
import { voiceActivityOf } from '../../../server/services/speech/chooseVoiceActivity.ts';
import { speechLike, wavSamples } from '../../support/madeAudio.ts';
import { sharedFolder } from '../../support/sharedData.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const whisper = sharedFolder('models-tiny', 'whisper-tjs');
const silero = sharedFolder('weights', 'silero-vad');
const jfk = sharedFolder('audio', 'jfk.wav');
const skip = whisper.skip || silero.skip || jfk.skip;

const share = (values: Float32Array) =>
	values.filter((value) => value >= 0.5).length / values.length;

test('Silero tells speech from noise, in pieces as in one go; without it loudness decides', {
	skip,
}, async () => {
	const folder = temporaryFolder('silero');
	await symlink(whisper.path, join(folder, 'whisper'), 'junction');
	const bare = await loadEngine({ folder: join(folder, 'whisper'), threads: 1 });
	const alone = await voiceActivityOf(bare).probabilities(wavSamples(jfk.path));
	assert.ok(share(alone) > 0.4, `${share(alone)} of the frames by loudness`);
	await assert.rejects(
		bare.voiceActivity?.({ samples: new Float32Array(512) }) ?? Promise.resolve(),
		{
			code: 'not_supported',
		},
	);
	await bare.close();

	await symlink(silero.path, join(folder, 'silero-vad'), 'junction');
	const engine = await loadEngine({ folder: join(folder, 'whisper'), threads: 1 });
	const speech = wavSamples(jfk.path);
	const whole = await voiceActivityOf(engine).probabilities(speech);
	assert.ok(share(whole) > 0.5 && share(whole) < 0.95, `${share(whole)} of the frames are speech`);
	const activity = voiceActivityOf(engine);
	const half = Math.floor(speech.length / 1024) * 512;
	const pieces = [
		...(await activity.probabilities(speech.subarray(0, half))),
		...(await activity.probabilities(speech.subarray(half))),
	];
	assert.deepEqual(Float32Array.from(pieces), whole);
	let state = 1;
	const noise = Float32Array.from({ length: 32_000 }, () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return 0.2 * (state / 2 ** 31 - 1);
	});
	assert.ok(share(await voiceActivityOf(engine).probabilities(noise)) < 0.1, 'noise is no speech');
	assert.ok(share(await voiceActivityOf(engine).probabilities(new Float32Array(16_000))) === 0);
	assert.equal((await activity.probabilities(speechLike(1, 16_000))).length, 31);
	await engine.close();
});
