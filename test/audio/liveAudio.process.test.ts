/** Sound that is being recorded: every sample once and in order, at any rate, until the end, and nothing left on disk. */

import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { LiveAudio } from '../../server/audio/liveAudio.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const rateHz = 16_000;
const folder = temporaryFolder('live-test');
before(async () => {
	process.env.TMPDIR = folder;
	process.env.TEMP = folder;
});

const ramp = (from: number, length: number) => Int16Array.from({ length }, (_, i) => from + i);

async function collect(audio: LiveAudio): Promise<number[]> {
	const all: number[] = [];
	for await (const block of audio.samples)
		for (const value of block) all.push(Math.round(value * 32_768));
	return all;
}

test('what is recorded comes out while it is recorded, and once', async () => {
	const audio = await LiveAudio.open(60, tmpdir());
	const samples = audio.samples[Symbol.asyncIterator]();
	await audio.push(ramp(0, 100), rateHz);
	assert.equal((await samples.next()).value?.length, 100);
	const waiting = samples.next();
	await audio.push(ramp(50, 100), rateHz, 50);
	assert.deepEqual(
		[...((await waiting).value ?? [])].map((value) => value * 32_768),
		[...ramp(100, 50)],
	);
	await audio.push(ramp(0, 150), rateHz, 0);
	assert.equal(audio.received, 150);
	assert.equal(audio.seconds, 150 / rateHz);
	await audio.end();
	assert.equal((await samples.next()).done, true);
	await audio.close();
});

test('sound that is still being written when the recording ends is given too', async () => {
	for (let turn = 0; turn < 20; turn++) {
		const audio = await LiveAudio.open(60, tmpdir());
		const found = collect(audio);
		const writing = [audio.push(ramp(0, 3000), rateHz), audio.push(ramp(3000, 5000), rateHz)];
		const ending = audio.end();
		assert.equal((await found).length, 8000);
		await Promise.all([...writing, ending]);
		await audio.close();
	}
});

test('another rate is converted to the last sample, and no peak turns over', async () => {
	const audio = await LiveAudio.open(60, tmpdir());
	// Full scale up and down: the filter overshoots at every edge.
	const square = Int16Array.from({ length: 48_000 }, (_, i) => (i % 480 < 240 ? 32_767 : -32_768));
	await audio.push(square, 48_000);
	await audio.end();
	const found = await collect(audio);
	assert.equal(found.length, 16_000);
	for (const [index, value] of found.entries()) {
		const place = index % 160;
		if (place > 10 && place < 70) assert.ok(value > 20_000, `${value} at ${index}`);
		if (place > 90 && place < 150) assert.ok(value < -20_000, `${value} at ${index}`);
	}
	await audio.close();
});

test('gaps, other rates, too much and what comes after the end are refused', async () => {
	const audio = await LiveAudio.open(1, tmpdir());
	const push = async (...args: Parameters<LiveAudio['push']>) => audio.push(...args);
	await assert.rejects(push(ramp(0, 10), 999), { code: 'invalid_audio' });
	await push(ramp(0, 10), rateHz);
	await assert.rejects(push(ramp(0, 10), 8000), { code: 'invalid_request', param: 'rate' });
	await assert.rejects(push(ramp(0, 10), rateHz, 11), { code: 'conflict', param: 'from' });
	await assert.rejects(push(new Int16Array(rateHz - 9), rateHz), { code: 'payload_too_large' });
	assert.equal(audio.received, 10, 'what was refused does not count');
	await push(new Int16Array(rateHz - 10), rateHz);
	await audio.end();
	await assert.rejects(push(ramp(0, 1), rateHz), { code: 'not_found' });
	assert.equal((await collect(audio)).length, rateHz);
	await audio.close();
});

test('a rest is silence of that length, and none after the end', async () => {
	const audio = await LiveAudio.open(60, tmpdir());
	await audio.push(ramp(1, 5), rateHz);
	await audio.rest(0.01);
	await audio.push(ramp(6, 5), rateHz);
	await audio.end();
	await audio.rest(1);
	const found = await collect(audio);
	assert.deepEqual(found, [...ramp(1, 5), ...new Array(160).fill(0), ...ramp(6, 5)]);
	await audio.close();
});

test('the file is for its owner alone, and closing takes it away and ends whoever waits', async () => {
	const audio = await LiveAudio.open(60, tmpdir());
	const [name = ''] = await readdir(folder);
	const { mode } = await stat(join(folder, name, 'samples'));
	if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o600);
	const found = collect(audio);
	const writing = audio.push(ramp(0, 1000), rateHz);
	await audio.close();
	await writing;
	assert.ok([0, 1000].includes((await found).length));
	await audio.close();
	assert.deepEqual(await readdir(folder), []);
});
