/** What counts as the beginning of a mention, and as the name of a file. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFileReference } from '../../webview/fileReference.ts';
import { mentionAt } from '../../webview/mentionAt.ts';

test('a slash begins a command at the very beginning, @ and # stand behind a space', () => {
	assert.deepEqual(mentionAt('/ex', 3), { query: '/ex', start: 0 });
	assert.deepEqual(mentionAt('see @src/a', 10), { query: '@src/a', start: 4 });
	assert.deepEqual(mentionAt('#', 1), { query: '#', start: 0 });
	assert.deepEqual(mentionAt('see @src/a', 6), { query: '@s', start: 4 });
	for (const [text, cursor] of [
		['a/b', 3],
		['me@home.org', 11],
		['/fix this', 9],
		['a # b', 5],
	] as const)
		assert.equal(mentionAt(text, cursor), undefined, text);
});

test('paths with a folder or a line are files; words, addresses and ways upwards are not', () => {
	for (const name of ['src/a.ts', 'a.ts:12', 'src/b-c/d.test.ts:3-9', '.github/x.yml', './a/b.md'])
		assert.ok(isFileReference(name), name);
	for (const name of [
		...['a.ts', 'e.g.', '../secret.txt', '/etc/passwd.d', 'src/', 'http://a.b/c.ts', 'a/b'],
		...['x'.repeat(400).concat('/a.ts'), 'a b/c.ts', '10:30'],
	])
		assert.ok(!isFileReference(name), name);
});
