/** The text of a custom tool's call, read while its JSON arrives. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CustomInput, inputOf } from '../../../server/services/chat/customCalls.ts';

const texts = [
	'',
	'a',
	'1+2',
	'a "quoted"\\ line\n\tand é 中 😀',
	'\ud83d alone',
	'}"{',
	'\b\f/\r',
];
const escaped = (text: string) =>
	`"${[...text].map((unit) => [...unit].flatMap((each) => Array.from({ length: each.length }, (_, at) => `\\u${each.charCodeAt(at).toString(16).padStart(4, '0')}`)).join('')).join('')}"`;

/** Reads a text in pieces of so many units; the pieces it gave. */
function read(json: string, size: number): string[] {
	const reader = new CustomInput();
	const given: string[] = [];
	for (let at = 0; at < json.length; at += size) given.push(reader.push(json.slice(at, at + size)));
	return given;
}

test('an input is the same however its JSON is written and cut', () => {
	for (const text of texts)
		for (const json of [
			`{"input":${JSON.stringify(text)}}`,
			` {\n "input" : ${JSON.stringify(text)} } `,
			`{"input":${escaped(text)}}`,
		])
			for (let size = 1; size <= json.length; size++)
				assert.equal(read(json, size).join(''), text, `${json} by ${size}`);
});

test('an input comes as it is written, and a character of two units as one', () => {
	const given = read('{"input": "ab😀c"}', 1).filter((piece) => piece !== '');
	assert.deepEqual(given, ['a', 'b', '😀', 'c']);
	const parted = read('{"input":"\\ud83d\\ude00"}', 1).filter((piece) => piece !== '');
	assert.deepEqual(parted, ['😀']);
});

test('what was cut short is a beginning; line ends that are not escaped are read', () => {
	assert.equal(inputOf('{"input": "abc\\'), 'abc');
	assert.equal(inputOf('{"input": "abc\\u00'), 'abc');
	assert.equal(inputOf('{"inp'), '');
	assert.equal(inputOf('{"input": "a\nb"}'), 'a\nb');
});

test('arguments of another shape are given as they are, never dropped', () => {
	for (const json of ['{"code":"1+2"}', '1+2', '{"input":7}', '{"in put":"a"}'])
		for (let size = 1; size <= json.length; size++)
			assert.equal(read(json, size).join(''), json, `${json} by ${size}`);
});

test('a long input is read in a time that grows with its length', () => {
	const text = 'line "x"\n'.repeat(50_000);
	assert.equal(read(`{"input":${JSON.stringify(text)}}`, 3).join(''), text);
});
