/** Changes of files as git's diff says them, made where git itself cannot be reached. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unifiedDiff } from '../../../extension/chat/unifiedDiff.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const file = (before: string | undefined, after: string | undefined, path = 'a b/c.txt') =>
	unifiedDiff({
		...{ oldPath: path, newPath: path },
		before: before === undefined ? undefined : bytes(before),
		after: after === undefined ? undefined : bytes(after),
	});

test('a changed, a new and a removed file look as in a diff of git', () => {
	assert.equal(
		file('one\ntwo\n', 'one\n2'),
		'diff --git a/a b/c.txt b/a b/c.txt\n--- a/a b/c.txt\n+++ b/a b/c.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n',
	);
	assert.match(
		file(undefined, 'x\n', 'n'),
		/^diff --git a\/n b\/n\nnew file mode 100644\n--- \/dev\/null\n\+\+\+ b\/n\n@@ -0,0 \+1 @@\n\+x\n$/,
	);
	assert.match(
		file('x\n', undefined, 'n'),
		/^diff --git a\/n b\/n\ndeleted file mode 100644\n--- a\/n\n\+\+\+ \/dev\/null\n/,
	);
	assert.equal(file('same\n', 'same\n'), '');
	assert.equal(file(undefined, undefined), '');
});

test('what is no text, or is too large, is named and not shown', () => {
	assert.equal(
		unifiedDiff({
			...{ oldPath: 'p.png', newPath: 'p.png' },
			...{ before: new Uint8Array([1, 0]), after: new Uint8Array([2, 0]) },
		}),
		'diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n',
	);
	assert.match(file('x', 'y'.repeat(1 << 21), 'n'), /Binary files .* differ\n$/);
});

test('two large texts with nothing in common are shown as removed and added, and soon', () => {
	const lines = (word: string) =>
		Array.from({ length: 20_000 }, (_, k) => `${word}${k}\n`).join('');
	const diff = file(lines('a'), lines('b'), 'n');
	assert.match(diff, /@@ -1,20000 \+1,20000 @@\n-a0\n/);
	assert.ok(diff.endsWith('+b19999\n'));
});
