/** Single messages that a person has accepted or written, put into files of every format by their keys. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDocumentJob } from '../../../server/translate/documents/documentJob.ts';
import type { MessageFormat } from '../../../server/translate/documents/messageChanges.ts';
import { setMessages } from '../../../server/translate/documents/setMessages.ts';

const set = (
	source: string,
	target: string,
	format: MessageFormat,
	texts: Readonly<Record<string, string>>,
	to = 'de',
) => setMessages(source, target, format, to, new Map(Object.entries(texts)));

const json = `{
  "files": {
    "open": "Open",
    "close": "Close",
    "also": "Close"
  },
  "steps": ["One", "Two"]
}
`;

test('JSON: a message comes where the source has it, and another with the same text does not', () => {
	const target = '{\n\t"files": {\n\t\t"open": "Auf",\n\t\t"own": "Eigenes"\n\t}\n}\n';
	assert.deepEqual(set(json, target, 'json', { 'files.close': 'Zu "jetzt"' }), {
		text: '{\n\t"files": {\n\t\t"open": "Auf",\n\t\t"close": "Zu \\"jetzt\\"",\n\t\t"own": "Eigenes"\n\t}\n}\n',
		refused: [],
	});
	const changed = set(json, target, 'json', { 'files.open': 'Öffnen' });
	assert.equal(changed.text, target.replace('Auf', 'Öffnen'));
});

test('JSON: a list is written as one, a new file has only what was set, and an unknown key is refused', () => {
	const list = set(json, '{}\n', 'json', { steps: '["Eins","Zwei"]' });
	assert.deepEqual(JSON.parse(list.text), { steps: ['Eins', 'Zwei'] });
	assert.deepEqual(set(json, '{}\n', 'json', { steps: 'Eins' }).refused, ['steps']);
	const fresh = set(json, '', 'json', { 'files.also': 'Zu' });
	assert.deepEqual(JSON.parse(fresh.text), { files: { also: 'Zu' } });
	assert.deepEqual(set(json, '{}\n', 'json', { 'files.gone': 'x' }), {
		text: '{}\n',
		refused: ['files.gone'],
	});
});

test('YAML: files with their language at the root, quotes and blocks', () => {
	const source = 'en:\n  title: Main title\n  text: |\n    Two\n    lines\n  last: Last words\n';
	const target = "de:\n  title: 'Alter Titel' # Rest\n  text: |\n    Zwei\n    Zeilen\n";
	const made = set(source, target, 'yaml', { title: 'Neuer: Titel', last: 'Letzte Worte' });
	assert.equal(
		made.text,
		"de:\n  title: 'Neuer: Titel' # Rest\n  text: |\n    Zwei\n    Zeilen\n  last: Letzte Worte\n",
	);
	const block = set(source, target, 'yaml', { text: 'Eine Zeile' });
	assert.match(block.text, /title: 'Alter Titel' # Rest\n {2}text: /);
	assert.match(block.text, /Eine Zeile/);
	assert.doesNotMatch(block.text, /Zwei/);
});

test('gettext: a message that a person has seen to is fuzzy no more, and plural forms come together', () => {
	const head = 'msgid ""\nmsgstr ""\n"Language: ru\\n"\n\n';
	const source = `${head}msgid "Open it"\nmsgstr ""\n\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n`;
	const target = `${head}#, fuzzy\nmsgid "Open it"\nmsgstr "Auf"\n`;
	const one = set(source, target, 'po', { 'Open it': 'Öffnen' }, 'ru');
	assert.equal(one.text, `${head}msgid "Open it"\nmsgstr "Öffnen"\n`);
	const forms = { '%d file.0': '%d A', '%d file.1': '%d B', '%d file.2': '%d C' };
	const all = set(source, target, 'po', forms, 'ru');
	assert.deepEqual(all.refused, []);
	assert.match(all.text, /msgstr\[0\] "%d A"\nmsgstr\[1\] "%d B"\nmsgstr\[2\] "%d C"/);
	assert.match(all.text, /#, fuzzy\nmsgid "Open it"\nmsgstr "Auf"/);
});

test('properties, Apple strings, Android and .NET resources: changed, added, escaped as the format wants', () => {
	const properties = 'open=Open it\nclose=Close it\n';
	assert.equal(
		set(properties, 'open=Auf damit\n', 'properties', { open: 'Öffnen', close: 'Schließen' }).text,
		'open=\\u00d6ffnen\nclose=Schlie\\u00dfen\n',
	);
	const strings = '"open" = "Open it";\n"close" = "Close it";\n';
	assert.equal(
		set(strings, '"open" = "Auf damit";\n', 'strings', { open: 'Öffne "es"' }).text,
		'"open" = "Öffne \\"es\\"";\n',
	);
	const android =
		'<?xml version="1.0" encoding="utf-8"?>\n<resources>\n    <string name="open">Open it</string>\n    <string name="close">Close it</string>\n</resources>\n';
	const made = set(android, '', 'android', { close: "Mach's zu & fertig" }).text;
	assert.match(made, /<resources>\n {4}<string name="close">Mach\\'s zu &amp; fertig<\/string>/);
	assert.doesNotMatch(made, /"open"/);
});

test('what a program could not use is said beside the file, which has it all the same', async () => {
	const source = '{"gone": "The file {name} is gone"}';
	const done = await runDocumentJob(
		{
			...{ fileName: 'en.json', text: source, target: '{}', to: 'de' },
			set: [{ key: 'gone', text: 'Die Datei ist weg' }],
		},
		{ detect: () => Promise.reject(new Error()), translate: () => Promise.reject(new Error()) },
	);
	assert.equal(done.type, 'set');
	if (done.type !== 'set') return;
	assert.deepEqual(JSON.parse(done.result.text), { gone: 'Die Datei ist weg' });
	assert.deepEqual(done.result.faults, [{ key: 'gone', fault: '{name} is missing' }]);
});

test('an array of Android comes into a new file with all of its texts, or not at all', () => {
	const source =
		'<resources>\n<string name="a">Hello you</string>\n<string-array name="l">\n<item>One</item>\n<item>12</item>\n<item>Two</item>\n</string-array>\n</resources>\n';
	const set = (...keys: readonly string[]) =>
		setMessages(source, '', 'android', 'de', new Map(keys.map((key) => [key, 'Neu'])));
	assert.deepEqual(set('l.0'), { text: '', refused: ['l.0'] });
	const { text, refused } = set('a', 'l.2');
	assert.equal(text, '<resources>\n<string name="a">Neu</string>\n</resources>\n');
	assert.deepEqual(refused, ['l.2']);
	assert.match(set('l.0', 'l.2').text, /<item>Neu<\/item>\n<item>12<\/item>\n<item>Neu<\/item>/);
});
