/** Every format against a reference decoder, and every kind of bad file. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileSource } from '../../server/audio/audioSource.ts';
import { decodeAudio, speechRateHz } from '../../server/audio/decodeAudio.ts';
import { AppError } from '../../server/protocol/index.ts';
import { ffmpegReference, hasProgram } from '../support/ffmpeg.ts';
import { correlation, speechLike, wavFile } from '../support/madeAudio.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { firstPage } from './madeOgg.ts';
import { memorySource } from './memorySource.ts';

const seconds = 3;
const folder = temporaryFolder('audio');
before(async () => {
	const stereo = wavFile(speechLike(seconds, 44_100), { rateHz: 44_100, channels: 2 });
	await writeFile(join(folder, 'source.wav'), stereo);
});

async function decoded(bytes: Uint8Array, maximumS = 100): Promise<Float32Array> {
	const { samples } = await decodeAudio(memorySource(bytes), { maximumS });
	const blocks: Float32Array[] = [];
	for await (const block of samples) blocks.push(block);
	const whole = new Float32Array(blocks.reduce((sum, block) => sum + block.length, 0));
	let at = 0;
	for (const block of blocks) {
		whole.set(block, at);
		at += block.length;
	}
	return whole;
}

function assertSameSound(found: Float32Array, expected: Float32Array, least = 0.995): void {
	const lengthS = Math.abs(found.length - expected.length) / 16_000;
	assert.ok(lengthS <= 0.02, `the length differs by ${lengthS} s`);
	const alike = correlation(found, expected);
	assert.ok(alike >= least, `the correlation is ${alike}`);
}

const wavForms = [
	{ name: '8 bits', bits: 8 },
	{ name: '16 bits', bits: 16 },
	{ name: '24 bits', bits: 24 },
	{ name: '32 bits', bits: 32 },
	{ name: 'float', bits: 32, encoding: 'float' },
	{ name: 'double', bits: 64, encoding: 'float' },
	{ name: 'µ-law', bits: 8, encoding: 'mu-law' },
	{ name: 'A-law', bits: 8, encoding: 'a-law' },
	{ name: 'extensible 24 bits', bits: 24, extensible: true },
	{ name: 'extensible float', bits: 32, encoding: 'float', extensible: true },
	{ name: 'RF64', bits: 16, tag: 'RF64' },
	{ name: 'no length (written to a pipe)', bits: 16, announcedBytes: 0xffffffff },
	{ name: 'length 0 (recorder was killed)', bits: 16, announcedBytes: 0 },
] as const;

for (const { name, ...form } of wavForms) {
	test(`WAV with ${name} decodes to the signal it was made of`, async () => {
		const signal = speechLike(1, 16_000);
		for (const channels of [1, 2, 6]) {
			const found = await decoded(wavFile(signal, { rateHz: 16_000, channels, ...form }));
			assert.equal(found.length, signal.length);
			assertSameSound(found, signal, 'bits' in form && form.bits === 8 ? 0.9985 : 0.99999);
		}
	});
}

const chord = (rateHz: number) =>
	Float32Array.from({ length: rateHz }, (_, i) => {
		const turn = (2 * Math.PI * i) / rateHz;
		return 0.3 * Math.sin(300 * turn) + 0.3 * Math.sin(1000 * turn) + 0.2 * Math.sin(3000 * turn);
	});

for (const rateHz of [8000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000, 44_101]) {
	test(`${rateHz} samples per second become 16,000`, async () => {
		const found = await decoded(wavFile(chord(rateHz), { rateHz, bits: 24 }));
		assert.ok(Math.abs(found.length - 16_000) <= 1, `${found.length} samples`);
		const alike = correlation(found.subarray(200, 15_800), chord(16_000).subarray(200, 15_800));
		assert.ok(alike > 0.9999, String(alike));
	});
}

/** A moving picture beside the sound. */
const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=3'];

