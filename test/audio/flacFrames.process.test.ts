/** FLAC streams cut into frames: in pieces of any size, with damage inside and tags behind. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { FlacSplitter } from '../../server/audio/flacFrames.ts';
import { hasProgram } from '../support/ffmpeg.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';

const skip = !hasProgram('ffmpeg') && 'no ffmpeg, which makes the files';
const seconds = 3;
const blockSize = 1152;

/** The frames of a file in one run, without its metadata. */
function frames(): Uint8Array {
	const input = wavFile(speechLike(seconds, 16_000), { rateHz: 16_000 });
	const options = ['-i', '-', '-frame_size', String(blockSize), '-f', 'flac', '-'];
	const { stdout } = spawnSync('ffmpeg', ['-v', 'error', ...options], { input });
	let at = 4;
	for (let last = false; !last; ) {
		last = ((stdout[at] ?? 0) & 0x80) !== 0;
		at += 4 + stdout.readUIntBE(at + 1, 3);
	}
	return stdout.subarray(at);
}

/** Frames as copies, given to the splitter in pieces of a size. */
function split(bytes: Uint8Array, size: number): { frames: Uint8Array[]; damaged: number } {
	const splitter = new FlacSplitter();
	const found: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; at += size)
		for (const frame of splitter.push(bytes.subarray(at, at + size))) found.push(frame.slice());
	for (const frame of splitter.push(new Uint8Array(0), true)) found.push(frame.slice());
	return { frames: found, damaged: splitter.damaged };
}

test('pieces of any size give the same frames, and nothing is lost', { skip }, () => {
	const stream = frames();
	const whole = split(stream, stream.length);
	assert.equal(whole.frames.length, Math.ceil((seconds * 16_000) / blockSize));
	assert.deepEqual(Buffer.concat(whole.frames), Buffer.from(stream));
	for (const size of [1, 17, 1000, 4096]) assert.deepEqual(split(stream, size), whole);
});

test('a damaged frame is left out, and the next ones are found', { skip }, () => {
	const stream = frames();
	const { frames: right } = split(stream, stream.length);
	const [first, second, third] = right.map(({ length }) => length);
	const spoilt = Uint8Array.from(stream);
	const at = (first ?? 0) + Math.floor((second ?? 0) / 2);
	spoilt[at] = (spoilt[at] ?? 0) ^ 0x5a;
	const found = split(spoilt, 500);
	assert.equal(found.damaged, 1);
	assert.deepEqual(found.frames, [right[0], ...right.slice(2)]);

	// A header that is gone takes its frame with it, and the one before has no end of its own.
	spoilt.set(stream);
	spoilt[(first ?? 0) + (second ?? 0)] = 0;
	const without = split(spoilt, 500).frames;
	assert.deepEqual(without.slice(1), right.slice(3));
	assert.ok((third ?? 0) > 0);
});

test('tags behind the last frame and a cut in it do no harm to the rest', { skip }, () => {
	const stream = frames();
	const { frames: right } = split(stream, stream.length);
	const tag = Buffer.alloc(128);
	tag.write('TAGA title');
	assert.deepEqual(split(Buffer.concat([stream, tag]), 700).frames, right);
	const cut = split(stream.subarray(0, stream.length - 5), 700);
	assert.deepEqual(cut.frames.slice(0, right.length - 1), right.slice(0, -1));
});
