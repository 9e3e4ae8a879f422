/** JavaScript in MDX: where a script ends is found without having every part of it parsed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScriptScanner } from '../../../server/translate/documents/markdown/scriptScanner.ts';
import { shouted } from './shouted.ts';

/** Whether a script goes on behind a text, by its letters alone. */
function goesOn(text: string, depth = 0): boolean {
	const scanner = new ScriptScanner();
	for (const letter of text) scanner.read(letter);
	return scanner.goesOn(depth);
}

test('a script goes on while a bracket, string, template, pattern, comment or element in it is open', () => {
	for (const open of [
		...['[{a: 1}, {b: [', 'f({', '"}', "'\\'}", '{a: "}"', '{a: {}', 'a => {\n', '(1,'],
		...['`', '`{', '`${', '`${a}', '`${`}`', '`\\`}', '`$\\{`, {'],
		...[
			'/* ',
			'/*/ ',
			'// ',
			'/* } */ {',
			'a / {',
			'x++ / {',
			'f(1) / {',
			'/',
			'/[/}',
			'/\\/',
			'return /}',
		],
		...[
			'<a>',
			'<a>{',
			'<a>{b}',
			'<a b="',
			'<a b={',
			'<><b/>',
			"<a>Don't ",
			'<a>/{',
			'a && <b',
			'<a b>c</a',
		],
		...['a.in / 2 + {', '...{', 'a ? <b/> : <c>', '`${<b>{"}"}</b>}` + {', '{ "a": <b/>, c: '],
	])
		assert.equal(goesOn(open), true, open);
	for (const whole of [
		...[
			'',
			'a',
			'{}',
			'{"}"}',
			'{a: "\\""}',
			'[{a: "}"}, {b: 1}]',
			'"it\'s } here"',
			'a < b',
			'a++ / 2',
		],
		...[
			'`${a} }`',
			'`${`}`}`',
			'/}/',
			'/[/}]/.test(x)',
			'/* } */',
			'/**/',
			'/*/ */',
			'// }\n',
			'a / b / c',
		],
		...[
			'<a/>',
			'<a></a>',
			'<></>',
			"<b title='}'>Don't {x}</b>",
			'<a b={{c: 1}} {...d}/>',
			'<a.b c/>',
		],
	])
		assert.equal(goesOn(whole), false, whole);
	assert.equal(goesOn('{a}', 1), false);
	assert.equal(goesOn('{a: {', 1), true);
});

test('what cannot be told by its letters is never said to go on', () => {
	for (const unclear of ['if (a) {} /{', '{} <a>', '"\n{', '/\n{', '<a>}{', '<a <{', '<a /b{'])
		assert.equal(goesOn(unclear), false, unclear);
});

test('expressions of every kind end where JavaScript says', async () => {
	for (const expression of [
		'[{a: "}"}, {b: 1}].length',
		'"it\'s } here"',
		'`${a} }`',
		'`{ ${`${{a: 1}.a}`} }`',
		'/}/.test(x)',
		'/[/}]/.test(x)',
		'/* } */ a',
		'a // }\n',
		"<b title='}'>Don't {x}</b>",
		'<>{a} / {b}</>',
		'{...{a: {b: 2}}}.a',
		'(() => { if (a) {} /}/.test(b); return {} })()',
		'{a: 1} / {b: 2}',
		'a < b / {c: "}"}',
	]) {
		const { text, refused } = await shouted('a.mdx', `Words before {${expression}} words after.\n`);
		assert.deepEqual(refused, [], expression);
		assert.equal(text, `WORDS BEFORE {${expression}} WORDS AFTER.\n`);
		const attribute = `<Box a={${expression}} b="c" />\n\nWords after.\n`;
		assert.equal(
			(await shouted('a.mdx', attribute)).text,
			attribute.replace('Words after', 'WORDS AFTER'),
		);
		const quoted = `> {${expression.replaceAll('\n', '\n> ')}}\n\nWords after.\n`;
		assert.equal(
			(await shouted('a.mdx', quoted)).text,
			quoted.replace('Words after', 'WORDS AFTER'),
		);
	}
});

test('an export ends at the first empty line behind all that is open', async () => {
	for (const code of [
		'export const a = [\n\n  {b: 1},\n\n]',
		'export const a = 1 // one {',
		'export const a = `\n\nText ${b}\n\n`',
		'export function A() {\n\n  return <p>It\'s\n\n {"}"}</p>\n\n}',
		'/* no */',
		'export const a = () => {\n\n  /* { */\n\n}\nexport const b = /[/{]/',
	]) {
		const before = code.startsWith('export') ? code : `import a from "a" ${code}`;
		const { text } = await shouted('a.mdx', `${before}\n\nWords after.\n`);
		assert.equal(text, `${before}\n\nWORDS AFTER.\n`);
	}
});

test('a broken script is told of', async () => {
	for (const broken of ['Words {a b} words.\n', 'Words {a\n', 'export const a = {\n\nWords\n'])
		await assert.rejects(shouted('a.mdx', broken), broken);
});

test('comments of HTML and addresses of headings, which Docusaurus reads in MDX, are no faults', async () => {
	const source =
		'<!-- a {comment -->\n\n# Title words {#own-id}\n\nSome <!-- one --> words, {a.b}.\n\n```\n<!-- code -->\n```\n';
	const { text, refused } = await shouted('a.mdx', source);
	assert.deepEqual(refused, []);
	assert.equal(
		text,
		source
			.replace('Title words', 'TITLE WORDS')
			.replace('Some ', 'SOME ')
			.replace(' words,', ' WORDS,'),
	);
});