const ffmpegForms: readonly (readonly [file: string, ...options: string[]])[] = [
	['cbr.mp3', '-b:a', '128k'],
	['vbr.mp3', '-q:a', '4'],
	['mono.mp3', '-ac', '1', '-ar', '22050', '-b:a', '48k'],
	['tagged.mp3', '-metadata', `title=${'x'.repeat(3000)}`, '-id3v2_version', '3'],
	['layer2.mp2', '-c:a', 'mp2', '-f', 'mp2'],
	['a.flac'],
	['deep.flac', '-sample_fmt', 's32', '-ar', '96000'],
	['flac.oga', '-c:a', 'flac', '-f', 'ogg'],
	['vorbis.ogg', '-c:a', 'libvorbis'],
	['opus.ogg', '-c:a', 'libopus'],
	['mono.opus', '-c:a', 'libopus', '-ac', '1', '-b:a', '24k'],
	['opus.webm', '-c:a', 'libopus'],
	['vorbis.webm', '-c:a', 'libvorbis'],
	['live.webm', '-c:a', 'libopus', '-f', 'webm', '-live', '1'],
	['flac.mka', '-c:a', 'flac'],
	['mp3.mka', '-c:a', 'libmp3lame'],
	['opus.mp4', '-c:a', 'libopus'],
	['flac.mp4', '-c:a', 'flac', '-strict', '-2'],
	['aac.m4a', '-c:a', 'aac'],
	['aac.aac', '-c:a', 'aac'],
	['aac.mka', '-c:a', 'aac'],
	['alac.m4a', '-c:a', 'alac'],
	['ac3.mka', '-c:a', 'ac3'],
	['mp3.mp4', '-c:a', 'libmp3lame'],
	['s16.mov', '-c:a', 'pcm_s16le'],
	['s24be.mov', '-c:a', 'pcm_s24be'],
	['float.mov', '-c:a', 'pcm_f32le'],
	['mu-law.mov', '-c:a', 'pcm_mulaw'],
	['a-law.mov', '-c:a', 'pcm_alaw'],
	['s16.mka', '-c:a', 'pcm_s16le'],
	['float.mka', '-c:a', 'pcm_f32le'],
	['fragments.mp4', '-c:a', 'libopus', '-movflags', 'frag_keyframe+empty_moov'],
	['film.webm', ...picture, '-c:a', 'libopus', '-c:v', 'libvpx'],
	['film.mp4', ...picture, '-c:a', 'aac', '-c:v', 'mpeg4'],
	['s24.wav', '-c:a', 'pcm_s24le'],
	['five-one.flac', '-ac', '6'],
];

for (const [file, ...options] of ffmpegForms) {
	test(`${file} sounds like ffmpeg's own decoding`, async (t) => {
		if (!hasProgram('ffmpeg')) return t.skip('ffmpeg is not installed');
		const path = join(folder, file);
		const source = join(folder, 'source.wav');
		const made = spawnSync('ffmpeg', ['-y', '-v', 'error', '-i', source, ...options, path]);
		assert.equal(made.status, 0, made.stderr.toString());
		const renamed = join(folder, `${file}.bin`);
		await writeFile(renamed, await readFile(path));
		await using opened = await fileSource(renamed);
		const { samples } = await decodeAudio(opened);
		const blocks: Float32Array[] = [];
		for await (const block of samples) blocks.push(block);
		const found = Float32Array.from(blocks.flatMap((block) => [...block]));
		assertSameSound(found, ffmpegReference(path));
	});
}

test('without ffmpeg the error names the codec and says what to do', async (t) => {
	if (!hasProgram('ffmpeg')) return t.skip('ffmpeg is not installed');
	const source = join(folder, 'source.wav');
	const path = process.env.PATH;
	for (const [file, codec, name] of [
		['voice.m4a', 'aac', 'AAC'],
		['voice.aac', 'aac', 'AAC'],
		['voice.mov', 'alac', 'a codec Nearglot has no decoder for'],
		['voice.mka', 'ac3', 'AC3'],
	] as const) {
		const made = spawnSync('ffmpeg', [
			...['-y', '-v', 'error', '-i', source, '-c:a', codec, join(folder, file)],
		]);
		assert.equal(made.status, 0, made.stderr.toString());
		await using opened = await fileSource(join(folder, file));
		process.env.PATH = folder;
		try {
			await assert.rejects(
				() => decodeAudio(opened),
				(error) => {
					assert.ok(error instanceof AppError && error.code === 'invalid_audio');
					assert.ok(error.message.includes(`holds ${name}`), error.message);
					assert.match(error.message, /Install ffmpeg, or convert the file/);
					return true;
				},
			);
		} finally {
			process.env.PATH = path;
		}
	}
});

