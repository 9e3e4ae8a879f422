/** What a format asks of what is written in it, whoever reads it: books, resources, subtitles, templates. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { inLanguage } from '../../../server/translate/documents/htmlLanguage.ts';
import { mergeMissing } from '../../../server/translate/documents/missingMessages.ts';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';
import { shouted } from './shouted.ts';

async function written(
	name: string,
	text: string,
	translate: (text: string) => string,
	to = 'de',
): Promise<string> {
	const format = formatOf(name, text);
	assert.ok(format);
	const made = await translatePieces(text, format, async (texts) => texts.map(translate), to);
	assert.deepEqual(made.refused ?? [], []);
	return made.text;
}

test('a page that is XML as well stays so, and a page of a book gets nothing', () => {
	const page =
		'<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A</title></head></html>';
	assert.match(inLanguage(page, 'de'), /<head><meta charset="utf-8" \/><title>/);
	assert.doesNotMatch(inLanguage(page, 'de', true), /<meta/);
	assert.doesNotMatch(inLanguage('<html><head/><body></body></html>', 'de'), /<meta/);
	assert.match(inLanguage('<html><head></head></html>', 'de'), /<head><meta charset="utf-8">/);
});

test('.resx: words in CDATA are written as they are, and keep their lines', async () => {
	const file = (words: string) =>
		`<root><data name="a"><value><![CDATA[${words}]]></value></data></root>`;
	const words = 'Save & close the file if a < b\n\n  * of course';
	const shout = (text: string) => text.toUpperCase();
	assert.equal(await written('a.resx', file(words), shout), file(words.toUpperCase()));
});

test('no line of a subtitle ends inside a tag', async () => {
	const cue =
		'1\n00:00:01,000 --> 00:00:03,000\n<i>Hello there my friend</i>\nand all others here\n';
	const made = await written('a.srt', cue, () => '<i>こんにちは友</i>達とここにいる', 'ja');
	for (const line of made.split('\n').slice(2)) assert.doesNotMatch(line, /<[^>]*$|^[^<]*>/);
});

test('.properties: a quotation of MessageFormat says nothing of apostrophes', async () => {
	const made = await written(
		'a.properties',
		"a=Use '{'braces'}' around {0}\nb=Open the file {0} now\n",
		(text) => (text.startsWith('Open') ? "Ouvrez l'archive {0} d'abord" : text),
		'fr',
	);
	assert.match(made, /^b=Ouvrez l''archive \{0\} d''abord$/m);
});

test('Markdown: names of tags in code begin nothing', async () => {
	const made = await written(
		'a.md',
		'The `{% comment %}` tag starts it.\n\nThis text is important.\n\nThe `{% endcomment %}` tag ends it.\n',
		(text) => text.replace('This text is important', 'Das ist wichtig'),
	);
	assert.match(made, /Das ist wichtig/);
});

test('reStructuredText: what stands in literals and in aliases stays whole', async () => {
	const source =
		'Setup\n=====\n\nRead `this part <Setup_>`__ and Setup_ first.\n\nWrite ``see Setup_ here`` then.\n';
	const made = await written('a.rst', source, (text) =>
		text === 'Setup' ? 'Die Einrichtung' : text,
	);
	assert.match(made, /``see Setup_ here``/);
	assert.match(made, /`this part <Die Einrichtung_>`__ and `Die Einrichtung`_ first/);
});

test('YAML: a map in braces that only refers to another gets its new messages apart', async () => {
	const { text } = await mergeMissing(
		'en:\n  base: &d\n    a: One thing\n  other:\n    <<: *d\n    c: Three things\n',
		'de:\n  base: &d {a: Eins}\n  other: {<<: *d}\n',
		'yaml',
		async (texts) => texts.map((one) => `«${one}»`),
		'de',
	);
	const { de } = parse(text, { merge: true }) as { de: { other: Record<string, string> } };
	assert.equal(de.other['c'], '«Three things»');
});

test('AsciiDoc: what images say is translated, and their addresses and sizes stay', async () => {
	const source = [
		'See image:a.png[A red door] here and image:b.png["A blue door, open",100] or image:c.png[].',
		'image::a.png[A red door,300,title="The door, as it is"]',
		'image::b.png[alt=A red door,width=100]',
		'image::c.png[width=100,alt="A red door"]',
		'image::d.png[width=100]',
		'----\nimage::a.png[A red door]\n----',
		'`image:a.png[A red door]` stays.',
	].join('\n\n');
	const { text, refused } = await shouted('a.adoc', source, {}, (words) =>
		words
			.replace(/red door/, 'RED, "old" door')
			.replace('blue', 'BLUE')
			.replace('as it', 'AS IT'),
	);
	assert.deepEqual(refused, []);
	const door = '"A RED, \\"old\\" door"';
	assert.equal(
		text,
		[
			`See image:a.png[${door}] here and image:b.png["A BLUE door, open",100] or image:c.png[].`,
			`image::a.png[${door},300,title="The door, AS IT is"]`,
			`image::b.png[alt=${door},width=100]`,
			`image::c.png[width=100,alt=${door}]`,
			'image::d.png[width=100]',
			'----\nimage::a.png[A red door]\n----',
			'`image:a.png[A red door]` stays.',
		].join('\n\n'),
	);
});
