/** 300 damaged recordings through the route: text or a 4xx for every one, none hangs or ends the process. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileSource } from '../../server/audio/audioSource.ts';
import { type DecodedAudio, decodeAudio } from '../../server/audio/decodeAudio.ts';
import { decodeInThread } from '../../server/audio/threadedDecode.ts';
import { hasProgram } from '../support/ffmpeg.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { startSpeechServer } from '../support/speechServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const files = 300;

/** Deterministic 32-bit generator, so that a failure can be repeated. */
function randomSource(seed: number): (below: number) => number {
	let state = seed >>> 0;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

function damage(original: Uint8Array, random: (below: number) => number): Uint8Array {
	let bytes = Uint8Array.from(original);
	const head = () => random(Math.min(bytes.length, 200));
	const anywhere = () => random(bytes.length);
	switch (random(7)) {
		case 0:
			for (let i = random(20); i >= 0; i--) bytes[anywhere()] = random(256);
			break;
		case 1:
			for (let i = random(8); i >= 0; i--) bytes[head()] = random(256);
			break;
		case 2:
			bytes = bytes.slice(0, 1 + anywhere());
			break;
		case 3:
			bytes.fill(random(2) * 255, head(), head() + random(64));
			break;
		case 4: {
			const at = anywhere();
			bytes = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + random(500))]);
			break;
		}
		case 5: {
			const at = anywhere();
			bytes.set(bytes.slice(random(at + 1), at), Math.min(anywhere(), bytes.length - at));
			break;
		}
		default:
			for (let i = 16 + random(16); i < bytes.length; i++) bytes[i] = random(256);
	}
	return bytes;
}

async function seeds(): Promise<Uint8Array[]> {
	const wav = wavFile(speechLike(0.7, 22_050), { rateHz: 22_050, channels: 2 });
	const made = [wav, wavFile(speechLike(0.5, 8000), { rateHz: 8000, bits: 24, extensible: true })];
	if (!hasProgram('ffmpeg')) return made;
	const folder = temporaryFolder('fuzz');
	await writeFile(join(folder, 'a.wav'), wav);
	for (const [file, ...options] of [
		['a.mp3', '-b:a', '64k'],
		['a.flac'],
		['a.oga', '-c:a', 'flac', '-f', 'ogg'],
		['a.ogg', '-c:a', 'libvorbis'],
		['a.opus', '-c:a', 'libopus'],
		['o.webm', '-c:a', 'libopus'],
		['v.webm', '-c:a', 'libvorbis'],
		['o.mp4', '-c:a', 'libopus'],
		['s.mov', '-c:a', 'pcm_s16be'],
		['a.m4a', '-c:a', 'aac'],
	] as const) {
		const path = join(folder, file);
		spawnSync('ffmpeg', ['-y', '-v', 'error', '-i', join(folder, 'a.wav'), ...options, path]);
		made.push(await readFile(path).catch(() => wav));
	}
	return made;
}

/** Decodes here, where the time is counted, and now and then one in a thread as the product does. */
let turn = 0;
async function decode(path: string, maximumS: number, signal?: AbortSignal): Promise<DecodedAudio> {
	if (turn++ % 25 === 0) return decodeInThread(path, { maximumS, scratch: tmpdir() }, signal);
	const source = await fileSource(path);
	try {
		const audio = await decodeAudio(source, { maximumS }, signal);
		const close = async () => {
			await audio.close();
			await source[Symbol.asyncDispose]();
		};
		return { ...audio, close };
	} catch (error) {
		await source[Symbol.asyncDispose]();
		throw error;
	}
}

test(`${files} damaged recordings are heard or refused by the route, each within 5 s`, async (t) => {
	t.mock.method(console, 'error', () => {});
	const server = await startSpeechServer({ decode, maximumS: 600 });
	t.after(() => server.close());
	const originals = await seeds();
	let refused = 0;
	let heard = 0;
	let maxBytes = 0;
	const startBytes = process.memoryUsage().rss;
	for (let i = 0; i < files; i++) {
		const random = randomSource(i * 7919 + 1);
		const bytes = damage(originals[i % originals.length] as Uint8Array, random);
		const form = new FormData();
		form.set('model', 'tones');
		form.set('response_format', i % 2 === 0 ? 'verbose_json' : 'srt');
		form.set('file', new Blob([new Uint8Array(bytes)]), 'x');
		const began = process.cpuUsage();
		const response = await fetch(`${server.url}/v1/audio/transcriptions`, {
			method: 'POST',
			body: form,
		});
		const text = await response.text();
		const { user, system } = process.cpuUsage(began);
		assert.ok(user + system < 5_000_000, `file ${i} took ${(user + system) / 1e6} s`);
		assert.ok(response.status < 500, `file ${i}: ${response.status} ${text}`);
		if (response.status === 200) heard++;
		else {
			const { error } = JSON.parse(text) as { error: { message: string; code: string } };
			assert.ok(error.message.length > 20 && error.code !== 'internal', `file ${i}: ${text}`);
			refused++;
		}
		maxBytes = Math.max(maxBytes, process.memoryUsage().rss);
	}
	assert.ok(refused > files / 10, `only ${refused} were refused`);
	assert.ok(heard > files / 10, `only ${heard} were heard`);
	const grown = (maxBytes - startBytes) / 1_048_576;
	assert.ok(grown < 600, `the memory grew by ${grown.toFixed(0)} MB`);
});
