/** The decoding rules one by one: suppression, timestamps, segments, fallback, words, alignment. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextModel } from '../../../server/engine/api.ts';
import { processLogits } from '../../../server/engine/sample/logitsProcessor.ts';
import { speechLanguageCode } from '../../../server/engine/speech/languages.ts';
import {
	compressionRatio,
	isDoubtful,
	isSilence,
	temperatureLadder,
} from '../../../server/engine/speech/temperatureFallback.ts';
import { dynamicTimeWarp, medianFilter } from '../../../server/engine/speech/timeWarp.ts';
import { cutSegments } from '../../../server/engine/speech/whisper/segments.ts';
import type { WhisperConfig } from '../../../server/engine/speech/whisper/whisperConfig.ts';
import { whisperProcessors } from '../../../server/engine/speech/whisper/whisperRules.ts';
import { wholeCharacters } from '../../../server/engine/speech/wholeCharacters.ts';
import { splitWords, timeWords } from '../../../server/engine/speech/words.ts';

/** Text 0–9, end 10, start 11, no timestamps 12, times from 13 (0.00) to 1512. */
const config: WhisperConfig = {
	melBins: 80,
	frames: 3000,
	maxTokens: 448,
	startToken: 11,
	endToken: 10,
	transcribeToken: undefined,
	translateToken: undefined,
	noTimestampsToken: 12,
	previousToken: undefined,
	noSpeechToken: undefined,
	firstTimestamp: 13,
	languages: new Map(),
	suppressTokens: [3],
	beginSuppressTokens: [4, 10],
	maxInitialTimestamp: 50,
	alignmentHeads: undefined,
	medianWidth: 7,
};
const time = (seconds: number) => 13 + Math.round(seconds / 0.02);

function allowed(
	generated: readonly number[],
	timestamps: boolean,
	logits?: Float32Array,
): number[] {
	const values = logits ?? new Float32Array(1513);
	// Flat logits would always prefer the many timestamps: text must be likelier to stay.
	if (logits === undefined) values.fill(10, 0, 13);
	const step = { logits: values, tokens: generated, given: 0, changed: [], isRewritten: false };
	processLogits(whisperProcessors(config, timestamps), step);
	return [...values.keys()].filter((id) => values[id] !== Number.NEGATIVE_INFINITY);
}

