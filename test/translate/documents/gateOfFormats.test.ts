/** Every format of a row of its own in the gate: what careless models answer never changes its syntax. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FluentParser, Message } from '@fluent/syntax';
import { parse as parseToml } from 'smol-toml';
import {
	documentFormats,
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';
import { readXml } from '../../../server/translate/documents/xmlTree.ts';

/** Whether a text of the format can be read, by a reader that is not the product's where there is one. */
type Read = (text: string) => unknown;

const fluent: Read = (text) => {
	const { body } = new FluentParser().parse(text);
	return body.map((entry) => {
		if (!(entry instanceof Message)) throw new Error(`no message: ${entry.type}`);
		return entry.id.name;
	});
};
const keysOf = (value: unknown): unknown =>
	typeof value === 'string'
		? 'text'
		: value && typeof value === 'object' && !(value instanceof Date)
			? Object.entries(value).map(([key, inner]) => [key, keysOf(inner)])
			: String(value);
const lines =
	(head: RegExp): Read =>
	(text) =>
		text.split('\n').map((line) => head.exec(line)?.[0]);
const xml: Read = (text) => {
	readXml(text);
	return (text.match(/<[^<>]*>/g) ?? [])
		.filter((tag) => !/numerusform|^<\/?translation/.test(tag))
		.sort();
};

const samples: readonly (readonly [string, string, Read])[] = [
	[
		'a.toml',
		'title = "Some words"\n[a.b]\nx = ["One item", \'Two items\']\nd = 2024-01-01\nm = """\nMore words"""\n',
		(text) => keysOf(parseToml(text)),
	],
	[
		'a.ftl',
		'hello = Hello { $name }, you are\n    welcome here\nfiles = { $n ->\n    [one] One file\n   *[other] { $n } files\n }\n    .title = Some words\n',
		fluent,
	],
	[
		'a.strings',
		'/* remark */\n"a b" = "Hello %@, 100%% of %d";\nkey = "Some \\"words\\"";\n',
		(text) => text.match(/^\S.*?=/gm),
	],
	[
		'a.stringsdict',
		'<plist><dict><key>n</key><dict><key>NSStringLocalizedFormatKey</key><string>You have %#@n@ here</string><key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>one</key><string>%d file</string><key>other</key><string>%d files</string></dict></dict></dict></plist>',
		xml,
	],
	[
		'a.xcstrings',
		'{"sourceLanguage":"en","strings":{"Open %@":{},"Some words":{"localizations":{"fr":{"stringUnit":{"state":"translated","value":"Mots"}}}}},"version":"1.0"}',
		(text) => Object.keys((JSON.parse(text) as { strings: object }).strings),
	],
	[
		'strings.xml',
		'<resources><string name="a">Open <b>%1$s</b> and don\\\'t <xliff:g id="x">Bob</xliff:g></string><plurals name="p"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals></resources>',
		xml,
	],
	[
		'a.resx',
		'<root><data name="a"><value>Hello {0}</value></data><data name="b"><value>Some words</value></data></root>',
		xml,
	],
	[
		'a.ts',
		'<TS version="2.1"><context><message><source>Open %1 &amp; go</source><translation type="unfinished"></translation></message><message numerus="yes"><source>%n file(s)</source><translation type="unfinished"/></message></context></TS>',
		xml,
	],
	[
		'a.php',
		"<?php\n// words\nreturn ['a' => 'Hello :name', \"b\" => \"It's {$x} here\", 'c' => ['Some words', 3]];\n",
		(text) => text.match(/[a-z]['"] =>|\$\w+|3/g),
	],
	[
		'a.csv',
		'id,en,de\n1,Some words,\n2,"Open, then close",\n',
		(text) =>
			text
				.replace(/"(?:[^"]|"")*"/g, '')
				.split('\n')
				.map((row) => row.split(',').length),
	],
	[
		'a.rst',
		'Title\n=====\n\nSome ``code`` and :ref:`x` *words* here_.\n\n.. note:: Read this.\n\n- One item\n',
		lines(/^\s*(?:[-*+|]|\.\.|==)?/),
	],
	[
		'a.adoc',
		'= Title\n\nSome `code` and *words* here, see <<x>>.\n\nNOTE: Read this.\n\n* One item\n',
		lines(/^\s*(?:[-*+.|]|==)?/),
	],
	[
		'a.ipynb',
		'{"cells":[{"cell_type":"markdown","metadata":{},"source":["# Title\\n","Some `code` and *words*"]},{"cell_type":"code","metadata":{},"outputs":[],"source":["x = 1"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
		(text) => keysOf({ ...(JSON.parse(text) as object) }),
	],
];

const careless: readonly ((text: string) => string)[] = [
	(text) => text.replace(/<[^>]*>/g, ''),
	(text) => text.replace(/[{%:][^ ]*/g, 'x'),
	(text) => text.replace(/%%/g, '%'),
	(text) => `{${text}`,
	(text) => `* ${text}*`,
	(text) => `${text}</string></value><x>`,
	(text) => `"${text}'\n\n- [a: b\\`,
	(text) => `${text}" | x_ `,
	(text) => `=${text}::`,
	(text) => `. ${text}\n.. note:: "`,
	() => '',
];

test('whatever a model answers, files of programs and markup can be read as before', async () => {
	for (const [fileName, source, read] of samples) {
		const format = formatOf(fileName, source);
		assert.ok(format, fileName);
		const {
			text: given,
			extract,
			close,
		} = format.open?.(source) ?? {
			text: source,
			extract: format,
			close: (made: string) => made,
		};
		assert.ok(extract.rules?.nodes, fileName);
		let changed = 0;
		for (const answer of [(text: string) => text.replace(/Some/g, 'Manche'), ...careless]) {
			const made = await translatePieces(given, extract, async (texts) => texts.map(answer), 'de');
			const text = close(made.text);
			assert.deepEqual(read(text), read(source), `${fileName} ${answer}\n${text}`);
			if (text !== source) changed++;
		}
		assert.ok(changed > 0, fileName);
	}
});

test('no format is without a row in the gate', () => {
	const without = Object.entries(documentFormats).filter(([, { rules, open }]) => !rules && !open);
	assert.deepEqual(
		without.map(([ending]) => ending),
		[],
	);
});
