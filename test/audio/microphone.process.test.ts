/** The microphone through programs of the machine, with programs of the test's own in their place. */

import assert from 'node:assert/strict';
import { access, chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { plainSamples } from '../../server/audio/plainSamples.ts';
import {
	firstDshowAudio,
	microphonePrograms,
	openSystemMicrophone,
} from '../../server/audio/systemMicrophone.ts';
import { AppError } from '../../server/protocol/index.ts';
import { wavFile } from '../support/madeAudio.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const skip = process.platform === 'win32' && 'the programs of the test are shell scripts';
const folder = temporaryFolder('microphone');

/** A folder that is the whole PATH, with these programs in it. */
async function machine(programs: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv> {
	const path = await mkdtemp(join(folder, 'path-'));
	for (const [name, body] of Object.entries(programs)) {
		await writeFile(join(path, name), `#!/bin/sh\n${body}\n`);
		await chmod(join(path, name), 0o755);
	}
	return { PATH: path };
}

const open = (env: NodeJS.ProcessEnv) => openSystemMicrophone(env, 'linux');

test('a program without a microphone is passed over for the next one', { skip }, async () => {
	const env = await machine({
		'pw-record': 'echo "error: can not connect to PipeWire" >&2; exit 1',
		arecord: 'while true; do printf "\\001\\000\\002\\000"; /bin/sleep 0.05; done',
	});
	const microphone = await open(env);
	assert.equal(microphone.program, 'arecord');
	const heard: number[] = [];
	for await (const samples of microphone.samples) {
		heard.push(...samples);
		if (heard.length >= 6) microphone.stop();
	}
	assert.deepEqual(heard.slice(0, 6), [1, 2, 1, 2, 1, 2]);
});

test('without any program, or without a microphone, the error says what to do', {
	skip,
}, async () => {
	const refused = async (env: NodeJS.ProcessEnv, message: RegExp) =>
		assert.rejects(
			() => open(env),
			(error) => {
				assert.ok(error instanceof AppError && error.code === 'not_supported');
				assert.match(error.message, message);
				return true;
			},
		);
	await refused(await machine({}), /Install one of pw-record, parecord, arecord, sox, ffmpeg/);
	await refused(
		await machine({ arecord: 'echo "no soundcards found" >&2; exit 1', sox: 'exit 2' }),
		/arecord: no soundcards found; sox: it ended at once.*Plug one in/,
	);
});

test('cancelling ends the wait for the first sound', { skip }, async () => {
	const env = await machine({ 'pw-record': 'exec /bin/sleep 60' });
	await assert.rejects(
		() => openSystemMicrophone(env, 'linux', AbortSignal.timeout(50)),
		(error) => error instanceof AppError && error.code === 'cancelled',
	);
});

test('every system has its programs, and ffmpeg takes the device Windows names', () => {
	assert.deepEqual(
		microphonePrograms('darwin').map(({ name }) => name),
		['sox', 'ffmpeg'],
	);
	assert.deepEqual(microphonePrograms('win32', 'Mikrofon (USB)').at(-1)?.args.slice(3, 7), [
		'-f',
		'dshow',
		'-i',
		'audio=Mikrofon (USB)',
	]);
	assert.equal(firstDshowAudio('[dshow] "Cam" (video)\n[dshow] "Mic 1" (audio)\n'), 'Mic 1');
	const old = 'DirectShow video devices\n "Cam"\nDirectShow audio devices\n "Mic 2"\n "@device_cm"';
	assert.equal(firstDshowAudio(old), 'Mic 2');
	assert.equal(firstDshowAudio('nothing'), undefined);
});

async function samplesOf(pieces: readonly Uint8Array[]): Promise<number[]> {
	async function* stream() {
		yield* pieces;
	}
	const found: number[] = [];
	for await (const samples of plainSamples(stream())) found.push(...samples);
	return found;
}

test('samples are read from raw streams and behind headers, however the bytes are divided', async () => {
	const signal = Float32Array.from([0, 0.25, -0.25, 0.5]);
	const expected = [0, 8192, -8192, 16_384];
	const wav = wavFile(signal, { rateHz: 16_000, bits: 16 });
	const raw = wav.subarray(wav.length - 8);
	const sun = Buffer.concat([
		Buffer.from('.snd'),
		Buffer.from(Uint32Array.from([28, 0xffffffff, 3, 16_000, 1, 0]).buffer).swap32(),
		Buffer.from(raw).swap16(),
	]);
	for (const bytes of [raw, wav, sun])
		for (const size of [1, 3, 7, 64]) {
			const pieces: Uint8Array[] = [];
			for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
			const found = await samplesOf(pieces);
			for (const [index, value] of expected.entries())
				assert.ok(Math.abs((found[index] as number) - value) <= 1, `${found} in pieces of ${size}`);
			assert.equal(found.length, 4);
		}
});

test('a header without samples in its first 4 kB is no header, nor is one that claims to be longer', async () => {
	const chunks = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), Buffer.alloc(4100, 1)]);
	const found = await samplesOf([chunks.subarray(0, 2000), chunks.subarray(2000)]);
	assert.equal(found.length, chunks.length / 2);
	assert.deepEqual(found.slice(0, 2), [0x4952, 0x4646]);
	const sun = Buffer.concat([
		Buffer.from('.snd'),
		Uint8Array.of(0x7f, 0, 0, 0),
		Buffer.alloc(8, 1),
	]);
	assert.deepEqual((await samplesOf([sun])).slice(-2), [0x0101, 0x0101]);
});

test('nothing is started for somebody who has gone', { skip }, async () => {
	const env = await machine({ 'pw-record': `echo started >${folder}/started; exit 1` });
	await assert.rejects(() => openSystemMicrophone(env, 'linux', AbortSignal.abort()), {
		code: 'cancelled',
	});
	await assert.rejects(access(join(folder, 'started')), { code: 'ENOENT' });
});
