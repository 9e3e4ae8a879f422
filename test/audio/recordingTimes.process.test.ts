/**
 * The same recording in every container, also where its sound begins late, has a gap, or runs beside pictures:
 * everything is heard at the time at which the container has it.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileSource } from '../../server/audio/audioSource.ts';
import { decodeAudio, speechRateHz } from '../../server/audio/decodeAudio.ts';
import { hasProgram } from '../support/ffmpeg.ts';
import { wavFile } from '../support/madeAudio.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const rateHz = 48_000;
const lengthS = 4;
/** When the two tones begin, and how long each is. */
const tonesS = [0.5, 2.5];
const toneS = 0.03;
const toleranceS = 0.03;

function tones(): Float32Array {
	const samples = new Float32Array(lengthS * rateHz);
	for (const at of tonesS)
		for (let i = 0; i < toneS * rateHz; i++)
			samples[at * rateHz + i] = 0.8 * Math.sin((2 * Math.PI * 1000 * i) / rateHz);
	return samples;
}

/** Containers that have a clock, with the codecs they carry and pictures they may carry. */
const clocked: Readonly<Record<string, readonly string[]>> = {
	'opus.ogg': ['-c:v', 'libtheora', '-c:a', 'libopus', '-page_duration', '20000'],
	'vorbis.ogg': ['-c:v', 'libtheora', '-c:a', 'libvorbis', '-page_duration', '20000'],
	'flac.ogg': ['-c:v', 'libtheora', '-c:a', 'flac', '-page_duration', '20000'],
	'opus.webm': ['-c:v', 'libvpx', '-c:a', 'libopus'],
	'vorbis.webm': ['-c:v', 'libvpx', '-c:a', 'libvorbis'],
	'flac.mkv': ['-c:v', 'libvpx', '-c:a', 'flac'],
	'mp3.mkv': ['-c:v', 'libvpx', '-c:a', 'libmp3lame'],
	'pcm.mkv': ['-c:v', 'libvpx', '-c:a', 'pcm_s16le'],
	'aac.mkv': ['-c:v', 'libvpx', '-c:a', 'aac'],
	'ac3.mkv': ['-c:v', 'libvpx', '-c:a', 'ac3'],
	'aac.mp4': ['-c:v', 'mpeg4', '-c:a', 'aac'],
	'alac.mp4': ['-c:v', 'mpeg4', '-c:a', 'alac'],
	'opus.mp4': ['-c:v', 'mpeg4', '-c:a', 'libopus'],
	'mp3.mp4': ['-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
	'flac.mp4': ['-c:v', 'mpeg4', '-c:a', 'flac', '-strict', '-2'],
	'pcm.mov': ['-c:v', 'mpeg4', '-c:a', 'pcm_s16le'],
};
/** Its samples follow each other whatever the clock says: ffmpeg writes no gap into it. */
const closesGaps: ReadonlySet<string> = new Set(['pcm.mov']);
/** The others: sound from the first to the last byte. */
const plain: Readonly<Record<string, readonly string[]>> = {
	'a.wav': [],
	'a.mp3': ['-q:a', '4'],
	'a.flac': [],
	'a.aac': ['-c:a', 'aac'],
};

interface Case {
	/** Which sound: made below. */
	readonly sound: 'tones' | 'silence' | 'empty';
	readonly lateS?: number;
	/** Between the two tones. */
	readonly gapS?: number;
	readonly pictureS?: number;
}

const cases: Readonly<Record<string, Case>> = {
	'as it was made': { sound: 'tones' },
	'silence only': { sound: 'silence' },
	'nothing at all': { sound: 'empty' },
	'sound that begins late': { sound: 'tones', lateS: 1.5 },
	'a gap in the middle': { sound: 'tones', gapS: 1 },
	'pictures that are longer': { sound: 'tones', pictureS: 9 },
	'pictures that begin earlier': { sound: 'tones', lateS: 2, pictureS: 6 },
	'pictures and a gap': { sound: 'tones', gapS: 1, pictureS: 5 },
};

const folder = temporaryFolder('times');
before(async () => {
	const silence = new Float32Array(lengthS * rateHz);
	await writeFile(join(folder, 'tones.wav'), wavFile(tones(), { rateHz }));
	await writeFile(join(folder, 'silence.wav'), wavFile(silence, { rateHz }));
	await writeFile(join(folder, 'empty.wav'), wavFile(new Float32Array(0), { rateHz }));
});

function make(
	file: string,
	options: readonly string[],
	{ sound, lateS = 0, gapS, pictureS }: Case,
) {
	const path = join(folder, file);
	const picture = ['-f', 'lavfi', '-i', `testsrc=s=32x32:r=2:d=${pictureS}`];
	const later = `asetnsamples=960,asetpts='PTS+if(gt(T,${1.5 + lateS}),${gapS}/TB,0)'`;
	const made = spawnSync('ffmpeg', [
		...['-y', '-v', 'error', ...(pictureS === undefined ? [] : picture)],
		...['-itsoffset', String(lateS), '-i', join(folder, `${sound}.wav`), ...options],
		...(gapS === undefined ? [] : ['-af', later]),
		path,
	]);
	assert.equal(made.status, 0, made.stderr.toString());
	return path;
}

let known: string | undefined;
function encoders(): string {
	known ??= spawnSync('ffmpeg', ['-v', 'error', '-encoders']).stdout.toString();
	return known;
}

/** Seconds, and when each tone begins: what is loud after a tenth of a second that is not. */
async function heard(path: string) {
	await using source = await fileSource(path);
	const { samples } = await decodeAudio(source);
	const found: number[] = [];
	let total = 0;
	let quiet = Number.POSITIVE_INFINITY;
	for await (const block of samples)
		for (const value of block) {
			const loud = Math.abs(value) > 0.25;
			if (loud && quiet > speechRateHz / 10) found.push(total / speechRateHz);
			quiet = loud ? 0 : quiet + 1;
			total++;
		}
	return { found, totalS: total / speechRateHz };
}

for (const [container, options] of Object.entries({ ...clocked, ...plain }))
	test(`${container} is heard at its times`, async (t) => {
		if (!hasProgram('ffmpeg')) return t.skip('ffmpeg is not installed');
		const missing = options.find((name) => name.startsWith('lib') && !encoders().includes(name));
		if (missing !== undefined) return t.skip(`this ffmpeg has no ${missing}`);
		for (const [name, one] of Object.entries(cases)) {
			const { sound, lateS = 0, pictureS } = one;
			const gapS = closesGaps.has(container) ? 0 : (one.gapS ?? 0);
			if (container in plain && lateS + gapS + (pictureS ?? 0) > 0) continue;
			await t.test(name, async () => {
				const path = make(container, options, one);
				if (sound === 'empty')
					return assert.rejects(heard(path), {
						code: 'invalid_audio',
						message: /no|damaged|empty/,
					});
				const { found, totalS } = await heard(path);
				const expected =
					sound === 'tones' ? tonesS.map((at, i) => at + lateS + (i > 0 ? gapS : 0)) : [];
				const times = `${found.map((at) => at.toFixed(3))} of ${totalS.toFixed(3)} s`;
				assert.equal(found.length, expected.length, times);
				for (const [i, at] of expected.entries())
					assert.ok(Math.abs((found[i] as number) - at) <= toleranceS, times);
				// Encoders that fill their last frame end a little later.
				const endS = lengthS + lateS + gapS;
				assert.ok(totalS > endS - toleranceS && totalS < endS + 0.1, times);
			});
		}
	});

/** The sound of four seconds beside something longer, in WebM and Matroska. */
const besides: Readonly<Record<string, readonly string[]>> = {
	'subtitles.mkv': ['-i', 'words.srt', '-map', '0', '-map', '1', '-c:a', 'libopus', '-c:s', 'srt'],
	'subtitles.webm': ['-i', 'words.srt', '-map', '0', '-map', '1', '-c:a', 'libopus'],
	'second.webm': [...secondSound(), '-c:a', 'libopus'],
	'second.mkv': [...secondSound(), '-c:a', 'libvorbis', '-disposition:a:0', 'default'],
	'chosen.mkv': [
		...[...secondSound().slice(0, -4), '-map', '1', '-map', '0', '-c:a', 'libvorbis'],
		...['-disposition:a:0', '0', '-disposition:a:1', 'default'],
	],
};

function secondSound(): string[] {
	return ['-f', 'lavfi', '-t', '9', '-i', 'anullsrc=r=48000:cl=mono', '-map', '0', '-map', '1'];
}

for (const [file, options] of Object.entries(besides))
	test(`${file}: the sound is whole though something beside it is longer`, async (t) => {
		if (!hasProgram('ffmpeg')) return t.skip('ffmpeg is not installed');
		const missing = options.find((name) => name.startsWith('lib') && !encoders().includes(name));
		if (missing !== undefined) return t.skip(`this ffmpeg has no ${missing}`);
		await writeFile(join(folder, 'words.srt'), '1\n00:00:00,000 --> 00:00:20,000\nhello\n');
		const made = spawnSync('ffmpeg', ['-y', '-v', 'error', '-i', 'tones.wav', ...options, file], {
			cwd: folder,
		});
		assert.equal(made.status, 0, made.stderr.toString());
		const { found, totalS } = await heard(join(folder, file));
		assert.equal(found.length, tonesS.length, `${found}`);
		assert.ok(Math.abs(totalS - lengthS) < 0.1, `${totalS} s`);
	});
