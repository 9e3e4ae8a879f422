/** Definitions that a model is shown to complete code. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	type Definition,
	definitionPieces,
	definitionsOf,
	usedNames,
} from '../../../extension/ai/usedDefinitions.ts';

const never = new Promise(() => {});
const names = (text: string) => usedNames(text, text.length).map(({ name }) => name);

test('names that are called or are types are looked up, the nearest first, each where it stands last', () => {
	const text =
		'const table = openTable(path);\nfor (const row of table.rows) {\n\treadRow(row, Kind.';
	assert.deepEqual(names(text), ['Kind', 'readRow', 'table', 'openTable']);
	for (const { name, offset } of usedNames(text, text.length))
		assert.equal(text.slice(offset, offset + name.length), name);
	assert.equal(usedNames(text, text.length).at(-2)?.offset, text.indexOf('table.rows'));
	assert.deepEqual(names(`farAway()\n${'x = 1\n'.repeat(20)}near(`), ['near']);
	assert.equal(names(Array.from({ length: 40 }, (_, at) => `call${at}()`).join(' ')).length, 6);
	assert.deepEqual(names(''), []);
});

test('what is not known in time is left out, what fails as well, and nothing is there twice', async () => {
	const row: Definition = { path: 'row.ts', text: 'export function readRow() {}' };
	const answers: readonly (() => Promise<Definition | undefined>)[] = [
		async () => row,
		() => never as Promise<Definition>,
		async () => {
			throw new Error('The extension of the language has ended.');
		},
		async () => row,
		async () => undefined,
	];
	const found = await definitionsOf(
		answers.map((_, offset) => ({ name: `name${offset}`, offset })),
		{
			find: (offset) => answers[offset]?.() ?? Promise.resolve(undefined),
			late: new Promise((done) => setImmediate(done)),
		},
	);
	assert.deepEqual(found, [row]);
});

test('definitions are comments of the language, the head of each, the nearest last', () => {
	const near = { path: 'near.py', text: 'def near(a, b):\n    """Adds."""\n\ndef other():' };
	const far = { path: 'far.py', text: 'class Far:' };
	assert.equal(
		definitionPieces([near, far], '#'),
		'# From far.py:\n# class Far:\n# From near.py:\n# def near(a, b):\n#     """Adds."""\n',
	);
	const long = { path: 'long.ts', text: 'x'.repeat(5000) };
	assert.equal(definitionPieces([long, far], '//'), '// From far.py:\n// class Far:\n');
	assert.equal(definitionPieces([], '//'), '');
});
