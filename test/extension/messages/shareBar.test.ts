/** How far languages are, in a list that shows only text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareBar } from '../../../extension/messages/shareBar.ts';

test('a bar is full only when nothing is missing, and never claims what is not there', () => {
	assert.equal(shareBar(0, 0), '100 % ▰▰▰▰▰▰▰▰');
	assert.equal(shareBar(5, 8), '62 % ▰▰▰▰▰▱▱▱');
	assert.equal(shareBar(999, 1000), '99 % ▰▰▰▰▰▰▰▱');
	assert.equal(shareBar(0, 3), '0 % ▱▱▱▱▱▱▱▱');
});
