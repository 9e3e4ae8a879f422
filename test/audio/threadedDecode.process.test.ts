/** The decoding thread: same samples, bounded work ahead, and no file that hangs or ends the process. */

import assert from 'node:assert/strict';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { decodeInThread } from '../../server/audio/threadedDecode.ts';
import { AppError } from '../../server/protocol/index.ts';
import { endlessRecording } from '../hostile/audio.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { memorySource } from './memorySource.ts';

const folder = temporaryFolder('thread');
let limits = { maximumS: 1000, scratch: '' };
let path = '';
const bytes = wavFile(speechLike(40, 44_100), { rateHz: 44_100 });
before(async () => {
	limits = { ...limits, scratch: join(folder, 'scratch') };
	path = join(folder, 'a.wav');
	await writeFile(path, bytes);
});

async function collect(samples: AsyncIterable<Float32Array>): Promise<number[]> {
	const all: number[] = [];
	for await (const block of samples) for (const value of block) all.push(value);
	return all;
}

test('the thread gives the samples that decoding in place gives', async () => {
	const direct = await decodeAudio(memorySource(bytes));
	const threaded = await decodeInThread(path, limits);
	assert.deepEqual(threaded.info, direct.info);
	assert.deepEqual(await collect(threaded.samples), await collect(direct.samples));
});

test('samples come in pieces of a second, and stopping early ends the thread', async () => {
	const { samples } = await decodeInThread(path, limits);
	const iterator = samples[Symbol.asyncIterator]();
	const first = await iterator.next();
	assert.equal(first.value?.length, 16_384);
	await iterator.return?.(undefined);
	assert.deepEqual(await iterator.next(), { value: undefined, done: true });
});

test('errors of the decoder arrive with their code and sentence', async () => {
	const bad = join(folder, 'bad.wav');
	await writeFile(bad, bytes.subarray(0, bytes.length / 2));
	await assert.rejects(decodeInThread(bad, limits), (error: unknown) => {
		assert.ok(error instanceof AppError);
		assert.equal(error.code, 'invalid_audio');
		assert.match(error.message, /cut off/);
		return true;
	});
	await assert.rejects(decodeInThread(join(folder, 'none.wav'), limits), { code: 'not_found' });
	const long = await decodeInThread(path, { ...limits, maximumS: 50 });
	assert.equal((await collect(long.samples)).length, 640_000);
	await assert.rejects(decodeInThread(path, { ...limits, maximumS: 10 }), {
		code: 'payload_too_large',
	});
});

test('a recording whose reader never ends is ended', async () => {
	const endless = join(folder, 'endless.webm');
	await writeFile(endless, endlessRecording.make(4000));
	await assert.rejects(decodeInThread(endless, { ...limits, computingMs: 300 }), {
		code: 'invalid_audio',
	});
});

test('cancelling ends the thread before and while it works', async () => {
	await assert.rejects(decodeInThread(path, limits, AbortSignal.abort()), { code: 'cancelled' });
	const stop = new AbortController();
	const { samples } = await decodeInThread(path, limits, stop.signal);
	const iterator = samples[Symbol.asyncIterator]();
	await iterator.next();
	stop.abort();
	await assert.rejects(iterator.next(), { code: 'cancelled' });
});

test('the thread decodes some seconds ahead of whoever listens, and no further', async () => {
	const growing = join(folder, 'long.wav');
	const rateHz = 16_000;
	await writeFile(growing, wavFile(speechLike(240, rateHz), { rateHz }));
	const { samples } = await decodeInThread(growing, { ...limits, piecesAhead: 8 });
	const iterator = samples[Symbol.asyncIterator]();
	const first = await iterator.next();
	// Time for a thread that does not wait to read it all; what it has not read is gone then.
	await sleep(500);
	await truncate(growing, 2 * 20 * rateHz);
	let heard = first.value?.length ?? 0;
	for (let next = await iterator.next(); !next.done; next = await iterator.next())
		heard += next.value.length;
	assert.ok(heard <= 21 * rateHz, `${heard / rateHz} s`);
});
