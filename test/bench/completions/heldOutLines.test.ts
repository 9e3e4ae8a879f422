/** Lines that a model of completions is asked for, and what its suggestions are worth. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	acceptedCharacters,
	figuresOf,
	heldOutLines,
} from '../../../bench/completions/heldOutLines.ts';

const text = [
	'// A comment is not held out.',
	'export function addAll(values: number[]): number {',
	'\treturn values.reduce((sum, value) => sum + value, 0);',
	'}',
	'',
].join('\n');

test('the end of a line is taken out of what the model sees, and comments and short lines are not asked for', () => {
	const lines = heldOutLines([{ path: 'a.ts', language: 'typescript', text }], 10);
	assert.deepEqual(
		lines.map(({ expected }) => expected),
		[
			'function addAll(values: number[]): number {',
			'values.reduce((sum, value) => sum + value, 0);',
		],
	);
	for (const { prefix, suffix, expected } of lines) {
		assert.ok(!(prefix + suffix).includes(expected));
		assert.equal(prefix + expected + suffix, text);
	}
});

test('each language has as many lines as were asked for, spread over its files', () => {
	const texts = ['a', 'b', 'c', 'd'].flatMap((name) =>
		['typescript', 'javascript'].map((language) => ({ path: name, language, text })),
	);
	const lines = heldOutLines(texts, 4);
	assert.equal(lines.length, 8);
	for (const language of ['typescript', 'javascript'])
		assert.deepEqual(
			lines.filter((line) => line.language === language).map(({ path }) => path),
			['a', 'b', 'c', 'd'],
		);
});

test('a suggestion is worth what of it could be taken over', () => {
	assert.equal(acceptedCharacters({ expected: 'sum + value;', text: 'sum + other' }), 6);
	assert.equal(acceptedCharacters({ expected: 'sum', text: 'sum + other' }), 3);
	const suggested = (ms: number, given: string) => ({
		...{ language: 'go', ms, expected: '12345678', text: given },
	});
	assert.deepEqual(figuresOf([suggested(9, '12345678'), suggested(1, ''), suggested(3, '12')]), [
		{
			language: 'go',
			lines: 3,
			medianMs: 3,
			slowMs: 3,
			shown: 2 / 3,
			accepted: 10 / 24,
			whole: 1 / 3,
		},
	]);
});
