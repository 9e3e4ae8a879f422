/** Code out of the answer of a model. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editQuestion } from '../../../extension/edits/editQuestion.ts';
import { framedAs, indentedAs, writtenLines } from '../../../extension/edits/writtenCode.ts';

const code = 'if a:\n\n    b()';

test('fences and an introduction are not of the code, nor what is said after it', () => {
	const expected = code.split('\n');
	for (const answer of [
		code,
		`\n${code}\n\n`,
		`\`\`\`python\n${code}\n\`\`\``,
		`\`\`\`\n${code}\n\`\`\`\nThis handles the case.`,
		`Here is the code:\n\n\`\`\`py\n${code}\n\`\`\`\n`,
		`~~~\r\n${code.replaceAll('\n', '\r\n')}\r\n~~~\r\n`,
		`\`\`\`\`md\n${code}\n\`\`\`\``,
	])
		assert.deepEqual(writtenLines(answer, true), expected, answer);
});

test('fences inside a text stay', () => {
	const text = 'Run this:\n\n````\n```\nls\n```\n````';
	assert.deepEqual(writtenLines(`\`\`\`\`\`md\n${text}\n\`\`\`\`\``, true), text.split('\n'));
});

test('a line is shown when it is whole', () => {
	assert.deepEqual(writtenLines('```js\nlet a', false), []);
	assert.deepEqual(writtenLines('```js\nlet a;\nlet', false), ['let a;']);
	assert.deepEqual(writtenLines('let a;\n\nlet', false), ['let a;', '']);
	assert.deepEqual(writtenLines('``', false), []);
});

test('code gets the indent of its place, and not twice', () => {
	const place = ['\t\treturn 1;'];
	assert.deepEqual(indentedAs(place, ['if (a)', '', '\treturn 2;']), [
		'\t\tif (a)',
		'',
		'\t\t\treturn 2;',
	]);
	assert.deepEqual(indentedAs(place, ['\t\treturn 2;']), ['\t\treturn 2;']);
	assert.deepEqual(indentedAs(['    '], ['pass']), ['    pass']);
	assert.deepEqual(indentedAs(['a'], ['    b']), ['    b']);
});

test('the model is shown whole lines around the part, fewer when it reads little', () => {
	const before = Array.from({ length: 400 }, (_, i) => `before line ${i}`).join('\n');
	const change = {
		...{ path: 'src/a.py', language: 'python', part: 'x = 1', instruction: 'rename x to count' },
		...{ before: `${before}\n`, after: '\nafter line 0\nafter line 1\n' },
	};
	const text = (length: number | null) => editQuestion(change, length).at(-1)?.content ?? '';
	assert.match(text(32_768), /^File: src\/a\.py\n/);
	assert.match(text(32_768), /Wanted: rename x to count$/);
	assert.match(text(32_768), /before line 399\n```\n/);
	assert.match(text(32_768), /```python\nbefore line \d+\n/);
	assert.match(text(null), /after line 1\n```/);
	const [small, large] = [text(1024), text(32_768)];
	assert.ok(small.length < 1500, String(small.length));
	assert.ok(large.length > 4000);
	const empty = editQuestion({ ...change, part: '  ', before: '' }, null).at(-1)?.content ?? '';
	assert.match(empty, /The part is empty/);
	assert.doesNotMatch(empty, /Before the part/);
});

test('a text with fences of its own keeps all of them, and loses a fence around it', () => {
	const text = 'Install it:\n\n```sh\nnpm i\n```\n\nThen run it.';
	const before = ['```sh', 'npm install', '```'];
	const lines = text.split('\n');
	assert.deepEqual(writtenLines(text, true, before), lines);
	assert.deepEqual(writtenLines(`\`\`\`\`md\n${text}\n\`\`\`\``, true, before), lines);
	assert.deepEqual(writtenLines(`\`\`\`markdown\n${text}\n\`\`\`\n`, true, before), lines);
	const fenced = '```sh\nnpm ci\n```\n\nDone.';
	assert.deepEqual(writtenLines(fenced, true, before), fenced.split('\n'));
	assert.deepEqual(writtenLines('```sh\nnpm ci\n', false, before), ['```sh', 'npm ci']);
	const question = editQuestion(
		{ path: 'a.md', language: 'markdown', before: '', after: '', part: text, instruction: 'x' },
		null,
	);
	assert.ok(question.at(-1)?.content?.includes(`\`\`\`\`markdown\n${text}\n\`\`\`\``));
});

test('blank lines at the ends of the part stay', () => {
	assert.deepEqual(framedAs(['', 'a', '', ''], ['b'], true), ['', 'b', '', '']);
	assert.deepEqual(framedAs(['', 'a', ''], ['b'], false), ['', 'b']);
	assert.deepEqual(framedAs(['a'], [], true), []);
	assert.deepEqual(framedAs([''], ['b'], true), ['b']);
});
