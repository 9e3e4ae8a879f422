/** The gate of every format: what a careless model answers is never written. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';
import { gateFault } from '../../../server/translate/gate/gate.ts';
import { gateRules } from '../../../server/translate/gate/gateRules.ts';

async function translated(text: string, fileName: string, answer: (text: string) => string) {
	const extract = formatOf(fileName);
	assert.ok(extract);
	return translatePieces(text, extract, async (texts) => texts.map(answer), 'de');
}

const samples: Readonly<Record<string, string>> = {
	'a.json': '{"a": "Hello {name}, 100%% done", "b": ["Some words", 3], "c": {"d": "More words"}}\n',
	'a.yml': 'a: Hello %{name}\nb:\n  - Some words # note\n  - 3\nc: |\n  More words\n',
	'a.properties': 'a = Hello {0}\nb: Some words\n',
	'a.po': 'msgid ""\nmsgstr "Language: \\n"\n\n#, c-format\nmsgid "100%% of %s"\nmsgstr ""\n',
	'a.srt': '1\n00:00:01,000 --> 00:00:02,500\n- <i>Open the file.</i>\n- {\\an8}Save it.\n',
	'a.html': '<p>Click <b>Save</b> to <a href="x">go</a>.</p><ul><li>One item</li></ul>\n',
	'a.xlf':
		'<xliff><file target-language="it"><trans-unit><source>Some <g id="1">words</g></source></trans-unit></file></xliff>',
};

const careless: readonly ((text: string) => string)[] = [
	(text) => text.replace(/<[^>]*>/g, ''),
	(text) => text.replace(/<(\w+)>([^<]*)<\/\1>/g, '<$1></$1>$2'),
	(text) => text.replace(/%%/g, '%'),
	(text) => text.replace(/[{%][^ ]*/g, 'x'),
	(text) => `{${text}`,
	(text) => `${text}</p><script>`,
	(text) => `"${text}\n\n- [a: b\\`,
	() => '',
	// Not seen, and no part of the file's syntax for most readers.
	(text) => text.replace(' ', '\0 '),
	(text) => `\u202e${text}`,
];

test('whatever a model answers, the syntax of every format is what it was', async () => {
	const rules = {
		...{ json: gateRules.json, yml: gateRules.yaml, properties: gateRules.properties },
		...{ po: gateRules.po, srt: gateRules.subtitles, html: gateRules.html, xlf: gateRules.xliff },
	};
	for (const [fileName, source] of Object.entries(samples))
		for (const answer of careless) {
			const { text } = await translated(source, fileName, answer);
			const { nodes } = rules[fileName.slice(2) as keyof typeof rules];
			const syntax = (one: string) => nodes?.(one)?.map(({ node }) => node);
			assert.deepEqual(syntax(text), syntax(source), `${fileName} ${answer}`);
			// A translation stands beside its source in some formats.
			assert.ok(text.split('%%').length >= source.split('%%').length, `${fileName} ${answer}`);
			assert.doesNotMatch(text, /100% /, fileName);
		}
});

test('what speakers say in a subtitle stays apart, and marks stay where they are', async () => {
	const { text } = await translated(samples['a.srt'] ?? '', 'a.srt', (one) =>
		one.toUpperCase().replaceAll('I>', 'i>'),
	);
	assert.match(text, /\n- <i>OPEN THE FILE\.<\/i>\n- \{\\an8\}SAVE IT\.\n/);
});

test('a document names the language it is in now', async () => {
	const mark = (text: string) => `«${text}»`;
	const xliff = await translated(samples['a.xlf'] ?? '', 'a.xlf', mark);
	assert.match(xliff.text, /target-language="de"/);
	const filled = (samples['a.xlf'] ?? '').replace('</source>', '</source><target>Testo</target>');
	await assert.rejects(translated(filled, 'a.xlf', mark), /translations into Italian/);
	const po = await translated(samples['a.po'] ?? '', 'a.po', mark);
	assert.match(po.text, /Language: de\\n/);
});

test('a backslash does not take the end of an element away', async () => {
	const text = '#### .color <sup>get words</sup>\n\nSome <b>words</b> here.\n';
	const { text: made } = await translated(text, 'a.md', (own) => own.replace(/words/, 'WORDS\\'));
	assert.equal(made.match(/(?<!\\)<\//g)?.length, 2, made);
});

test('characters that nobody sees are not added, in branches of messages neither', async () => {
	for (const letter of ['\0', '\x1b', '\u202e', '\u2066', '\u2028', '\ud800']) {
		for (const [name, text] of [
			['a.md', 'Some words.\n'],
			['a.json', '{"a": "{n, plural, one {One file} other {# files}}"}'],
		] as const)
			assert.ok(!(await translated(text, name, (own) => own + letter)).text.includes(letter), name);
	}
	const kept = await translated('Some \u2066words\u2069.\n', 'a.md', (own) => own.toUpperCase());
	assert.equal(kept.text, 'SOME \u2066WORDS\u2069.\n');
});

test('a fault of a translation is told', () => {
	assert.equal(gateFault('a {b}', 'a {b}', {}), undefined);
	assert.equal(gateFault('a {b}', 'a', {}), "'{b}' would be lost");
	assert.equal(gateFault('a', 'a {b}', {}), "'{b}' would be added");
	assert.equal(
		gateFault('100%% of %s', '100% von %s', { conversions: true }),
		"'%%' would be lost",
	);
	assert.equal(gateFault('words', ' ', {}), 'nothing is left of it');
	assert.equal(gateFault('a', 'a*', { delimiters: '*' }), "'*' would be added");
});

test('a translation that loses a sentence or the words around its tokens is not written', async () => {
	const rules = gateRules.plainText;
	const source = 'Save it now, please. And open the next file. $a$ :smile: @user #12';
	assert.equal(
		gateFault(source, 'Jetzt sichern. Nächste Datei. $a$ :smile: @user #12', rules),
		undefined,
	);
	assert.equal(gateFault(source, '$a$ :smile: @user #12', rules), 'words would be lost');
	assert.equal(
		gateFault(source, 'Jetzt bitte. $a$ :smile: @user #12', rules),
		'words would be lost',
	);
	assert.match(
		gateFault(source, source.replace('And', 'Und').replace('@user', '@er'), rules) ?? '',
		/@/,
	);
	assert.equal(gateFault('the {0}', '{0}', {}), undefined, 'articles may go');
	assert.equal(
		gateFault('Open the file and close the window of it.', '打开文件并关闭其窗口。', {}),
		undefined,
	);
	for (const name of ['a.md', 'a.txt']) {
		const text = 'Save it. $a$ :smile: @user\n';
		const answer = (own: string) => own.replace('@user', '@er').replace('Save it', 'Sichern');
		const { text: made } = await translated(text, name, answer);
		assert.match(made, /\$a\$ :smile: @user\n$/, name);
	}
});

test('a bracket that is lost beside its partner is a fault in markup', () => {
	for (const rules of [gateRules.markdown, gateRules.asciiDoc]) {
		const fault = (made: string) => gateFault('See [this one] here', made, rules);
		assert.match(fault('Siehe diese] hier') ?? '', /'\[\]' would not be closed/);
		assert.match(fault('Siehe [diese hier') ?? '', /'\[\]' would not be closed/);
		assert.equal(fault('Siehe [diese] hier'), undefined);
		assert.equal(fault('Siehe diese hier'), undefined);
	}
});
