/** Translations beside lines. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spreadOver } from '../../extension/readerLines.ts';

test('a translation is spread over the lines of its source, and no word is lost', () => {
	const text = 'Die Datei konnte nicht geöffnet werden. Bitte versuchen Sie es noch einmal.';
	const lines = spreadOver(text, [30, 0, 28]);
	assert.equal(lines.length, 3);
	assert.equal(lines[1], '', 'an empty line gets nothing');
	assert.ok(lines[0]?.startsWith('Die Datei') && lines[2]?.endsWith('einmal.'));
	assert.ok(Math.abs((lines[0]?.length ?? 0) - (lines[2]?.length ?? 0)) < 16);
	assert.equal(lines.filter((line) => line !== '').join(' '), text);
	assert.deepEqual(spreadOver('one', [5]), ['one']);
	assert.equal(spreadOver('日本語の文章です', [4, 4]).join(''), '日本語の文章です');
	assert.deepEqual(spreadOver('alone', [0, 0]).join(''), 'alone');
});
