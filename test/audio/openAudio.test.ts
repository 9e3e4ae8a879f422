/** Opening and limits: what is no file, what is too long or too quiet, and who stops a decoder. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileSource, memorySource } from '../../server/audio/audioSource.ts';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { speechLike, wavFile } from './madeAudio.ts';

test('a folder is no recording, an absent file is not found, and a file that shrinks gives what is left', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'nearglot-source-'));
	try {
		await assert.rejects(fileSource(folder), { code: 'invalid_audio', message: /folder/ });
		await assert.rejects(fileSource(join(folder, 'none')), { code: 'not_found' });
		const path = join(folder, 'a');
		await writeFile(path, new Uint8Array(100).fill(7));
		await using source = await fileSource(path);
		await truncate(path, 30);
		assert.deepEqual(await source.read(10, 50), new Uint8Array(20).fill(7));
		assert.equal((await source.read(90, 50)).length, 0);
		assert.equal((await source.read(200, 50)).length, 0);
	} finally {
		await rm(folder, { recursive: true });
	}
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
	await assert.rejects(hear(0.00005), /silent for all of its 1\.0 s/);
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
