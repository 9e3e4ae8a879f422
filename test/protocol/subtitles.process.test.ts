/** Subtitles: cues that fit, clocks, and files another program reads. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Transcript } from '../../server/protocol/index.ts';
import { clock, cuesOf, subRip, webVtt } from '../../server/protocol/subtitles.ts';
import { hasProgram } from '../support/ffmpeg.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const segment = (id: number, start: number, end: number, text: string) => ({
	...{ id, seek: 0, start, end, text, tokens: [], temperature: 0 },
	...{ avg_logprob: -0.1, compression_ratio: 1, no_speech_prob: 0 },
});

const sentence =
	'And so, my fellow Americans, ask not what your country can do for you; ask what you can do for your country.';
const words = sentence
	.split(' ')
	.map((word, index) => ({ word, start: index / 2, end: index / 2 + 0.4 }));
const transcript: Transcript = {
	task: 'transcribe',
	language: 'english',
	language_code: 'en',
	duration: 20,
	text: `${sentence} Yes & <no>.`,
	segments: [segment(0, 0, 11, sentence), segment(1, 12, 12.1, 'Yes & <no>.')],
	words: [
		...words,
		{ word: 'Yes', start: 12, end: 12.05 },
		{ word: '&', start: 12.05, end: 12.06 },
		{ word: '<no>.', start: 12.06, end: 12.1 },
	],
};

test('long segments are divided at words into cues that fit on a screen', () => {
	const cues = cuesOf(transcript);
	assert.equal(cues.map(({ text }) => text).join(' '), transcript.text);
	for (const { start, end, text } of cues) {
		assert.ok(
			text.length <= 84 && end - start <= 7 && end - start >= 0.3 - 1e-9,
			`${start} ${end} ${text}`,
		);
	}
	assert.ok(cues.length >= 3);
	for (const [index, cue] of cues.entries()) assert.ok(cue.start >= (cues[index - 1]?.end ?? 0));
	assert.equal(cuesOf({ ...transcript, words: [] }).length, 2);
});

test('words whose times cannot be true are spread over their segment', () => {
	const text =
		'Nobody could say all of these words in a third of a second, and nobody could read them.';
	const words = text.split(' ').map((word, index) => ({
		word,
		start: index < 2 ? index * 2 : 5.7,
		end: index < 2 ? index * 2 + 2 : 5.7 + 0.02 * index,
	}));
	const segments = [{ start: 0, end: 6, text }];
	const cues = cuesOf({ segments, words });
	assert.equal(cues.map((cue) => cue.text).join(' '), text);
	assert.ok(cues.length > 1);
	for (const { start, end, text: shown } of cues)
		assert.ok(shown.length / (end - start) < 40, `${start} ${end} ${shown}`);
	// Times that can be true stay as they are.
	const slow = words.map((word, index) => ({ ...word, start: index / 3, end: (index + 1) / 3 }));
	const kept = cuesOf({ segments, words: slow });
	assert.ok(kept.every(({ start }) => slow.some((word) => word.start === start)));
});

test('the clock counts hours and rounds to milliseconds', () => {
	assert.equal(clock(0, ','), '00:00:00,000');
	assert.equal(clock(3725.9996, '.'), '01:02:06.000');
	assert.equal(clock(14_399.5, ','), '03:59:59,500');
});

test('WebVTT escapes what its syntax would read', () => {
	assert.match(webVtt(cuesOf(transcript)), /Yes &amp; &lt;no&gt;\./);
});

test('ffmpeg reads both formats and finds every cue', async (t) => {
	if (!hasProgram('ffmpeg')) return t.skip('ffmpeg is not installed');
	const folder = temporaryFolder('subtitles');
	const cues = cuesOf(transcript);
	for (const [file, body] of [
		['a.srt', subRip(cues)],
		['a.vtt', webVtt(cues)],
	] as const) {
		await writeFile(join(folder, file), body);
		const read = spawnSync('ffmpeg', [
			'-v',
			'error',
			'-i',
			join(folder, file),
			'-f',
			'srt',
			'pipe:1',
		]);
		assert.equal(read.stderr.toString(), '');
		const found = read.stdout.toString();
		assert.equal(found.match(/-->/g)?.length, cues.length, found);
		for (const { start } of cues) assert.ok(found.includes(clock(start, ',')), `${file}: ${start}`);
	}
});