test('a recording made by sox sounds like ffmpeg decodes it', async (t) => {
	if (!hasProgram('sox') || !hasProgram('ffmpeg')) return t.skip('sox or ffmpeg is not installed');
	for (const file of ['sox.mp3', 'sox.ogg', 'sox.flac', 'sox-u.wav']) {
		const path = join(folder, file);
		const encoding = file === 'sox-u.wav' ? ['-e', 'mu-law'] : [];
		const made = spawnSync('sox', [join(folder, 'source.wav'), ...encoding, path]);
		if (made.status !== 0) continue;
		const reference = ffmpegReference(path);
		const found = await decoded(await readFile(path));
		assert.ok(
			Math.abs(found.length - reference.length) <= 640,
			`${file}: ${found.length} against ${reference.length}`,
		);
		assert.ok(correlation(found, reference) >= 0.995, file);
	}
});

async function complaint(bytes: Uint8Array, maximumS?: number): Promise<AppError> {
	try {
		await decoded(bytes, maximumS);
	} catch (error) {
		assert.ok(error instanceof AppError, String(error));
		return error;
	}
	return assert.fail('it was accepted');
}

const good = wavFile(speechLike(1, 16_000), { rateHz: 16_000 });
const patched = (at: number, ...bytes: number[]) => {
	const copy = Uint8Array.from(good);
	copy.set(bytes, at);
	return copy;
};
const badFiles: readonly (readonly [name: string, bytes: Uint8Array, message: RegExp])[] = [
	['an empty file', new Uint8Array(0), /empty/],
	[
		'random bytes',
		Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + i * i * 31) % 251),
		/known kind/,
	],
	['text', Buffer.from('Dear all,\nplease find the recording attached.\n'), /text file/],
	['a PNG picture', Buffer.from('\x89PNG\r\n\x1a\nIHDR', 'latin1'), /PNG/],
	['a WAV cut after its header', good.subarray(0, 44), /no samples/],
	['a WAV cut in its header', good.subarray(0, 20), /cut off/],
	['a WAV cut in the middle', good.subarray(0, 16_000), /promises 1\.00 s and 0\.50 s/],
	['a WAV of 0 Hz', patched(24, 0, 0, 0, 0), /0 samples per second/],
	['a WAV of 4 GHz', patched(24, 255, 255, 255, 255), /4294967295 samples per second/],
	['a WAV without channels', patched(22, 0, 0), /0 channels/],
	['a WAV of ADPCM', patched(20, 17, 0), /IMA ADPCM/],
	[
		'an ID3 tag alone',
		Buffer.from('ID3\x03\x00\x00\x00\x00\x00\x05hello', 'latin1'),
		/no audio after/,
	],
	['Speex in Ogg', firstPage('Speex   '), /holds Speex audio; Nearglot reads/],
	['Theora in Ogg', firstPage('\x80theora'), /holds Theora video; Nearglot reads/],
	['an unknown codec in Ogg', firstPage('anything'), /a codec that is not known/],
	['an Ogg file whose first page is damaged', Buffer.alloc(40, 'OggS'), /first page .* is damaged/],
	[
		'a WebM whose elements have no size',
		Buffer.concat([
			Buffer.from(
				'1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701000000000000ff114d9b74',
				'hex',
			),
			Buffer.alloc(255),
		]),
		/no valid size/,
	],
	['an AIFF file', Buffer.from('FORM\0\0\0\x20AIFFCOMM', 'latin1'), /AIFF/],
];

for (const [name, bytes, message] of badFiles) {
	test(`${name} is refused with a sentence that says what is wrong`, async () => {
		const error = await complaint(bytes);
		assert.equal(error.code, 'invalid_audio', error.message);
		assert.match(error.message, message);
	});
}

