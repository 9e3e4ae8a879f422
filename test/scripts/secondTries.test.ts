/** The list of second tries. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { withSecondTries } from '../../scripts/secondTries.mjs';

test('a test that needed a second try in two runs is named, one that needed it once is not', () => {
	const { list, again } = withSecondTries([{ run: '1', tests: ['a: x', 'a: y'] }], '2', [
		'a: x',
		'b: z',
	]);
	assert.deepEqual(again, ['a: x']);
	assert.deepEqual(list, [
		{ run: '1', tests: ['a: x', 'a: y'] },
		{ run: '2', tests: ['a: x', 'b: z'] },
	]);
});

test('the scripts of one run share an entry, and twice in it is twice', () => {
	const first = withSecondTries([], '1', ['a: x']);
	assert.deepEqual(first.again, []);
	const second = withSecondTries(first.list, '1', ['b: y', 'a: x']);
	assert.deepEqual(second.again, ['a: x']);
	assert.deepEqual(second.list, [{ run: '1', tests: ['a: x', 'b: y', 'a: x'] }]);
});

test('a second try of more than ten runs ago is forgotten', () => {
	let list = withSecondTries([], '0', ['a: x']).list;
	for (let run = 1; run < 10; run++) ({ list } = withSecondTries(list, `${run}`, []));
	assert.equal(list.length, 10);
	assert.deepEqual(withSecondTries(list.slice(0, 9), '10', ['a: x']).again, ['a: x']);
	const { list: later, again } = withSecondTries(list, '10', ['a: x']);
	assert.deepEqual([later.length, again], [10, []]);
});
