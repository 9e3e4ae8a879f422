/** `npm run t` finds the tests that a change reaches. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: the scripts are plain JavaScript
import { importers, sources, testsReached } from '../../scripts/reached.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const graph = importers(root, sources(root));

test('a change reaches the tests that import it, nearest first', () => {
	const tests = testsReached(graph, ['server/protocol/errors.ts']);
	assert.ok(tests.indexOf('test/protocol/errorTable.test.ts') >= 0);
	assert.ok(tests.length > 50, `${tests.length} tests`);
	const [first] = testsReached(graph, ['scripts/reached.mjs']);
	assert.equal(first, 'test/scripts/reached.test.ts');
});

test('a changed test reaches itself, and an unknown file nothing', () => {
	assert.deepEqual(testsReached(graph, ['test/protocol/errorTable.test.ts']), [
		'test/protocol/errorTable.test.ts',
	]);
	assert.deepEqual(testsReached(graph, ['docs/no-such-file.md']), []);
});
