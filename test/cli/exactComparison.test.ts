/** How the two readings of a text are put side by side. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonText, type ReadToken } from '../../server/cli/exactComparison.ts';

const token = (text: string, logprob: number, argmax = text): ReadToken => ({
	token: text,
	logprob,
	argmax,
});

test('differences are counted, and the places named where another token is the most likely', () => {
	const usual = [token(' b', -1), token(' c', -2, ' x'), token(' d', -0.5)];
	const exact = [token(' b', -1), token(' c', -1.9), token(' d', -0.5)];
	const text = comparisonText(usual, exact);
	assert.match(text, /on 4 tokens/);
	assert.match(text, /0\.0333 apart on average, 0\.1000 at most/);
	assert.match(text, /another one at 1 of 3 places/);
	assert.match(text, /after " b": " x", exact " c"/);
	assert.doesNotMatch(text, /Nothing differs/);
});

test('equal readings are said to be equal, long lists are cut, and a text too short is refused', () => {
	const same = [token('b', -1)];
	assert.match(comparisonText(same, same), /Nothing differs/);
	const usual = Array.from({ length: 30 }, (_, k) => token('b', -k, 'x'));
	const text = comparisonText(
		usual,
		usual.map((one) => ({ ...one, argmax: 'y' })),
	);
	assert.match(text, /and 20 more/);
	assert.throws(() => comparisonText([], []), /fewer than two tokens/);
});
