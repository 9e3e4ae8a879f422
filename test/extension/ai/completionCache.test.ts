/** Inline completions that need not be asked for again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompletionCache } from '../../../extension/ai/completionCache.ts';

test('a completion is there again at the same place, and its rest while it is typed', () => {
	const cache = new CompletionCache();
	cache.add('m file', 'let a = ', '\n', 'sum(1, 2)');
	assert.equal(cache.find('m file', 'let a = ', '\n'), 'sum(1, 2)');
	assert.equal(cache.find('m file', 'let a = su', '\n'), 'm(1, 2)');
});

test('other words, another file and another text after the cursor are asked for', () => {
	const cache = new CompletionCache();
	cache.add('m file', 'let a = ', '\n', 'sum(1, 2)');
	assert.equal(cache.find('m file', 'let a = f', '\n'), undefined);
	assert.equal(cache.find('m other', 'let a = ', '\n'), undefined);
	assert.equal(cache.find('m file', 'let a = ', ' + 1\n'), undefined);
	assert.equal(cache.find('m file', 'let a = sum(1, 2)', '\n'), undefined, 'typed to its end');
});

test('a completion of nothing is remembered too, and old ones are forgotten', () => {
	const cache = new CompletionCache();
	cache.add('s', 'first', '', '');
	assert.equal(cache.find('s', 'first', ''), '');
	for (let k = 0; k < 100; k++) cache.add('s', `place ${k};`, '', 'x');
	assert.equal(cache.find('s', 'first', ''), undefined);
});
