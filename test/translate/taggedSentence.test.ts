/** A chat model's answer keeps its tags only where each of them holds words, nested as they were. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SentenceUnit } from '../../server/translate/sentence.ts';
import { readTagged } from '../../server/translate/taggedSentence.ts';

const marks = [
	{ kind: 'open', pair: 0, at: 0 },
	{ kind: 'open', pair: 1, at: 2 },
	{ kind: 'close', pair: 1, at: 3 },
	{ kind: 'close', pair: 0, at: 3 },
] as unknown as SentenceUnit['marks'];
const textOf = (answer: string) => readTagged(answer, { marks } as SentenceUnit)?.text;

test('an answer is read where each tag holds words', () => {
	assert.equal(textOf('<x1>a <x2>b</x2></x1> c'), 'a b c');
	assert.equal(textOf('<x1><x2>b</x2> </x1>'), 'b ');
});

test('an answer with an empty, crossed, missing or unopened tag is not', () => {
	for (const answer of [
		'<x1>a <x2> </x2></x1>',
		'x <x1><x2></x2></x1>',
		'<x1>a <x2>b</x1> c</x2>',
		'<x1>a b</x1>',
		'</x1>a',
	])
		assert.equal(textOf(answer), undefined, answer);
});
