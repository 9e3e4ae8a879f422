/** What a format writes in a way of its own comes back as it was written: line ends, escapes, lengths, paragraphs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitSentences } from '../../../server/translate/sentences.ts';
import { shouted } from './shouted.ts';

const changedLines = async (fileName: string, lines: readonly string[], eol = '\n') => {
	const { text, refused } = await shouted(fileName, lines.join(eol));
	assert.deepEqual(refused, []);
	return text.split(eol);
};

test('TOML: line ends of Windows in a text of several lines are line ends, and no characters of it', async () => {
	const lines = ['a = """', 'The first line', 'and "another"', '"""', "b = '''", "it's", "raw'''"];
	assert.deepEqual(await changedLines('a.toml', [...lines, ''], '\r\n'), [
		...['a = """', 'THE FIRST LINE', 'AND \\"ANOTHER\\"', '"""'],
		...["b = '''", "IT'S", "RAW'''", ''],
	]);
});

test('properties: a blank that was escaped at the end stays escaped', async () => {
	assert.deepEqual(
		await changedLines('a.properties', ['a = Your name:\\u0020', 'b = Its name: ']),
		['a = YOUR NAME:\\u0020', 'b = ITS NAME: '],
	);
});

test('Qt: lengths to choose from stay such, and a file keeps the country of its language', async () => {
	const file = (language: string, inner: string) =>
		`<!DOCTYPE TS><TS version="2.1" language="${language}"><context><name>A</name><message><source>Open the file</source><translation variants="yes" type="unfinished"><lengthvariant>${inner}</lengthvariant></translation></message></context></TS>`;
	const { text, refused } = await shouted('a.ts', file('de_AT', ''));
	assert.deepEqual(refused, []);
	assert.equal(text, file('de_AT', 'OPEN THE FILE'));
	assert.equal((await shouted('a.ts', file('en_US', ''))).text, file('de', 'OPEN THE FILE'));
});

test('Fluent: paragraphs of a value stay paragraphs', async () => {
	const lines = [
		'a =',
		'    The first line',
		'      of { $n } more',
		'',
		'    Then the next one',
		'b = More',
	];
	for (const eol of ['\n', '\r\n'])
		assert.deepEqual(await changedLines('a.ftl', lines, eol), [
			...['a =', '    THE FIRST LINE OF { $n } MORE', '', '    THEN THE NEXT ONE', 'b = MORE'],
		]);
});

test('what stands before and after a tab is translated apart', () => {
	const text = 'The name\tThe size of it\n';
	const parts = splitSentences(text, 'en').map(([start, end]) => text.slice(start, end));
	assert.deepEqual(parts, ['The name\t', 'The size of it\n']);
});
