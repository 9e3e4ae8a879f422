/** Lines of a translated preview beside the lines of its source. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchingLine } from '../../../extension/preview/lineMap.ts';

const source = '# Title\n\nOne two\nthree four\n\n- item\n';
const target = '# Titel\n\nEins\nzwei\ndrei\nvier\n\n- Punkt\n';

test('a line goes with the same block of the translation, however long that is', () => {
	assert.equal(matchingLine(source, target, 0), 0);
	assert.equal(matchingLine(source, target, 2), 2);
	assert.equal(matchingLine(source, target, 3), 4);
	assert.equal(matchingLine(source, target, 5), 7);
	assert.ok(matchingLine(source, target, 4) < 7);
});

test('texts of different blocks go by their share of the whole', () => {
	assert.equal(matchingLine('a\n\nb\n\nc\nd', 'x\ny\nz', 3), 1.5);
	assert.equal(matchingLine('', '', 0), 0);
});
