/** The page of a recording without its screen: places, bars, searching; and how dictated text joins. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import {
	lineOf,
	type TranscriptDocument,
	type TranscriptLine,
} from '../../server/protocol/index.ts';
import { joinText } from '../../server/protocol/joinText.ts';
import { barsOf } from '../../webview/transcript/bars.ts';
import { placeOf, wordStart } from '../../webview/transcript/place.ts';
import { targetsOf } from '../../webview/transcript/targets.ts';
import { createSearch, findIn, replaceIn } from '../../webview/transcript/transcriptSearch.ts';

const lines: TranscriptLine[] = [
	lineOf({ id: 4, start: 1, end: 3, text: 'ab cd' }),
	lineOf({ id: 7, start: 5, end: 6, text: 'Café crème' }),
];

test('a moment is in the line and the word that have begun last', () => {
	assert.deepEqual(placeOf(lines, 0), { line: -1, word: -1 });
	assert.deepEqual(placeOf(lines, 1), { line: 0, word: 0 });
	assert.deepEqual(placeOf(lines, 2.1), { line: 0, word: 1 });
	assert.deepEqual(placeOf(lines, 4), { line: 0, word: 1 });
	assert.deepEqual(placeOf(lines, 99), { line: 1, word: 1 });
	assert.deepEqual(placeOf([], 1), { line: -1, word: -1 });
});

test('seeking to any word and asking for the place gives that word', () => {
	for (const [line, { words }] of lines.entries())
		for (const [word, { start }] of words.entries())
			assert.deepEqual(placeOf(lines, start), { line, word });
});

test('words are stepped through over the ends of lines', () => {
	assert.equal(wordStart(lines, { line: 0, word: 1 }, 1), 5);
	assert.equal(wordStart(lines, { line: 1, word: 0 }, -1), 2);
	assert.equal(wordStart(lines, { line: -1, word: -1 }, 1), 1);
	assert.equal(wordStart(lines, { line: 0, word: 0 }, -1), undefined);
	assert.equal(wordStart(lines, { line: 1, word: 1 }, 1), undefined);
});

test('bars are as high as the loudest peak of their stretch, whatever the count', () => {
	assert.deepEqual(barsOf([0, 255, 0, 0], 2), [1, 0]);
	assert.deepEqual(barsOf([], 5), []);
	assert.equal(barsOf([10, 200], 7).length, 7);
	assert.ok(barsOf(new Array(1000).fill(4), 10).every((bar) => bar < 0.4));
});

test('searching ignores case and accents and gives the places of the written text', () => {
	assert.deepEqual(findIn('Café crème, CAFE', 'cafe'), [
		{ start: 0, end: 4 },
		{ start: 12, end: 16 },
	]);
	assert.deepEqual(findIn('Straße', 'ß'), [{ start: 4, end: 5 }]);
	assert.deepEqual(findIn('e\u0301te\u0301', 'éte'), [{ start: 0, end: 5 }]);
	assert.deepEqual(findIn('aaa', 'aa'), [{ start: 0, end: 2 }]);
	assert.deepEqual(findIn('text', '́'), []);
});

test('the search walks round through text and translation', () => {
	const document = signal<TranscriptDocument | null>({
		language: 'fr',
		duration: 6,
		lines,
		translation: { to: 'en', lines: { 7: { source: 'Café crème', text: 'coffee with cream' } } },
	});
	const search = createSearch(document, signal(lines));
	search.query.value = 'c';
	assert.deepEqual(
		search.matches.value.map(({ line, translated, start }) => [line, translated, start]),
		[
			[4, false, 3],
			[7, false, 0],
			[7, false, 5],
			[7, true, 0],
			[7, true, 12],
		],
	);
	search.move(-1);
	assert.equal(search.current.value?.start, 12);
	search.move(1);
	assert.equal(search.current.value?.line, 4);
	search.query.value = 'nowhere';
	search.move(1);
	assert.equal(search.current.value, undefined);
});

test('dictated text joins what is written with one space where words would touch', () => {
	assert.equal(joinText('', ' Hello there.', ''), 'Hello there.');
	assert.equal(joinText('Yes.', ' And so on', ''), ' And so on');
	assert.equal(joinText('Yes. ', ' And', ''), 'And');
	assert.equal(joinText('(', 'see', ')'), 'see');
	assert.equal(joinText('word', '.', ''), '.');
	assert.equal(joinText('say', ' it', 'again'), ' it ');
	assert.equal(joinText('\t// ', ' it', ' again'), 'it');
	assert.equal(joinText('我们', '走吧', '。'), '走吧');
	assert.equal(joinText('a', '  ', 'b'), '');
});

test('found words are replaced at their places, and what stands between them stays', () => {
	const text = 'Muller met Müller.';
	assert.equal(replaceIn(text, findIn(text, 'muller'), 'Meyer & Co'), 'Meyer & Co met Meyer & Co.');
	assert.equal(replaceIn(text, [], 'x'), text);
});

test('a transcript is offered what can be had at once first, and never its own language', () => {
	const languages = ['en', 'af', 'de', 'fr'].map((code) => ({
		code,
		name: code,
		nativeName: code,
	}));
	const codes = (ready: string[] | undefined, spoken: string) =>
		targetsOf({ languages, ...(ready ? { ready } : {}) }, spoken).map(({ code }) => code);
	assert.deepEqual(codes(['de', 'fr', 'en'], 'en'), ['de', 'fr', 'af']);
	assert.deepEqual(codes(undefined, 'fr'), ['en', 'af', 'de']);
});
