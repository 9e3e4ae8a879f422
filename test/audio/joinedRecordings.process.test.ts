/** Recordings that somebody joined into one file byte by byte: each is heard, or the file is refused. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileSource } from '../../server/audio/audioSource.ts';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { hasProgram } from '../support/ffmpeg.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { memorySource } from './memorySource.ts';

const skip = !hasProgram('ffmpeg') && 'no ffmpeg, which makes the files';
const folder = temporaryFolder('joined');

const wav = (seconds: number) => wavFile(speechLike(seconds, 16_000), { rateHz: 16_000 });

/** A file of so many seconds of sound, as ffmpeg writes it. */
function made(seconds: number, ending: string, ...options: string[]): Buffer {
	const path = join(folder, `made.${ending}`);
	const run = spawnSync('ffmpeg', ['-v', 'error', '-y', '-i', '-', ...options, path], {
		input: wav(seconds),
	});
	assert.equal(run.status, 0, String(run.stderr));
	return readFileSync(path);
}

async function secondsOf(...parts: readonly Uint8Array[]): Promise<number> {
	const { samples } = await decodeAudio(memorySource(Buffer.concat(parts)));
	let count = 0;
	for await (const block of samples) count += block.length;
	return Math.round(count / 16_000);
}

const refused = { code: 'invalid_audio', message: /holds more than one recording/ };

test('WAV recordings in one file are refused, whatever else follows the samples is not', async () => {
	const odd = wavFile(speechLike(1, 8000).subarray(1), { rateHz: 8000, bits: 8 });
	const long = wavFile(speechLike(1, 16_000), { rateHz: 16_000, tag: 'RF64' });
	for (const first of [wav(2), odd, long])
		for (const second of [wav(1), long]) await assert.rejects(secondsOf(first, second), refused);
	const list = Buffer.from('LIST\u0004\0\0\0INFO');
	await assert.rejects(secondsOf(wav(2), list, wav(1)), refused);
	assert.equal(await secondsOf(wav(2), list), 2);
	assert.equal(await secondsOf(wav(2), Buffer.alloc(100)), 2);
});

test('WebM recordings in one file are heard one after the other, or refused', {
	skip,
}, async () => {
	const whole = made(2, 'webm', '-c:a', 'libopus');
	const live = made(3, 'webm', '-c:a', 'libopus', '-live', '1');
	await assert.rejects(secondsOf(whole, whole), refused);
	await assert.rejects(secondsOf(whole, live), refused);
	assert.equal(await secondsOf(whole, Buffer.alloc(10)), 2);
	assert.equal(await secondsOf(live, whole), 5);
	assert.equal(await secondsOf(live, live), 6);
});

test('MP4 recordings in one file are heard one after the other, or refused', { skip }, async () => {
	const flac = ['-c:a', 'flac', '-strict', '-2'];
	const whole = made(2, 'mp4', ...flac);
	const live = made(3, 'mp4', ...flac, '-movflags', 'frag_keyframe+empty_moov+default_base_moof');
	for (const parts of [
		[whole, whole],
		[whole, live],
		[live, whole],
	])
		await assert.rejects(secondsOf(...parts), refused);
	assert.equal(await secondsOf(whole), 2);
	assert.equal(await secondsOf(live, live), 6);
});

test('the track is heard that the file marks as the one to play', { skip }, async () => {
	const sounds = [2, 3].flatMap((seconds) => {
		const path = join(folder, `${seconds}.wav`);
		writeFileSync(path, wav(seconds));
		return ['-i', path];
	});
	const maps = ['-map', '0:a', '-map', '1:a'];
	for (const [ending, codec] of [
		['mp4', 'aac'],
		['mkv', 'aac'],
		['webm', 'libopus'],
	] as const)
		for (const [track, seconds] of [2, 3].entries()) {
			const path = join(folder, `tracks.${ending}`);
			const marks = [0, 1].flatMap((at) => [
				`-disposition:a:${at}`,
				at === track ? 'default' : '0',
			]);
			const rates = ['-b:a:0', '64k', '-b:a:1', '64k'];
			const args = ['-v', 'error', '-y', ...sounds, ...maps, '-c:a', codec, ...rates, ...marks];
			assert.equal(spawnSync('ffmpeg', [...args, path]).status, 0);
			await using source = await fileSource(path);
			const { samples } = await decodeAudio(source);
			let count = 0;
			for await (const block of samples) count += block.length;
			assert.equal(Math.round(count / 16_000), seconds, `${ending}, track ${track}`);
		}
});
