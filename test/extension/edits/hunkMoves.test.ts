/** Where hunks are after somebody has written around them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedHunk } from '../../../extension/edits/hunkMoves.ts';

/** Lines 10 to 12 are new, for one old one. */
const hunk = { line: 10, added: 3, removed: ['old'] };
/** Two lines went between lines 9 and 10. */
const deletion = { line: 10, added: 0, removed: ['one', 'two'] };

const at = (start: [number, number], end: [number, number], text: string, length = 8) => {
	const place = ([line, character]: [number, number]) => ({ line, character });
	const change = { range: { start: place(start), end: place(end) }, text };
	return (which = hunk) => {
		const moved = movedHunk(which, change, () => length);
		return moved && [moved.line, moved.added];
	};
};

test('what is written before a hunk moves it', () => {
	assert.deepEqual(at([3, 0], [3, 0], 'a\nb\n')(), [12, 3]);
	assert.deepEqual(at([3, 2], [5, 1], '')(), [8, 3]);
	assert.deepEqual(at([9, 0], [10, 0], '')(), [9, 3], 'the line before it is deleted');
	assert.deepEqual(at([10, 0], [10, 0], 'pasted\n')(), [11, 3]);
	assert.deepEqual(at([9, 8], [9, 8], '\n')(), [11, 3]);
});

test('what is written behind it, or far from it, leaves it', () => {
	assert.deepEqual(at([13, 0], [14, 0], '')(), [10, 3]);
	assert.deepEqual(at([12, 8], [12, 8], '\nmore\nlines')(), [10, 3]);
	assert.deepEqual(at([10, 8], [10, 8], '\n')(deletion), [10, 0], 'the line is not of the hunk');
	assert.deepEqual(at([10, 0], [10, 3], 'x')(deletion), [10, 0]);
});

test('what is written in it belongs to it', () => {
	assert.deepEqual(at([11, 2], [11, 2], 'x')(), [10, 3]);
	assert.deepEqual(at([11, 2], [11, 2], '\n\n')(), [10, 5]);
	assert.deepEqual(at([10, 2], [12, 1], '')(), [10, 1]);
	assert.deepEqual(at([12, 3], [12, 3], '\n', 8)(), [10, 4], 'a line is split');
});

test('a hunk whose lines are no longer its own is given up', () => {
	assert.equal(at([9, 4], [11, 0], 'x')(), undefined);
	assert.equal(at([12, 2], [14, 0], '')(), undefined);
	assert.equal(at([9, 4], [10, 0], '')(), undefined, 'its first line is joined with another');
	assert.equal(at([8, 0], [20, 0], '')(deletion), undefined);
});
