/** What is written is read again as it was meant: by readers of YAML 1.1, of XML with namespaces, of catalogues. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { MessageFormat } from '../../../server/translate/documents/messageChanges.ts';
import {
	mergeMissing,
	missingMessages,
} from '../../../server/translate/documents/missingMessages.ts';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';

const mark = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);
const fill = async (source: string, target: string, format: MessageFormat, to = 'de') =>
	(await mergeMissing(source, target, format, mark, to)).text;
const inYaml11 = (text: string) => parse(text, { version: '1.1' }) as unknown;

test('the only key of a new file stays unless it is a language', async () => {
	for (const key of ['app', 'nav', 'api', 'web', 'ui', 'faq']) {
		const made = await fill(JSON.stringify({ [key]: { title: 'Open the file' } }), '', 'json');
		assert.deepEqual(JSON.parse(made), { [key]: { title: '«Open the file»' } });
	}
	assert.deepEqual(JSON.parse(await fill('{"en-GB":{"title":"Open the file"}}', '', 'json')), {
		de: { title: '«Open the file»' },
	});
	assert.equal(missingMessages('{"app":{"a":"Open"}}', '{"de":{"a":"Auf"}}', 'json').length, 1);
});

test('YAML: words that some readers take for truth values are quoted and translated', async () => {
	const source =
		'en:\n  yes_label: "Yes"\n  on: "On"\n  "no": "No thanks now"\n  "yes": "Yes please now"\n  at: "12:30"\n';
	for (const target of ['', 'de:\n  zz: Ja\n']) {
		const { de } = inYaml11(await fill(source, target, 'yaml')) as { de: Record<string, string> };
		assert.equal(de['yes_label'], '«Yes»');
		assert.equal(de['no'], '«No thanks now»');
		assert.equal(de['yes'], '«Yes please now»');
		assert.equal(de['at'], '12:30');
	}
	assert.deepEqual(inYaml11(await fill('en:\n  a: Open the file\n', '', 'yaml', 'no')), {
		no: { a: '«Open the file»' },
	});
	const yaml = formatOf('a.yml');
	assert.ok(yaml);
	const { text } = await translatePieces('en:\n  a: Open the file\n', yaml, mark, 'no');
	assert.deepEqual(inYaml11(text), { no: { a: '«Open the file»' } });
});

test('YAML: aliases and merge keys are copied as what they stand for', async () => {
	const source =
		'en:\n  base: &d\n    title: Open the file\n  other:\n    <<: *d\n    x: Save it now\n  again: *d\n  list:\n    - *d\n';
	const title = { title: '«Open the file»' };
	for (const target of ['', 'de:\n  zz: Ja\n']) {
		const { de } = inYaml11(await fill(source, target, 'yaml')) as { de: object };
		assert.deepEqual(de, {
			...(target === '' ? {} : { zz: 'Ja' }),
			...{ base: title, other: { ...title, x: '«Save it now»' }, again: title, list: [title] },
		});
	}
	const there = 'de:\n  base: &d\n    zz: Ja\n  other:\n    <<: *d\n  again: *d\n';
	const made = await fill(source, there, 'yaml');
	assert.deepEqual(parse(made, { merge: true }), {
		de: {
			base: { zz: 'Ja', ...title },
			other: { zz: 'Ja', ...title, x: '«Save it now»' },
			again: { zz: 'Ja', ...title },
			list: [title],
		},
	});
});

test('YAML: aliases that stand for themselves or for too much are refused', () => {
	const rows = Array.from(
		{ length: 30 },
		(_, at) => `a${at + 1}: &a${at + 1} {x: *a${at}, y: *a${at}}`,
	);
	for (const source of ['a: &a\n  b: *a\n', `a0: &a0 {w: Word}\n${rows.join('\n')}\n`])
		assert.throws(() => missingMessages(source, '', 'yaml'), { code: 'invalid_request' });
});

test('Android: a file gets the namespaces that its new messages need', async () => {
	const source =
		'<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2" xmlns:tools="http://schemas.android.com/tools">\n  <string name="a">Hello <xliff:g id="n">%s</xliff:g></string>\n</resources>\n';
	const made = await fill(
		source,
		'<resources>\n  <string name="b">Da</string>\n</resources>\n',
		'android',
	);
	assert.match(made, /^<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1\.2">/);
	assert.match(made, /<xliff:g id="n">%s<\/xliff:g>/);
	const again = await fill(source, made.replace(/ +<string name="a">.*\n/, ''), 'android');
	assert.equal(again.match(/xmlns:xliff/g)?.length, 1);
});

test('gettext: a template that has been filled in says an encoding', async () => {
	const po = formatOf('a.pot');
	assert.ok(po);
	const template =
		'#, fuzzy\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=CHARSET\\n"\n\nmsgid "Open"\nmsgstr ""\n';
	const { text } = await translatePieces(template, po, async () => ['Öffnen'], 'de');
	assert.match(text, /charset=UTF-8\\n/);
	assert.match(text, /msgstr "Öffnen"/);
});

test('gettext: a plural without all of its forms is filled in, and keeps those it has', async () => {
	const source =
		'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\nmsgid "One file"\nmsgid_plural "%d files"\nmsgstr[0] "Eine Datei"\nmsgstr[1] ""\n';
	assert.equal(missingMessages(source, source, 'po', 'de').length, 1);
	const made = await fill(source, source, 'po');
	assert.match(made, /msgstr\[0\] "Eine Datei"\nmsgstr\[1\] "«%d files»"/);
	assert.deepEqual(missingMessages(made, made, 'po', 'de'), []);
});

test('Qt: entities of rich text are no mnemonics', async () => {
	const qt = formatOf('a.ts', '<TS');
	assert.ok(qt);
	const unit = (words: string) =>
		`<message><source>${words}</source><translation type="unfinished"></translation></message>`;
	const text = `<?xml version="1.0"?><!DOCTYPE TS><TS version="2.1" language="de"><context><name>A</name>${unit('Drag &amp;amp; drop the file')}${unit('&amp;Open the file')}</context></TS>`;
	const asked: string[] = [];
	const { text: made } = await translatePieces(
		text,
		qt,
		async (texts) => {
			asked.push(...texts);
			return texts.map((one) => one.replace('Open', 'Öffne').replace('Drag', 'Ziehen'));
		},
		'de',
	);
	assert.deepEqual(asked, ['Drag &amp; drop the file', 'Open the file']);
	assert.match(made, />Ziehen &amp;amp; drop the file</);
	assert.match(made, /&amp;Öffne the file/);
});
