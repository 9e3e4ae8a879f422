/** JavaScript in MDX: where an expression ends is found without having every part of it parsed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endsInside, scriptReader } from '../../../server/translate/documents/markdown/script.ts';
import { shouted } from './shouted.ts';

test('an open brace or string tells that an expression goes on; what cannot be told by counting does not', () => {
	for (const open of ['[{a: 1}, {b: [', 'f({', '{"}', "{'\\'}", '{a: "}"', '{a: {}'])
		assert.equal(endsInside(open), !/\[$|^\[/.test(open) || open.includes('{b'), open);
	for (const unclear of ['', 'a', '{}', '{"}"}', '{a: "\\""}', '`{', '/{/', '<a>{', '{"\n', '}'])
		assert.equal(endsInside(unclear), false, unclear);
	// Behind a place.
	assert.equal(endsInside('({a}', 2), false);
});

test('only whole expressions are parsed', () => {
	const options = { ecmaVersion: 2024 } as const;
	assert.throws(() => scriptReader.parseExpressionAt('{a: {', 0, options), {
		...{ name: 'SyntaxError', pos: 5, raisedAt: 5 },
	});
	assert.equal(scriptReader.parseExpressionAt('{a: {}}', 0, options).type, 'ObjectExpression');
});

test('expressions of every kind end where JavaScript says', async () => {
	for (const expression of [
		'[{a: "}"}, {b: 1}].length',
		'"it\'s } here"',
		'`${a} }`',
		'/}/.test(x)',
		'/* } */ a',
		"<b title='}'>Don't {x}</b>",
		'{...{a: {b: 2}}}.a',
	]) {
		const { text, refused } = await shouted('a.mdx', `Words before {${expression}} words after.\n`);
		assert.deepEqual(refused, [], expression);
		assert.equal(text, `WORDS BEFORE {${expression}} WORDS AFTER.\n`);
	}
});