test('without timestamps only text and the end may come, and some not at the beginning', () => {
	assert.deepEqual(allowed([], false), [0, 1, 2, 5, 6, 7, 8, 9, 11, 12]);
	assert.deepEqual(allowed([1], false), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('a transcript begins with a time of at most a second', () => {
	const first = allowed([], true);
	assert.equal(first[0], time(0));
	assert.equal(first.at(-1), time(1));
});

test('times come in pairs, never go back, and a segment has a length', () => {
	assert.ok(
		allowed([time(0)], true).every((id) => id < 13),
		'text after the first time',
	);
	const afterText = allowed([time(0), 1], true);
	assert.ok(
		!afterText.includes(time(0)) && afterText.includes(time(0.02)) && afterText.includes(1),
	);
	assert.ok(!afterText.includes(12), 'nothing switches the times off again');
	const half = allowed([time(0), 1, time(2)], true);
	assert.deepEqual(half[0], 10, 'the end may follow');
	assert.ok(half.includes(time(2)) && !half.includes(time(1.98)) && !half.includes(1));
	assert.ok(allowed([time(0), 1, time(2), time(2)], true).every((id) => id < 13));
	const next = allowed([time(0), 1, time(2), time(2), 5], true);
	assert.ok(!next.includes(time(2)) && next.includes(time(2.02)));
});

test('times that are likelier together than any text leave only times', () => {
	const logits = new Float32Array(1513);
	logits[5] = 6;
	const found = allowed([time(0), 1], true, logits);
	assert.ok(
		found.every((id) => id >= 13),
		'ln 1500 is more than 6',
	);
	const clear = new Float32Array(1513);
	clear[5] = 9;
	assert.ok(allowed([time(0), 1], true, clear).includes(5));
});

const token = (id: number) => ({ id, logprob: -0.5 });
const name = (ids: readonly number[]) => ids.map((id) => ` t${id}`).join('');

test('segments end at pairs of times; what the end cuts off is left for the next stretch', () => {
	const ids = [time(0), 1, 2, time(2), time(2.4), 5, time(4), time(4), 6, 7];
	const { segments, consumedS } = cutSegments(ids.map(token), 13, 30, name);
	assert.deepEqual(
		segments.map(({ start, end, text }) => [start, end, text]),
		[
			[0, 2, ' t1 t2'],
			[2.4, 4, ' t5'],
		],
	);
	assert.equal(consumedS, 4);
	const closed = cutSegments([...ids.slice(0, 7)].map(token), 13, 30, name);
	assert.equal(closed.consumedS, 30);
	assert.equal(closed.segments.length, 2);
	const open = cutSegments([time(0.5), 1, 2].map(token), 13, 12, name);
	assert.deepEqual([open.segments[0]?.start, open.segments[0]?.end, open.consumedS], [0.5, 12, 12]);
	assert.deepEqual(cutSegments([], 13, 5, name), { segments: [], consumedS: 5 });
	assert.equal(cutSegments([1, 2].map(token), undefined, 5, name).segments[0]?.end, 5);
});

test('repetition and guessing are tried again, silence is not', () => {
	assert.deepEqual(temperatureLadder(0), [0, 0.2, 0.4, 0.6, 0.8, 1]);
	assert.deepEqual(temperatureLadder(0.5), [0.5, 0.7, 0.9]);
	assert.deepEqual(temperatureLadder(1), [1]);
	const loop = 'thank you very much '.repeat(20);
	assert.ok(compressionRatio(loop) > 2.4);
	assert.equal(compressionRatio(''), 0);
	assert.ok(isDoubtful({ text: loop, avgLogprob: -0.1, noSpeechProb: 0 }));
	assert.ok(isDoubtful({ text: 'hm', avgLogprob: -1.5, noSpeechProb: 0.1 }));
	assert.ok(!isDoubtful({ text: 'all right', avgLogprob: -0.3, noSpeechProb: 0.9 }));
	assert.ok(isSilence({ text: '', avgLogprob: -1.5, noSpeechProb: 0.7 }));
	assert.ok(!isDoubtful({ text: 'hm', avgLogprob: -1.5, noSpeechProb: 0.7 }));
});

test('languages are known by code, tag, name and old code', () => {
	for (const [value, code] of [
		['de', 'de'],
		['DE', 'de'],
		['de-AT', 'de'],
		['German', 'de'],
		['iw', 'he'],
		['Mandarin', 'zh'],
		['zh_TW', 'zh'],
	] as const)
		assert.equal(speechLanguageCode(value), code);
	for (const value of ['', 'xx', 'klingon', '12'])
		assert.equal(speechLanguageCode(value), undefined);
});

test('the cheapest path through a matrix is found, and spikes are filtered', () => {
	// Rows are cheap at columns 0–1, 2–4 and 5.
	const cost = Float64Array.from([0, 0, 9, 9, 9, 9, 9, 9, 0, 0, 0, 9, 9, 9, 9, 9, 9, 0]);
	assert.deepEqual(dynamicTimeWarp(cost, 3, 6), [0, 2, 5]);
	assert.deepEqual([...medianFilter(Float64Array.from([1, 1, 9, 1, 1, 1]), 3)], [1, 1, 1, 1, 1, 1]);
});

const bytes = [' Hel', 'lo', ',', ' wor', 'ld', '!', ' “', 'Yes', '”', '.'].map((text) =>
	new TextEncoder().encode(text),
);
const spelled = { tokenBytes: (id: number) => bytes[id] } as unknown as TextModel;

test('words keep their punctuation and are cut to plausible lengths beside pauses', () => {
	const ids = [...bytes.keys()];
	const spans = splitWords(ids, spelled, 'en');
	assert.deepEqual(
		spans.map(({ text }) => text),
		[' Hello,', ' world!', ' “Yes”.'],
	);
	const starts = [0, 0.1, 0.3, 0.4, 0.5, 0.8, 5, 5.2, 5.3, 5.4, 5.5];
	const words = timeWords(spans, starts, ids.map(token));
	assert.deepEqual(
		words.map(({ start }) => start),
		[0, 0.4, 5],
	);
	assert.ok((words[1]?.end ?? 9) < 2, 'a word before a pause does not last until the next');
	assert.ok(Math.abs((words[0]?.probability ?? 0) - Math.exp(-0.5)) < 1e-9);
	const split = [Uint8Array.of(0xe6, 0x97), Uint8Array.of(0xa5), new TextEncoder().encode('本')];
	const chinese = { tokenBytes: (id: number) => split[id] } as unknown as TextModel;
	assert.deepEqual(
		splitWords([0, 1, 2], chinese, 'ja').map(({ text }) => text),
		['日', '本'],
	);
});

test('half a character of byte tokens is no text, and its time belongs to the word before', () => {
	const bytes = [[0x20, 0x67], [0xc3], [0x2e]].map((each) => Uint8Array.from(each));
	const text = {
		tokenBytes: (id: number) => bytes[id] ?? new Uint8Array(),
	} as unknown as TextModel;
	const spans = splitWords([0, 1, 2], text, 'de');
	assert.deepEqual(
		spans.map((span) => [span.text, span.from, span.to]),
		[[' g.', 0, 3]],
	);
	assert.equal(wholeCharacters('was g\uFFFD.'), 'was g.');
});
