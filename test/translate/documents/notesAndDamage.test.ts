/** What files say of their texts goes along, numbers keep their digits, and what is damaged is refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDocumentJob } from '../../../server/translate/documents/documentJob.ts';
import type { TextComments } from '../../../server/translate/documents/documentLanguage.ts';
import { formatOf } from '../../../server/translate/documents/translateDocument.ts';
import { inEnglish } from '../inEnglish.ts';

const job = (fileName: string, text: string, target?: string) =>
	runDocumentJob(
		{ fileName, text, from: 'en', to: 'de', ...(target === undefined ? {} : { target }) },
		inEnglish(async (texts) => texts.map((one) => one.toUpperCase())),
	);

test('damaged files of translators are refused with the place', async () => {
	for (const [name, text, message] of [
		['a.po', 'msgid "Open\nmsgstr ""\n', /line 1, column 1: a string is not closed/],
		[
			'a.po',
			'msgid "a"\nmsgstr ""\n\nmsgstr "b"\nsome words\n',
			/line 5, column 1: this is no line/,
		],
		['a.po', '#, fuzzy\nmsgstr "b"\n', /line 2, column 1: a msgid is missing/],
		[
			'a.xlf',
			'<xliff><file><trans-unit><source>Open</trans-unit></file></xliff>',
			/closes nothing/,
		],
		['a.xliff', '<xliff><file><body>', /line 1, column 14: <body> is not closed/],
	] as const)
		await assert.rejects(job(name, text), { code: 'invalid_request', message }, name);
	for (const [name, text] of [
		[
			'a.po',
			'\ufeff# remark\ndomain "x"\nmsgctxt "c"\nmsgid "" "Open" \n"it"\nmsgstr[0] ""\n#~ msgid "old"\n',
		],
		['a.po', ''],
		['a.xlf', '\ufeff<?xml version="1.0"?><!-- a --><xliff/>'],
	] as const)
		assert.equal((await job(name, text)).type, 'document', text);
});

test('notes of XLIFF go along with their texts', () => {
	const comments = (text: string): TextComments | undefined =>
		formatOf('a.xlf')?.(text, 'de').map(({ comment }) => comment);
	assert.deepEqual(
		comments(
			'<xliff><file><trans-unit id="1"><source>Open</source><target/><note>A &amp; button</note></trans-unit><trans-unit id="2"><source>More words</source></trans-unit></file></xliff>',
		),
		['A & button', undefined],
	);
	assert.deepEqual(
		comments(
			'<xliff version="2.0"><file><unit><notes><note>A menu</note></notes><segment><source>Open</source></segment></unit><unit><segment><source>Other words</source></segment></unit></file></xliff>',
		),
		['A menu', undefined],
	);
});

test('long numbers keep their digits, in documents and where messages are added', async () => {
	const source = '{"a": {"id": 12345678901234567890, "more": [1.10, "Some words"]}}';
	const whole = await job('a.json', source);
	assert.ok(whole.type === 'document' && whole.result.text.includes('12345678901234567890'));
	const added = await job('a.json', source, '{}');
	assert.ok(added.type === 'missing');
	assert.match(
		added.result.text,
		/"id": 12345678901234567890,\s*"more": \[\s*1\.10,\s*"SOME WORDS"\s*\]/,
	);
});

test('remarks of .resx and .strings go along with their texts', () => {
	const comments = (fileName: string, text: string) =>
		formatOf(fileName)?.(text, 'de').map(({ comment }) => comment);
	assert.deepEqual(
		comments(
			'a.resx',
			'<root><data name="a"><value>Open it</value><comment>A button</comment></data><data name="b"><value>Some words</value></data></root>',
		),
		['A button', undefined],
	);
	assert.deepEqual(
		comments(
			'a.strings',
			'/* A button */\n"a" = "Open it";\n/* No comment provided by engineer. */\n"b" = "Some words";\n// Of a menu\n"c" = "More words";\n',
		),
		['A button', undefined, 'Of a menu'],
	);
});
