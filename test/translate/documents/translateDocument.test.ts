/** Documents of every format: what is found, what comes out, and that the rest stays as it was. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moreFormats } from '../../../server/translate/documents/moreFormats.ts';
import { splice } from '../../../server/translate/documents/piece.ts';
import {
	documentFormats,
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';

const identity = async (texts: readonly string[]) => texts;
const mark = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);

const samples: Record<string, string> = {
	md: `---
title: Keep me
author: Ada Keep
---
# The **title** of it #

A paragraph with \`code\`, a [link](docs/a.md "Title") and
a second line.  
After a hard break.

- one item
- [ ] a task
  with a continuation
1. first

> quoted words
> over two lines

\`\`\`js
const keep = 'me';
\`\`\`

    indented code

| Name | What it does |
|:-----|-------------:|
| \`a\`  | opens \\| closes |

<div>
keep html
</div>

![A picture](a.png)

[ref]: https://example.com
`,
	mdx: `import { Chart } from './chart.js';
export const meta = {
	title: 'Not for readers',
};

# The first page

Import the file and <Chart label="x">read **this**</Chart> now, {props.name}.

{/* A remark */}

export function Part() {
	return <p>Not for translators</p>;
}

The end.
`,
	json: `{
	// a comment
	"greeting": "Hello {name}, you have %d new messages",
	"label": "Name: ",
	"url": "https://example.com/a",
	"nested": { "list": ["First entry", 3, null] },
	"@greeting": { "description": "not for readers" },
	"escaped": "A \\"quoted\\" word\\n and more",
}
`,
	properties: `# comment stays
title = The main title
long.key: a value \\
    that goes on
umlaut=Stra\\u00dfe entlang
empty=
! another comment
key\\ with\\ space tabs and words
`,
	po: `# header
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:3
msgid "Open the file"
msgstr ""

msgid "Ends with a break\\n"
msgstr ""

msgid "Already done"
msgstr "Schon fertig"

msgid ""
"Two lines of %s\\n"
"and more"
msgstr ""

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
`,
	srt: `1
00:00:01,000 --> 00:00:02,500
Ask not what your country
can do for you.

2
00:00:03,000 --> 00:00:04,000
12
`,
	vtt: `WEBVTT

NOTE keep this note

