/** Opening and limits: what is no file, what is too long or too quiet, and who stops a decoder. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileSource } from '../../server/audio/audioSource.ts';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { decodeInThread } from '../../server/audio/threadedDecode.ts';
import { hasProgram } from '../support/ffmpeg.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { memorySource } from './memorySource.ts';

test('a folder is no recording, an absent file is not found, and a file that shrinks gives what is left', async () => {
	const folder = temporaryFolder('source');
	await assert.rejects(fileSource(folder), { code: 'invalid_audio', message: /folder/ });
	await assert.rejects(fileSource(join(folder, 'none')), { code: 'not_found' });
	const path = join(folder, 'a');
	await writeFile(path, new Uint8Array(100).fill(7));
	await using source = await fileSource(path);
	await truncate(path, 30);
	assert.deepEqual(await source.read(10, 50), new Uint8Array(20).fill(7));
	assert.equal((await source.read(90, 50)).length, 0);
	assert.equal((await source.read(200, 50)).length, 0);
});

test('what is too long by its header is refused before anything is decoded', async () => {
	const bytes = wavFile(speechLike(1.5, 8000), { rateHz: 8000 });
	await assert.rejects(decodeAudio(memorySource(bytes), { maximumS: 1 }), {
		code: 'payload_too_large',
		message: /2 s long.*at most 1 s/,
	});
});

test('a recording that is quiet is heard; only one below −80 dB counts as silent', async () => {
	const quiet = (peak: number) =>
		wavFile(
			speechLike(1, 16_000).map((value) => value * peak),
			{ rateHz: 16_000, bits: 24 },
		);
	const hear = async (peak: number) => {
		const { samples } = await decodeAudio(memorySource(quiet(peak)));
		let length = 0;
		for await (const block of samples) length += block.length;
		return length;
	};
	assert.equal(await hear(0.001), 16_000);
	assert.equal(await hear(0.00005), 16_000);
});

test('a signal ends the decoding between two blocks', async () => {
	const stop = new AbortController();
	const bytes = wavFile(speechLike(20, 16_000), { rateHz: 16_000 });
	const { samples } = await decodeAudio(memorySource(bytes), { maximumS: 60 }, stop.signal);
	const blocks = samples[Symbol.asyncIterator]();
	await blocks.next();
	stop.abort();
	await assert.rejects(blocks.next(), { name: 'AbortError' });
});

test('a pipe that nobody writes to is refused and keeps nobody waiting', {
	skip: process.platform === 'win32' && 'there are no such pipes',
	timeout: 60_000,
}, async () => {
	const folder = temporaryFolder('pipe');
	const path = join(folder, 'pipe');
	assert.equal(spawnSync('mkfifo', [path]).status, 0);
	await assert.rejects(decodeInThread(path, { maximumS: 10, scratch: folder }), {
		code: 'invalid_audio',
		message: /not a recording/,
	});
});

const skip = !hasProgram('ffmpeg') && 'no ffmpeg, which makes the files';

test('a film without sound is refused as one', { skip }, async () => {
	const options = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=1', '-c:v', 'libvpx'];
	const { stdout } = spawnSync('ffmpeg', ['-v', 'error', ...options, '-f', 'webm', '-']);
	await assert.rejects(decodeAudio(memorySource(stdout)), {
		code: 'invalid_audio',
		message: /WebM.* has no audio track/,
	});
});

test('a block of more than 64 kB before the sound, with sound in it, is passed over', {
	skip,
}, async () => {
	const input = wavFile(speechLike(1, 16_000), { rateHz: 16_000 });
	const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', '-', '-f', 'flac', '-'], { input });
	const [head, rest] = [stdout.subarray(0, 42), stdout.subarray(42)];
	const block = Buffer.concat([Uint8Array.of(2, 1, 0x86, 0xa0), Buffer.alloc(100_000)]);
	// The block ends with whole frames, as a picture might look like some.
	rest.copy(block, block.length - rest.length);
	const { samples } = await decodeAudio(memorySource(Buffer.concat([head, block, rest])));
	let length = 0;
	for await (const piece of samples) length += piece.length;
	assert.equal(length, 16_000);
});

test('FLAC without the whole of its first block is refused', async () => {
	const head = Buffer.concat([Buffer.from('fLaC'), Uint8Array.of(0, 0, 0, 34), new Uint8Array(20)]);
	const application = Buffer.concat([
		Buffer.from('fLaC'),
		Uint8Array.of(2, 0, 0, 34),
		new Uint8Array(60),
	]);
	for (const bytes of [head, application])
		await assert.rejects(decodeAudio(memorySource(bytes)), {
			code: 'invalid_audio',
			message: /no stream information/,
		});
});

test('ffmpeg may read this one file with one reader, and its failure is told', {
	skip: process.platform === 'win32' && 'the program of the test is a shell script',
}, async () => {
	const folder = temporaryFolder('ffmpeg');
	const before = process.env.PATH;
	try {
		const path = join(folder, 'a.aac');
		await writeFile(
			path,
			Buffer.concat([Uint8Array.of(0xff, 0xf1, 0x50, 0x80), new Uint8Array(50)]),
		);
		const program = async (body: string) => {
			await writeFile(
				join(folder, 'ffmpeg'),
				`#!/bin/sh\nprintf '%s ' "$@" >${folder}/args\n${body}\n`,
			);
			await chmod(join(folder, 'ffmpeg'), 0o755);
		};
		const hear = async () => {
			await using source = await fileSource(path);
			const { samples } = await decodeAudio(source);
			const found: number[] = [];
			for await (const block of samples) for (const value of block) found.push(value * 32_768);
			return found;
		};
		process.env.PATH = folder;
		// Pieces that end in the middle of a sample.
		const [a, b, c] = ['\\001\\020\\002', '\\020', '\\003\\020'].map((text) => `printf '${text}'`);
		await program(`${a}; /bin/sleep 0.2; ${b}; /bin/sleep 0.2; ${c}`);
		assert.deepEqual(await hear(), [4097, 4098, 4099]);
		assert.equal(
			await readFile(join(folder, 'args'), 'utf8'),
			`-nostdin -v error -timelimit 960 -protocol_whitelist file -f aac -i file:${path} -map 0:a:0 -af aresample=async=1:first_pts=0 -ac 1 -ar 16000 -f s16le pipe:1 `,
		);
		await program(`${c}; exit 1`);
		await assert.rejects(hear(), { code: 'invalid_audio', message: /ffmpeg could not decode it/ });
	} finally {
		process.env.PATH = before;
	}
});
