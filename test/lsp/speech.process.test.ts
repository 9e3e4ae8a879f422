/** Recordings and the microphone as an editor's front asks for them, with a model that hears tones. */

import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Dictations } from '../../server/lsp/dictations.ts';
import {
	makePlayable,
	transcribeRecordingFile,
	waveformOfFile,
} from '../../server/lsp/transcribeRecordingFile.ts';
import type { DictationEvent, TranscriptDelta } from '../../server/protocol/index.ts';
import { Client, sender } from '../../server/protocol/routeClient.ts';
import { wavFile } from '../support/madeAudio.ts';
import { type SpeechServer, startSpeechServer } from '../support/speechServer.ts';
import { needsShell } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { tones } from '../support/toneModel.ts';
import { until } from '../support/until.ts';

const never = new AbortController().signal;
const phrases = [
	{ words: [1, 2, 3], gapS: 0.15, pauseS: 2 },
	{ words: [4, 5], gapS: 0.15, pauseS: 2 },
];
const samples = tones(phrases);
const folder = temporaryFolder('lsp-speech');
let recording = '';
let server: SpeechServer;
let link: Client;

before(async () => {
	recording = join(folder, 'tones.wav');
	await writeFile(recording, wavFile(samples, { rateHz: 16_000 }));
	server = await startSpeechServer();
	const key = 'key-of-the-test-server';
	link = new Client(sender({ fetch: (path, init) => fetch(server.url + path, init), key }));
});
after(async () => {
	await server.close();
});

