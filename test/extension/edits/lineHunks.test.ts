/** What has changed between lines, and lines that are written over others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines, lineHunks, writtenOver } from '../../../extension/edits/lineHunks.ts';

const lines = (text: string) => (text === '' ? [] : text.split(' '));

test('hunks are where the new lines are, with what was there', () => {
	assert.deepEqual(lineHunks(lines('a b c d'), lines('a x y c')), [
		{ line: 1, added: 2, removed: ['b'] },
		{ line: 4, added: 0, removed: ['d'] },
	]);
	assert.deepEqual(lineHunks(lines('a b'), lines('a b')), []);
	assert.deepEqual(lineHunks(lines('a'), lines('new a')), [{ line: 0, added: 1, removed: [] }]);
	assert.deepEqual(lineHunks(lines('a b'), []), [{ line: 0, added: 0, removed: ['a', 'b'] }]);
});

test('hunks put back make the old lines again, whatever was changed', () => {
	let seed = 7;
	const random = (below: number) => {
		seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
		return Math.floor((seed / 2 ** 31) * below);
	};
	for (let round = 0; round < 500; round++) {
		const before = Array.from({ length: random(12) }, () => 'abcdef'[random(6)] ?? '');
		const after = before.flatMap((line) =>
			random(4) === 0 ? [] : random(4) === 0 ? [line, 'new'] : [line],
		);
		const back = [...after];
		for (const { line, added, removed } of lineHunks(before, after).reverse())
			back.splice(line, added, ...removed);
		assert.deepEqual(back, before);
	}
});

test('what is written stands for the old lines that it has come to; the rest is still there', () => {
	const before = lines('a b c d e');
	const shown = (written: string) => writtenOver(before, lines(written)).lines.join(' ');
	assert.equal(shown(''), 'a b c d e');
	assert.equal(shown('a'), 'a b c d e');
	assert.equal(shown('a x'), 'a x b c d e');
	assert.equal(shown('a x y z c'), 'a x y z c d e');
	assert.equal(shown('a c'), 'a c d e');
	assert.equal(shown('a b c d e f'), 'a b c d e f');
	assert.equal(writtenOver(before, lines('a x')).rest, 4);
});

test('only the lines that differ are written', () => {
	assert.deepEqual(changedLines(lines('a b c'), lines('a x c')), { start: 1, end: 1 });
	assert.deepEqual(changedLines(lines('a a'), lines('a a a')), { start: 2, end: 0 });
	assert.deepEqual(changedLines(lines('a b'), lines('a b')), { start: 2, end: 0 });
	assert.deepEqual(changedLines([], lines('a')), { start: 0, end: 0 });
});
