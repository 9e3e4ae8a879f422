/** Paths below folders, of which a whole drive is one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBelow } from '../../server/store/isBelow.ts';

test('what lies in a folder is told from what has a similar name, and a drive is a folder', () => {
	for (const [path, folder, expected] of [
		['M:\\models\\a', 'M:\\models', true],
		['M:\\models\\a', 'M:\\', true],
		['M:\\models2\\a', 'M:\\models', false],
		['M:\\models', 'M:\\models', false],
		['N:\\models', 'M:\\', false],
	] as const)
		assert.equal(isBelow(path, folder, '\\'), expected, `${path} in ${folder}`);
	assert.equal(isBelow('/models', '/', '/'), true);
});