/** A folder with a program `arecord` that is this script, as the only thing on the path. */
async function fakePrograms(scripts: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv> {
	const path = await mkdtemp(join(folder, 'bin-'));
	for (const [name, script] of Object.entries(scripts)) {
		await writeFile(join(path, name), `#!${process.execPath}\n${script}`);
		await chmod(join(path, name), 0o755);
	}
	return { PATH: path };
}

/** Plays the samples and goes on, as a microphone does, until it is interrupted. */
const microphone = (pcm: string) => `
const { readFileSync, writeSync } = require('node:fs');
writeSync(1, readFileSync(${JSON.stringify(pcm)}));
setInterval(() => writeSync(1, Buffer.alloc(3200)), 100);
process.on('SIGTERM', () => process.exit(0));
`;

async function pcmFile(): Promise<string> {
	const path = join(folder, 'tones.pcm');
	const pcm = Int16Array.from(samples, (value) => Math.round(value * 32_767));
	await writeFile(path, new Uint8Array(pcm.buffer));
	return path;
}

test('a recording becomes a transcript with word times, its lines and progress on the way', async () => {
	const deltas: TranscriptDelta[] = [];
	const transcript = await transcribeRecordingFile(
		link,
		{ path: recording, language: 'en' },
		(delta) => deltas.push(delta),
		never,
	);
	assert.equal(transcript.text, 'w1 w2 w3 w4 w5');
	assert.deepEqual(
		transcript.words?.map(({ word, start }) => [word, Math.round(start * 2) / 2]),
		[
			['w1', 0],
			['w2', 0.5],
			['w3', 1],
			['w4', 3.5],
			['w5', 4],
		],
	);
	assert.equal(deltas.map(({ delta }) => delta ?? '').join(''), transcript.text);
	assert.deepEqual(
		deltas.flatMap(({ segments }) => segments ?? []).map(({ text }) => text),
		transcript.segments.map(({ text }) => text),
	);
	const progress = deltas.findLast((delta) => delta.progress)?.progress;
	assert.ok(progress && Math.abs(progress.done - samples.length / 16_000) < 0.1);
	assert.equal(server.model.requests.at(-1)?.language, 'en');
});

test('into English is asked of the translation route', async () => {
	const transcript = await transcribeRecordingFile(
		link,
		{ path: recording, english: true },
		() => {},
		never,
	);
	assert.equal(transcript.task, 'translate');
	assert.equal(server.model.requests.at(-1)?.task, 'translate');
});

test('a cancelled transcription ends the work of the model', async () => {
	const stop = new AbortController();
	server.model.delayMs = 60_000;
	const before = server.model.cancelled;
	const running = transcribeRecordingFile(link, { path: recording }, () => {}, stop.signal);
	const asked = server.model.requests.length;
	await until('the model is asked', () => server.model.requests.length > asked);
	stop.abort();
	await assert.rejects(running);
	await until('the model is cancelled', () => server.model.cancelled > before);
	server.model.delayMs = 0;
});

test('a missing file and a wrong language say so', async () => {
	await assert.rejects(
		transcribeRecordingFile(link, { path: join(folder, 'no.wav') }, () => {}, never),
		{ code: 'not_found' },
	);
	await assert.rejects(
		transcribeRecordingFile(link, { path: recording, language: 'xx' }, () => {}, never),
		{ code: 'invalid_request', message: /xx/ },
	);
});

test('the waveform is loud where the tones are and still where they are not', async () => {
	const { peaks, duration } = await waveformOfFile({ path: recording, buckets: 100 }, never);
	assert.equal(peaks.length, 100);
	assert.ok(Math.abs(duration - samples.length / 16_000) < 0.01);
	const at = (seconds: number) => peaks[Math.floor((seconds / duration) * 100)] ?? -1;
	assert.ok(at(0.15) > 90 && at(0.15) < 115);
	assert.equal(at(2.5), 0);
	await assert.rejects(waveformOfFile({ path: recording, buckets: 0 }, never), /buckets/);
});

test('silence has a flat waveform, and what is no recording has none, and it is said why', async () => {
	const path = join(folder, 'none.wav');
	await writeFile(path, wavFile(new Float32Array(16_000), { rateHz: 16_000 }));
	const { peaks } = await waveformOfFile({ path, buckets: 10 }, never);
	assert.deepEqual([...peaks], Array(10).fill(0));
	await writeFile(path, 'no sound at all');
	await assert.rejects(waveformOfFile({ path, buckets: 10 }, never), { code: 'invalid_audio' });
});

test('any recording becomes a WAV file, and half a one is never left behind', async () => {
	const target = join(folder, 'playable.wav');
	await makePlayable({ path: recording, target }, never);
	const bytes = await readFile(target);
	assert.equal(bytes.readUInt32LE(4), bytes.length - 8);
	assert.equal(bytes.readUInt32LE(40), samples.length * 2);
	assert.equal(bytes.readUInt32LE(24), 16_000);
	const cut = join(folder, 'cut.wav');
	const cuts = [
		{ start: 0, end: 0.25 },
		{ start: 0.5, end: 0.75 },
	];
	await makePlayable({ path: recording, target: cut, cuts }, never);
	const left = await readFile(cut);
	assert.equal(left.readUInt32LE(40), bytes.readUInt32LE(40) - 2 * 8000);
	const header = 44;
	// Beside a cut the sound fades; a hundredth of a second on it is what it was.
	const [from, until] = [0.02, 0.23].map((second) => 2 * Math.round(second * 16_000)) as [
		number,
		number,
	];
	assert.deepEqual(
		left.subarray(header + from, header + until),
		bytes.subarray(header + 8000 + from, header + 8000 + until),
	);
	assert.equal(left.readInt16LE(header), 0);
	const broken = join(folder, 'broken.wav');
	const other = join(folder, 'other.wav');
	await writeFile(broken, (await readFile(recording)).subarray(0, 60_000));
	await assert.rejects(makePlayable({ path: broken, target: other }, never));
	await assert.rejects(readFile(`${other}.part`), { code: 'ENOENT' });
	await assert.rejects(readFile(other), { code: 'ENOENT' });
});

test('a program that records is heard until it is told to stop', { skip: needsShell }, async () => {
	const env = await fakePrograms({
		'pw-record': "console.error('pw-record: no such device'); process.exit(1)",
		arecord: microphone(await pcmFile()),
	});
	const dictations = new Dictations(link, env);
	const events: DictationEvent[] = [];
	const running = dictations.run(
		{ id: 'one', source: 'program' },
		(event) => {
			events.push(event);
			if (event.type === 'text' && event.delta.includes('w5')) void dictations.stop('one');
		},
		never,
	);
	assert.deepEqual(await running, { text: 'w1 w2 w3 w4 w5' });
	assert.ok(events.some((event) => event.type === 'microphone' && event.program === 'arecord'));
	assert.ok(events.some((event) => event.type === 'level' && event.level > 0.2));
	assert.deepEqual(await dictations.stop('one'), {});
});

test('a computer without a microphone says what each program said', {
	skip: needsShell,
}, async () => {
	const env = await fakePrograms({
		arecord: "console.error('arecord: no soundcards found'); process.exit(1)",
	});
	const dictations = new Dictations(link, env);
	const running = dictations.run({ id: 'two', source: 'program' }, () => {}, never);
	await assert.rejects(running, { code: 'not_supported', message: /arecord: no soundcards found/ });
});

test('a cancelled dictation ends the program and the session', { skip: needsShell }, async () => {
	const stop = new AbortController();
	const env = await fakePrograms({ arecord: microphone(await pcmFile()) });
	const dictations = new Dictations(link, env);
	const running = dictations.run(
		{ id: 'three', source: 'program' },
		(event) => {
			if (event.type === 'level') stop.abort();
		},
		stop.signal,
	);
	await assert.rejects(running, { code: 'cancelled' });
	await assert.rejects(dictations.audio({ id: 'three', rate: 16_000, data: '' }, never), {
		code: 'not_found',
	});
});

test('an editor may bring the sound itself', async () => {
	const dictations = new Dictations(link, { PATH: '' });
	const data = (await readFile(await pcmFile())).toString('base64');
	const running = dictations.run(
		{ id: 'four', source: 'editor', language: 'en' },
		(event) => {
			if (event.type !== 'state' || event.state !== 'waiting') return;
			void dictations
				.audio({ id: 'four', rate: 16_000, data }, never)
				.then(() => dictations.stop('four'));
		},
		never,
	);
	assert.deepEqual(await running, { text: 'w1 w2 w3 w4 w5' });
});

test('the recorder page is named when it is to record', async () => {
	const stop = new AbortController();
	const dictations = new Dictations(link, { PATH: '' });
	let url = '';
	const running = dictations.run(
		{ id: 'five', source: 'page' },
		(event) => {
			if (event.type === 'page') url = event.url;
			stop.abort();
		},
		stop.signal,
	);
	await assert.rejects(running, { code: 'cancelled' });
	assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/recorder#/);
});