test('a recording over the limit is refused with the figures', async () => {
	const error = await complaint(good, 0.5);
	assert.equal(error.code, 'payload_too_large');
	assert.match(error.message, /1 s long.*at most 0\.5 s/);
});

/** Seconds before the first sample that is not quiet, and of the whole. */
async function heardIn(path: string): Promise<{ leadS: number; totalS: number }> {
	const { samples } = await decodeAudio(memorySource(await readFile(path)));
	let total = 0;
	let lead: number | undefined;
	for await (const block of samples) {
		const loud = block.findIndex((value) => Math.abs(value) > 0.02);
		if (loud >= 0) lead ??= total + loud;
		total += block.length;
	}
	return { leadS: (lead ?? total) / speechRateHz, totalS: total / speechRateHz };
}

test('a film is judged by its sound: pictures may be longer, and the sound may begin later', async (t) => {
	if (!hasProgram('ffmpeg')) return t.skip('ffmpeg is not installed');
	const source = join(folder, 'source.wav');
	const film = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:d=9:r=5'];
	const codecs = {
		webm: ['-c:v', 'libvpx', '-c:a', 'libopus'],
		mkv: ['-c:v', 'libvpx', '-c:a', 'libvorbis'],
		mp4: ['-c:v', 'mpeg4', '-c:a', 'libopus'],
	} as const;
	for (const [kind, codec] of Object.entries(codecs))
		for (const delayS of [0, 3]) {
			const path = join(folder, `delay${delayS}.${kind}`);
			const sound = ['-itsoffset', String(delayS), '-i', source];
			const made = spawnSync('ffmpeg', ['-y', '-v', 'error', ...film, ...sound, ...codec, path]);
			assert.equal(made.status, 0, made.stderr.toString());
			const plain = await heardIn(source);
			const { leadS, totalS } = await heardIn(path);
			assert.ok(Math.abs(totalS - plain.totalS - delayS) < 0.3, `${path}: ${totalS} s`);
			assert.ok(Math.abs(leadS - plain.leadS - delayS) < 0.3, `${path}: sound at ${leadS} s`);
		}
});

test('a silent recording is read to its end', async () => {
	const silence = wavFile(new Float32Array(16_000), { rateHz: 16_000 });
	const { samples } = await decodeAudio(memorySource(silence));
	let length = 0;
	for await (const block of samples) length += block.length;
	assert.equal(length, 16_000);
});

test('a cut-off file of any format is refused as cut off', async (t) => {
	if (!hasProgram('ffmpeg')) return t.skip('ffmpeg is not installed');
	for (const [file, ...options] of [
		['cut.mp3', '-q:a', '4'],
		['cut.flac'],
		['cut.oga', '-c:a', 'flac', '-f', 'ogg'],
		['cut.ogg', '-c:a', 'libvorbis'],
		['cut.opus', '-c:a', 'libopus'],
		['cut.webm', '-c:a', 'libopus'],
	] as const) {
		const path = join(folder, file);
		const source = join(folder, 'source.wav');
		spawnSync('ffmpeg', ['-y', '-v', 'error', '-i', source, ...options, path]);
		const whole = await readFile(path);
		await truncate(path, Math.floor(whole.length * 0.6));
		const error = await complaint(await readFile(path));
		assert.equal(error.code, 'invalid_audio', file);
		assert.match(error.message, /cut off/, file);
	}
});

test('hours of silence in a small file end at the limit', async (t) => {
	if (!hasProgram('ffmpeg')) return t.skip('ffmpeg is not installed');
	const path = join(folder, 'bomb.flac');
	spawnSync('ffmpeg', [
		'-y',
		'-v',
		'error',
		'-f',
		'lavfi',
		'-i',
		'anullsrc=r=8000:cl=mono',
		'-t',
		'20000',
		path,
	]);
	const bytes = await readFile(path);
	const error = await complaint(bytes, 14_400);
	assert.equal(error.code, 'payload_too_large');
	// The same file with its length field cleared: only decoding tells.
	bytes.fill(0, 22, 26);
	bytes[21] = (bytes[21] ?? 0) & 0xf0;
	assert.equal((await complaint(bytes, 600)).code, 'payload_too_large');
});
