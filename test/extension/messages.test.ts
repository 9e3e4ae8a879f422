/** How far languages are, in a list that shows only text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressBar } from '../../extension/messages/progressBar.ts';

test('a bar is full only when nothing is missing, and never claims what is not there', () => {
	assert.equal(progressBar(0, 0), '100 % ▰▰▰▰▰▰▰▰');
	assert.equal(progressBar(5, 8), '62 % ▰▰▰▰▰▱▱▱');
	assert.equal(progressBar(999, 1000), '99 % ▰▰▰▰▰▰▰▱');
	assert.equal(progressBar(0, 3), '0 % ▱▱▱▱▱▱▱▱');
});
