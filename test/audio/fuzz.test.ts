/** 300 damaged recordings: every one is decoded or refused with a 400, none hangs or ends the process. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { memorySource } from '../../server/audio/audioSource.ts';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { AppError } from '../../server/protocol/index.ts';
import { hasProgram, speechLike, wavFile } from './madeAudio.ts';

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
	const folder = await mkdtemp(join(tmpdir(), 'nearglot-fuzz-'));
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
	] as const) {
		const path = join(folder, file);
		spawnSync('ffmpeg', ['-y', '-v', 'error', '-i', join(folder, 'a.wav'), ...options, path]);
		made.push(await readFile(path).catch(() => wav));
	}
	await rm(folder, { recursive: true });
	return made;
}

test(`${files} damaged recordings are decoded or refused, each within 5 s`, async (t) => {
	t.mock.method(console, 'error', () => {});
	const originals = await seeds();
	let refused = 0;
	for (let i = 0; i < files; i++) {
		const random = randomSource(i * 7919 + 1);
		const bytes = damage(originals[i % originals.length] as Uint8Array, random);
		const began = process.cpuUsage();
		try {
			const { samples } = await decodeAudio(memorySource(bytes), { maximumS: 600 });
			for await (const block of samples)
				for (const value of block) assert.ok(Number.isFinite(value), `file ${i}: not a number`);
		} catch (error) {
			assert.ok(error instanceof AppError, `file ${i}: ${(error as Error).stack}`);
			assert.equal(error.kind.httpStatus < 500, true, `file ${i}: ${error.code}: ${error.message}`);
			refused++;
		}
		const { user, system } = process.cpuUsage(began);
		assert.ok(user + system < 5_000_000, `file ${i} took ${(user + system) / 1e6} s`);
	}
	assert.ok(refused > files / 10, `only ${refused} were refused`);
});
