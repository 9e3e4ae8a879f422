/** Wave headers whose fields contradict each other: no noise, and words where nobody can tell. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { memorySource } from './memorySource.ts';

async function decoded(bytes: Uint8Array): Promise<number[]> {
	const found: number[] = [];
	for await (const block of (await decodeAudio(memorySource(bytes))).samples)
		for (const value of block) found.push(value);
	return found;
}

test('bits that the other fields of a WAV header contradict do not make noise', async () => {
	const sound = speechLike(1, 16_000);
	const whole = wavFile(sound, { rateHz: 16_000 });
	for (const bits of [7, 8, 12, 24]) {
		const lying = Uint8Array.from(whole);
		lying[34] = bits;
		const read = await decoded(lying);
		assert.equal(read.length, sound.length, `${bits} bits`);
		const error = read.reduce(
			(sum, value, i) => Math.max(sum, Math.abs(value - (sound[i] ?? 0))),
			0,
		);
		assert.ok(error < 1e-3, `${bits} bits: off by ${error}`);
	}
	const float = Uint8Array.from(wavFile(sound, { rateHz: 16_000 }));
	float[20] = 3;
	float[34] = 32;
	await assert.rejects(decoded(float), { code: 'invalid_audio', message: /contradicts itself/ });
});

test('a frame size that bits and channels contradict is judged by the samples', async () => {
	for (const rateHz of [16_000, 44_100])
		for (const bits of [8, 16, 24, 32] as const)
			for (const channels of [1, 2])
				for (const sampleBytes of [1, 2, 3, 4]) {
					const name = `${bits} bits, ${channels} channels, ${rateHz} Hz called ${sampleBytes} bytes`;
					const sound = speechLike(2, rateHz);
					const whole = wavFile(sound, { rateHz, channels, bits });
					const lying = Buffer.from(whole);
					lying.writeUInt32LE(rateHz * channels * sampleBytes, 28);
					lying.writeUInt16LE(channels * sampleBytes, 32);
					assert.deepEqual(await decoded(lying), await decoded(whole), name);
				}
});

test('a wave header that contradicts itself over silence or noise is refused in words', async () => {
	let state = 1;
	const noise = Float32Array.from({ length: 32_000 }, () => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return state / 2 ** 32 - 0.5;
	});
	for (const sound of [new Float32Array(32_000), noise]) {
		const lying = Buffer.from(wavFile(sound, { rateHz: 16_000 }));
		lying.writeUInt32LE(16_000 * 4, 28);
		lying.writeUInt16LE(4, 32);
		await assert.rejects(decoded(lying), {
			code: 'invalid_audio',
			message: /2 bytes for each sample of 1 channels and 4 bytes.*do not tell which/,
		});
	}
});
