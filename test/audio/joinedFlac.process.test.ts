/** FLAC recordings that somebody joined into one file: each is heard, at its own rate. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { hasProgram } from '../support/ffmpeg.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { memorySource } from './memorySource.ts';

const skip = !hasProgram('ffmpeg') && 'no ffmpeg, which makes the files';

function made(seconds: number, rateHz: number): Buffer {
	const input = wavFile(speechLike(seconds, rateHz), { rateHz });
	const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', '-', '-f', 'flac', '-'], { input });
	return stdout;
}

async function decoded(...parts: readonly Uint8Array[]): Promise<number[]> {
	const { samples } = await decodeAudio(memorySource(Buffer.concat(parts)));
	const found: number[] = [];
	for await (const block of samples) for (const value of block) found.push(value);
	return found;
}

test('FLAC recordings in one file are heard one after the other, each at its rate', {
	skip,
}, async () => {
	const [wide, narrow] = [made(3, 16_000), made(2, 8000)];
	const alone = [...(await decoded(wide)), ...(await decoded(narrow))];
	const tag = Buffer.alloc(200);
	tag.write('TAGA title');
	for (const between of [[], [tag]]) {
		const found = await decoded(wide, ...between, narrow);
		assert.equal(found.length, alone.length);
		assert.ok(found.every((value, i) => value === alone[i]));
	}
});

test('the beginning of a FLAC recording is found wherever reading is divided', {
	skip,
}, async () => {
	const [first, second] = [made(1, 16_000), made(1, 16_000)];
	const alone = await decoded(first);
	let metadataEnd = 4;
	for (let last = false; !last; ) {
		last = ((first[metadataEnd] ?? 0) & 0x80) !== 0;
		metadataEnd += 4 + first.readUIntBE(metadataEnd + 1, 3);
	}
	const toDivision = 65_536 - (first.length - metadataEnd);
	assert.ok(toDivision > 8, 'the first recording is shorter than a piece');
	for (const before of [0, 1, 4, 7, 8]) {
		const found = await decoded(first, new Uint8Array(toDivision - before), second);
		assert.equal(found.length, 2 * alone.length, `${before} bytes before the division`);
	}
});

test('of FLAC recordings in one file the second may not be cut off either', { skip }, async () => {
	const whole = made(3, 16_000);
	// An encoder that writes to a pipe leaves the number of samples open: 36 bits that end at byte 26.
	whole.writeUInt32BE(48_000, 22);
	await decoded(whole, whole);
	await assert.rejects(decoded(whole, whole.subarray(0, whole.length >> 1)), {
		code: 'invalid_audio',
		message: /promises 3\.00 s/,
	});
});