intro
00:01.000 --> 00:02.000 align:start
<v Anna>Good morning</v>
`,
	html: '<p>One <b>bold</b> line</p>\n',
	yml: 'a: Some words # note\n',
	xlf: '<xliff><file><trans-unit><source>Some words</source></trans-unit></file></xliff>',
	txt: 'One line.\n\n\tAnother line.  \n12\n',
};

test('a translation that changes nothing leaves every byte of every format as it was', async () => {
	for (const [ending, given] of Object.entries(samples)) {
		// Short messages may be right as they are.
		const sample = given.replace(/^(msgid(?:_plural)? ")(?=[^"])/gm, '$1Some more words before: ');
		for (const text of [sample, sample.replaceAll('\n', '\r\n'), sample.trimEnd()]) {
			const extract = formatOf(`a.${ending}`);
			assert.ok(extract, ending);
			const { text: result, refused } = await translatePieces(text, extract, identity);
			assert.equal(result, text, ending);
			assert.deepEqual(refused, [], ending);
		}
	}
});

test('Markdown: words of headings, paragraphs, items, quotes and cells; structure stays', async () => {
	const { text } = await translatePieces(samples['md'] ?? '', formatOf('README.md')!, mark);
	assert.match(
		text,
		/^---\ntitle: «Keep me»\nauthor: Ada Keep\n---\n# «The \*\*title\*\* of it» #\n/,
	);
	assert.match(
		text,
		/«A paragraph with `code`, a \[link\]\(docs\/a\.md "«Title»"\) and\na second line\.»/,
	);
	assert.match(text, / {2}\n«After a hard break\.»\n/);
	assert.match(text, /- «one item»\n- \[ \] «a task with a continuation»\n1\. «first»\n/);
	assert.match(text, /> «quoted words over two lines»\n/);
	assert.match(text, /const keep = 'me';/);
	assert.match(text, /\n {4}indented code\n/);
	assert.match(
		text,
		/\| «Name» \| «What it does» \|\n\|:-----\|-------------:\|\n\| `a` {2}\| «opens \\\| closes» \|/,
	);
	assert.match(text, /<div>\n«keep html»\n<\/div>/);
	assert.match(text, /!\[«A picture»\]\(a\.png\)/);
	assert.match(text, /\[ref\]: https:\/\/example\.com\n$/);
});

test('JSON: values are escaped again; keys, comments, addresses and ARB notes stay', async () => {
	const quote = async (texts: readonly string[]) => texts.map((text) => `${text} "neu"`);
	const { text } = await translatePieces(samples['json'] ?? '', formatOf('de.json')!, quote);
	assert.match(text, /"greeting": "Hello \{name\}, you have %d new messages \\"neu\\""/);
	assert.match(text, /"url": "https:\/\/example\.com\/a"/);
	assert.match(text, /\["First entry \\"neu\\"", 3, null\]/);
	assert.match(text, /"description": "not for readers"/);
	assert.match(text, /\/\/ a comment/);
});

test('a translation that loses a placeholder is refused and told', async () => {
	const lose = async (texts: readonly string[]) =>
		texts.map((text) => text.replace('{name}', 'Name'));
	const result = await translatePieces(samples['json'] ?? '', formatOf('de.json')!, lose);
	assert.deepEqual(result.refused, ['Hello {name}, you have %d new messages']);
	assert.match(result.text, /"Hello \{name\}, you have/);
	const icu = '{"n": "{count, plural, one {# file} other {# files}}"}';
	const branching = await translatePieces(icu, formatOf('a.json')!, mark);
	assert.equal(branching.text, icu);
	assert.equal(branching.refused.length, 1);
});

test('a translation that loses a link or a mark is made again in parts', async () => {
	const source = 'Read the [manual](a.md) **now** please.\n';
	const calls: string[][] = [];
	const careless = async (texts: readonly string[]) => {
		calls.push([...texts]);
		return texts.map((text) => text.replace(/[[\]*]|\(a\.md\)/g, '').toUpperCase());
	};
	const { text, refused } = await translatePieces(source, formatOf('a.md')!, careless);
	assert.equal(text, 'READ THE [MANUAL](a.md) **NOW** PLEASE.\n');
	assert.deepEqual(refused, []);
	assert.equal(calls.length, 2);
});

test('.properties, .po, subtitles: escapes, headers, plurals and times', async () => {
	const properties = await translatePieces(
		samples['properties'] ?? '',
		formatOf('a.properties')!,
		mark,
	);
	assert.match(properties.text, /title = \\u00abThe main title\\u00bb\n/);
	assert.match(properties.text, /long\.key: \\u00aba value that goes on\\u00bb\n/);
	assert.match(properties.text, /# comment stays\n/);
	const po = await translatePieces(samples['po'] ?? '', formatOf('de.po')!, mark);
	assert.match(po.text, /msgid "Open the file"\nmsgstr "«Open the file»"\n/);
	assert.match(po.text, /msgstr "«Ends with a break»\\n"/);
	assert.match(po.text, /msgstr "Schon fertig"/);
	assert.match(po.text, /msgstr ""\n"«Two lines of %s\\n"\n"and more»"\n/);
	assert.match(po.text, /msgstr\[0\] ""/);
	assert.match(po.text, /^# header\nmsgid ""\nmsgstr ""\n"Content-Type/);
	const srt = await translatePieces(samples['srt'] ?? '', formatOf('a.srt')!, mark);
	assert.match(srt.text, /00:00:02,500\n«Ask not what your\s+country\s+can do for you\.»\n\n2\n/);
	const vtt = await translatePieces(samples['vtt'] ?? '', formatOf('a.vtt')!, async (texts) =>
		texts.map((text) => text.replace('Good morning', 'Guten Morgen')),
	);
	assert.match(vtt.text, /<v Anna>Guten Morgen<\/v>/);
});

test('subtitles: sounds stand alone, names of speakers and signs of music stay', async () => {
	const cue = (words: string) => `1\n00:00:01,000 --> 00:00:02,500\n${words}\n`;
	for (const [words, asked, made] of [
		['[DOOR CLOSES]\nWhere is she?', ['DOOR CLOSES', 'Where is she?'], '[1]\n2'],
		['JOHN: Where is\nshe now?', ['Where is she now?'], 'JOHN: 1'],
		['MARY: Here.\nMR. B (quietly): There.', ['Here.', 'There.'], 'MARY: 1\nMR. B (quietly): 2'],
		['{\\an8}>> ANN: <i>Go</i> on.', ['<i>Go</i> on.'], '{\\an8}>> ANN: 1'],
		['(distant music\nand steps)', ['distant music and steps'], '(1)'],
		['♪ Sing a song ♪', ['Sing a song'], '♪ 1 ♪'],
		['<i>[DOOR]</i>\nWait for me', ['<i>[DOOR]</i>', 'Wait for me'], '1\n2'],
		['Note: this is\nno name', ['Note: this is no name'], '1'],
		['[A] and [B]', ['[A] and [B]'], '1'],
	] as const) {
		const pieces = formatOf('a.srt')!(cue(words));
		assert.deepEqual(
			pieces.map(({ text }) => text),
			asked,
		);
		const numbers = pieces.map((_, index) => String(index + 1));
		assert.equal(splice(cue(words), pieces, numbers), cue(made));
	}
});

test('emphasis and links move with their words, each mark once', async () => {
	const asked: string[] = [];
	const swap = async (texts: readonly string[]) => {
		asked.push(...texts);
		// Another language puts the words in another order.
		return texts.map((text) =>
			text.replace(/^Read (<t1>.*<\/t1>) and (<t2>.*<\/t2>)\.$/, '$2 und $1 lesen.'),
		);
	};
	const source = 'Read **the file** and [the `a b` list](a.md "T").\n';
	const { text, refused } = await translatePieces(source, formatOf('a.md')!, swap);
	assert.deepEqual(asked, ['Read <t1>the file</t1> and <t2>the `a b` list</t2>.']);
	assert.equal(text, '[the `a b` list](a.md "T") und **the file** lesen.\n');
	assert.deepEqual(refused, []);
	const crossed = async (texts: readonly string[]) =>
		texts.map((one) => (one.includes('<t1>') ? '<t1>a <t2>b</t1> `a b` c</t2>' : one));
	const kept = await translatePieces(source, formatOf('a.md')!, crossed);
	assert.equal(kept.text, source, 'crossed marks are made again in parts');
});

test('MDX: code between the paragraphs stays, and only there', async () => {
	const { text } = await translatePieces(samples['mdx'] ?? '', formatOf('a.mdx')!, async (texts) =>
		texts.map((one) => one.replace('first page', 'erste Seite').replace('Import', 'Importiere')),
	);
	assert.match(text, /^# The erste Seite$/m);
	assert.match(
		text,
		/^Importiere the file and <Chart label="x">read \*\*this\*\*<\/Chart> now, \{props\.name\}\.$/m,
	);
	assert.match(text, /title: 'Not for readers',/);
	assert.match(text, /<p>Not for translators<\/p>/);
});

test('every format has a sample, and other files have none', () => {
	const used = new Set(Object.keys(samples).map((ending) => documentFormats[ending]));
	// The others have their samples in softwareFormats.test.ts and proseFormats.test.ts.
	const others = new Set(Object.values(moreFormats));
	for (const extract of Object.values(documentFormats))
		assert.ok(used.has(extract) || others.has(extract));
	assert.equal(formatOf('a.exe'), undefined);
	assert.equal(formatOf('a.constructor'), undefined);
});

test('subtitles with times of any writing, and cues without an empty line between them', async () => {
	const text =
		'1\n00:00:06 --> 00:00:07,5\nOne word\n\n2\n0:0:8,5-->0:0:9\nTwo words\n3\n00:00:10,000 --> 00:00:11,000\nOther words\n00:00:12,000 --> 00:00:13,000\nLast words\n';
	const srt = formatOf('a.srt') ?? assert.fail();
	const { text: made, refused } = await translatePieces(text, srt, mark);
	assert.deepEqual(refused, []);
	assert.equal(
		made,
		text
			.replace('One word', '«One word»')
			.replace('Two words', '«Two words»')
			.replace('Other words', '«Other words»')
			.replace('Last words', '«Last words»'),
	);
});
