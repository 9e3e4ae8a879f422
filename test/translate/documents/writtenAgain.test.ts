/** What is written is read again as it was meant: by readers of YAML 1.1, of XML with namespaces, of catalogues. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { MessageFormat } from '../../../server/translate/documents/messageChanges.ts';
import { messageStates } from '../../../server/translate/documents/messageStates.ts';
import {
	mergeMissing,
	messageProgress,
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

test('YAML: what is merged in is said once, wherever it is written', async () => {
	const source =
		'en:\n  base: &d\n    title: Open the file\n  other:\n    <<: *d\n    <<: {y: Close it}\n    x: Save it now\n';
	// A new file has the aliases of its source.
	const made = await fill(source, '', 'yaml');
	assert.equal(
		made,
		'de:\n  base: &d\n    title: «Open the file»\n  other:\n    <<: *d\n    <<: {y: «Close it»}\n    x: «Save it now»\n',
	);
	const paths = (target: string) =>
		messageStates(source, target, 'yaml', 'de').map(({ path }) => path.join('.'));
	assert.deepEqual(paths(made), ['base.title', 'other.y', 'other.x']);
	// What stands in braces is a message as any other, and what is added stands beside the braces.
	const lacking = made.replace('<<: {y: «Close it»}', '<<: {}');
	assert.deepEqual(
		missingMessages(source, lacking, 'yaml').map(({ path }) => path.join('.')),
		['de.other.y'],
	);
	assert.deepEqual(parse(await fill(source, lacking, 'yaml'), { merge: true, uniqueKeys: false }), {
		de: {
			base: { title: '«Open the file»' },
			other: { title: '«Open the file»', y: '«Close it»', x: '«Save it now»' },
		},
	});
	const inner = 'a:\n  <<: {b: Open it}\n';
	assert.equal(await fill(`${inner}  c: Close it\n`, inner, 'yaml'), `${inner}  c: «Close it»\n`);
	assert.equal(
		await fill('a: {<<: {b: Open it}, c: Close it}\n', 'a: {<<: {b: Ja}}\n', 'yaml'),
		'a: {<<: {b: Ja}, "c": "«Close it»"}\n',
	);
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

test('XLIFF: a copy of the source that a tool has put there is no translation', async () => {
	const xliff = formatOf('a.xlf');
	assert.ok(xliff);
	const unit = (target: string) =>
		`<trans-unit id="a"><source>Open the file</source>${target}</trans-unit>`;
	const file = (target: string) =>
		`<xliff version="1.2"><file source-language="en" target-language="de"><body>${unit(target)}</body></file></xliff>`;
	for (const state of ['new', 'needs-translation']) {
		const source = file(`<target state="${state}">Open the file</target>`);
		const { text } = await translatePieces(source, xliff, mark, 'de');
		assert.match(text, /<target state="needs-review-translation">«Open the file»<\/target>/);
	}
	for (const target of [
		'<target state="new">Auf</target>',
		'<target state="final">Open the file</target>',
		'<target>Open the file</target>',
	])
		assert.equal((await translatePieces(file(target), xliff, mark, 'de')).pieces, 0);
	const second = `<xliff version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="a"><segment state="initial"><source>Open the file</source><target>Open the file</target></segment></unit></file></xliff>`;
	const { text } = await translatePieces(second, xliff, mark, 'de');
	assert.match(text, /<segment state="translated">.*<target>«Open the file»<\/target>/);
});

test('YAML: what both files take from elsewhere counts once, and merges in merges are read once', async () => {
	const source =
		'en:\n  base: &d\n    a: Open the file\n    b: Save it now\n  other:\n    <<: *d\n    x: Close it\n  again: *d\n';
	const target = await fill(source, '', 'yaml');
	const { total, missing } = messageProgress(source, target, 'yaml', 'de');
	assert.deepEqual([total, missing], [messageStates(source, target, 'yaml', 'de').length, 0]);
	assert.equal(total, 3);
	// Twice as often with each level, this would be read for years.
	const levels = 60;
	const nested = `a: ${'{<<: '.repeat(levels)}{b: Open the file}${'}'.repeat(levels)}\n`;
	assert.equal(missingMessages(nested, '', 'yaml').length, 1);
	const chain = Array.from({ length: 45 }, (_, at) =>
		at === 0
			? 'm0: &m0\n  k0: Open it\n'
			: `m${at}: &m${at}\n  <<: *m${at - 1}\n  k${at}: Open it\n`,
	).join('');
	assert.equal(missingMessages(chain, '', 'yaml').length, (45 * 46) / 2);
});

test('Xcode: a new entry of a language is filled in where it stands', async () => {
	const catalogue = formatOf('a.xcstrings');
	assert.ok(catalogue);
	const of = (state: string, value: string) =>
		JSON.stringify({
			sourceLanguage: 'en',
			strings: {
				'Open the file': { localizations: { de: { stringUnit: { state, value } } } },
				Other: { shouldTranslate: false },
			},
			version: '1.0',
		});
	const { text } = await translatePieces(of('new', ''), catalogue, mark, 'de');
	assert.deepEqual(JSON.parse(text), JSON.parse(of('needs_review', '«Open the file»')));
	assert.equal((await translatePieces(of('translated', 'Auf'), catalogue, mark, 'de')).pieces, 0);
});

test('HTML: a page in ASCII without an encoding says that of its translation', async () => {
	const html = formatOf('a.html');
	assert.ok(html);
	const page =
		'<html><head><title>Hello there</title></head><body><p>Open the file</p></body></html>';
	const { text } = await translatePieces(page, html, mark, 'de');
	assert.match(text, /<head><meta charset="utf-8"><title>«Hello there»/);
	const said = page.replace('<head>', '<head><meta charset="iso-8859-1">');
	assert.equal((await translatePieces(said, html, mark, 'de')).text.match(/charset/g)?.length, 1);
});

test('small damages: marks of a file, controls, keys like signs, numbers of blocks', async () => {
	assert.equal(
		await fill('\ufeffa=Open the file\n', '', 'properties'),
		'a=\\u00abOpen the file\\u00bb\n',
	);
	const po = (text: string) => `msgid "${text}"\nmsgstr ""\n`;
	const escaped = po('\\033[1mBig warning\\033[0m');
	const made = await fill(escaped, escaped, 'po');
	assert.match(made, /msgstr "«\\033\[1mBig warning\\033\[0m»"/);
	assert.equal(
		await fill('/* Sign */\n"=" = "Open the file";\n', '', 'strings'),
		'/* Sign */\n"=" = "«Open the file»";\n',
	);
	const yaml = formatOf('a.yml');
	assert.ok(yaml);
	const block = 'en:\n  a: |2\n      Open the file\n    now it is\n  b: Save it now\n';
	const { text } = await translatePieces(block, yaml, mark, 'de');
	assert.deepEqual(parse(text), {
		de: { a: '  «Open the file\nnow it is»\n', b: '«Save it now»' },
	});
});
