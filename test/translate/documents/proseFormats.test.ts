/** Notebooks, reStructuredText, AsciiDoc, tables: words change, what they are written in does not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableLanguages } from '../../../server/translate/documents/csvDocument.ts';
import { shouted } from './shouted.ts';

test('notebooks: Markdown cells, in the form they had; code and outputs stay', async () => {
	const source = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# The title\\n",
    "\\n",
    "Some **bold** words"
   ]
  },
  {
   "cell_type": "code",
   "outputs": [{"text": ["Some output"]}],
   "source": ["# Some remark\\n", "print('words')"]
  },
  {"cell_type": "markdown", "source": "One line of words"}
 ],
 "nbformat": 4
}
`;
	const { text } = await shouted('a.ipynb', source);
	assert.equal(
		text,
		source
			.replace('# The title', '# THE TITLE')
			.replace('Some **bold** words', 'SOME **BOLD** WORDS')
			.replace('One line of words', 'ONE LINE OF WORDS'),
	);
	await assert.rejects(shouted('a.ipynb', '{"cells": ['), /damaged/);
});

test('reStructuredText: titles with their lines, notes, lists, links; code and tables stay', async () => {
	const source = `=========
The title
=========

Some words with \`\`code\`\`, a \`link <https://a.b>\`_, :ref:\`target\` and *more*
on a second line.

A part
------

.. note:: Read this
   before you go.

.. code-block:: python

   words = "not these"

.. |name| replace:: not these

.. _target:

* First item
  goes on
* Second item::

    literal words

term
    Meaning of it

=====  =====
Col A  Col B
=====  =====
cell   more
=====  =====

.. [1] A footnote here
`;
	const { text, asked, refused } = await shouted('a.rst', source);
	assert.deepEqual(refused, []);
	assert.ok(
		asked.includes(
			'Some words with <t1/>, a <t2>link</t2>, <t3/> and <t4>more</t4> on a second line.',
		),
		asked.join('\n'),
	);
	assert.ok(
		text.startsWith(
			'=========\nTHE TITLE\n=========\n\nSOME WORDS WITH ``code``, A `LINK <https://a.b>`_, :ref:`target` AND *MORE*',
		),
		text,
	);
	assert.match(text, /\nA PART\n-{6}\n/);
	assert.match(
		text,
		/\.\. note:: READ THIS BEFORE YOU GO\.|\.\. note:: READ THIS\n {3}BEFORE YOU GO\./,
	);
	assert.match(text, /words = "not these"\n\n\.\. \|name\| replace:: not these\n\n\.\. _target:\n/);
	assert.match(text, /\* FIRST ITEM(?:\n {2}| )GOES ON\n\* SECOND ITEM::\n\n {4}literal words\n/);
	assert.match(text, /TERM\n {4}MEANING OF IT\n/);
	assert.match(text, /Col A {2}Col B\n===== {2}=====\ncell {3}more\n/);
	assert.match(text, /\.\. \[1\] A FOOTNOTE HERE\n$/);
	const longer = await shouted('a.rst', 'A part\n------\n\nWords.\n', {}, (one) => `${one} of it`);
	assert.match(longer.text, /^A part of it\n-{12}\n/);
});

test('AsciiDoc: titles, notes, lists, cells, links; code, attributes and macros stay', async () => {
	const source = `= The title
Ann Person <ann@a.b>
:toc: left

== A part

Some *bold* words with \`code\`, link:a.html[a link] and {attr}.
Second line here. +
Third line here.

NOTE: Read this first.

[source,java]
----
String words = "not these";
----

.Title of the list
* First item
** Second item
term:: Meaning of it

[cols="1,2"]
|===
|Column one |Column two
|a cell|more words
|===

// not this remark
image::a.png[A picture]
`;
	const { text, asked, refused } = await shouted('a.adoc', source);
	assert.deepEqual(refused, []);
	assert.ok(
		asked.includes(
			'Some <t1>bold</t1> words with <t2/>, <t3>a link</t3> and <t4/>. Second line here.',
		),
		asked.join('\n'),
	);
	assert.ok(
		text.startsWith(
			'= THE TITLE\nAnn Person <ann@a.b>\n:toc: left\n\n== A PART\n\nSOME *BOLD* WORDS WITH `code`, link:a.html[A LINK] AND {attr}.',
		),
		text,
	);
	assert.match(text, /SECOND LINE HERE\. \+\nTHIRD LINE HERE\.\n/);
	assert.match(text, /NOTE: READ THIS FIRST\./);
	assert.match(text, /String words = "not these";/);
	assert.match(
		text,
		/\n\.TITLE OF THE LIST\n\* FIRST ITEM\n\*\* SECOND ITEM\nTERM:: MEANING OF IT\n/,
	);
	assert.match(text, /\|COLUMN ONE \|COLUMN TWO\n\|A CELL\|MORE WORDS\n\|===/);
	assert.match(text, /\/\/ not this remark\nimage::a\.png\[A PICTURE\]\n$/);
});

test('AsciiDoc: lines that are kept apart stay apart', async () => {
	const verse = '[verse]\n____\nFirst line\nSecond line\n\nThird line\n____\n';
	const source = `${verse}\nSome words\nand more\n\n[%hardbreaks]\nOne line\nAnother line\n`;
	const { text, asked } = await shouted('a.adoc', source);
	assert.deepEqual(asked, [
		'First line',
		'Second line',
		'Third line',
		'Some words and more',
		'One line',
		'Another line',
	]);
	assert.match(text, /^\[verse\]\n____\nFIRST LINE\nSECOND LINE\n\nTHIRD LINE\n____\n/);
	assert.match(text, /\[%hardbreaks\]\nONE LINE\nANOTHER LINE\n$/);
});

test('CSV: no translation becomes a formula that was none', async () => {
	const source = 'en\nOpen the file\n=1+words\n';
	const { text, refused } = await shouted(
		'a.csv',
		source,
		{ columns: ['en'] },
		(words) => `=${words}`,
	);
	assert.equal(text, 'en\nOpen the file\n==1+words\n');
	assert.deepEqual(refused, ['Open the file']);
	// Spreadsheets of East Asia read the wide signs, too; a list stays one.
	const list = 'en\n- Open the file\nClose the file\n';
	const made = async (change: (words: string) => string) =>
		(await shouted('a.csv', list, { columns: ['en'] }, change)).text;
	assert.equal(await made((words) => words.toUpperCase()), 'en\n- OPEN THE FILE\nCLOSE THE FILE\n');
	for (const sign of ['＝', '＠', '=', '+'])
		assert.equal(await made((words) => words.replace(/- Open|Close/, `${sign}OTHER`)), list, sign);
});

test('CSV: a first line that says the delimiter is none of its rows', async () => {
	for (const eol of ['\n', '\r\n'])
		for (const mark of ['', '\ufeff']) {
			const lines = (text: string) => mark + text.replaceAll('\n', eol);
			const source = lines('sep=;\nkey;en;de\na;Open it, now;\n');
			const { text, refused } = await shouted('a.csv', source);
			assert.equal(text, lines('sep=;\nkey;en;de\na;Open it, now;OPEN IT, NOW\n'));
			assert.deepEqual([refused, tableLanguages(source, false)], [[], ['de']]);
		}
	// A column may be called so.
	const { text } = await shouted('a.csv', 'sep=x,en\na,Open it\n', { columns: ['en'] });
	assert.equal(text, 'sep=x,en\na,OPEN IT\n');
});

test('CSV: what a quote that is not closed swallows stays, and is named', async () => {
	for (const [source, columns] of [
		['key,en,de\na,"Open the file\nb,Close it\n', undefined],
		['key,en,de\na,"Open the ""file\nb,Close it\n', ['en']],
	] as const) {
		const { text, refused } = await shouted('a.csv', source, columns ? { columns } : {});
		assert.deepEqual([text, refused.length], [source, 1]);
	}
	const whole = await shouted('a.csv', 'key,en,de\na,"Open the ""file"""\n');
	assert.equal(whole.text, 'key,en,de\na,"Open the ""file""","OPEN THE ""FILE"""\n');
});

test('CSV: named columns in place, or the empty cells of a language', async () => {
	const source =
		'id;Name;"Text ""here"""\r\n1;Ann Person;"Some; ""words"""\r\n2;Bob;More words\r\n';
	const { text } = await shouted('a.csv', source, { columns: ['text "here"'] });
	assert.equal(
		text,
		'id;Name;"Text ""here"""\r\n1;Ann Person;"SOME; ""WORDS"""\r\n2;Bob;MORE WORDS\r\n',
	);
	const table =
		'key,en,de,fr\na.b,Open the file,,Ouvrir\nc.d,"Save, now",Speichern,\ne,Some words,"",\n';
	const filled = await shouted('a.csv', table);
	assert.equal(
		filled.text,
		'key,en,de,fr\na.b,Open the file,OPEN THE FILE,Ouvrir\nc.d,"Save, now",Speichern,\ne,Some words,SOME WORDS,\n',
	);
	assert.equal(
		(await shouted('a.tsv', 'a\tb\nx\tSome words\n', { columns: ['b'] })).text,
		'a\tb\nx\tSOME WORDS\n',
	);
	await assert.rejects(shouted('a.csv', source), /--column NAME.*The columns are: id, Name/);
	await assert.rejects(shouted('a.csv', source, { columns: ['none'] }), /no column "none"/);
	await assert.rejects(
		shouted('a.md', '# Some words\n', { columns: ['a'] }),
		/a\.md has no columns/,
	);
});

test('reStructuredText: links that others refer to by their words stay, and so do directives in items', async () => {
	const source = `:orphan:

Issues
\`\`\`\`\`\`

See \`the guide <https://a.b>\`_ and \`Other part\`_, or pkg.name_ at https://c.d/e here.

Other part
----------

- .. versionadded:: 3.18
    Some words
- the guide_ is good, as is \`the guide\`_

.. _pkg.name: https://x.y
`;
	const { text, refused } = await shouted('a.rst', source);
	assert.deepEqual(refused, []);
	assert.equal(
		text,
		source
			.replace('Issues', 'ISSUES')
			.replace('Other part\n', 'OTHER PART\n')
			.replace('See `', 'SEE `')
			.replace('_ and `', '_ AND `')
			.replace(', or pkg', ', OR PKG')
			.replace('PKG.name_ at https://c.d/e here', 'pkg.name_ AT https://c.d/e HERE')
			.replace('- the guide_ is good, as is', '- THE guide_ IS GOOD, AS IS'),
	);
});

test('AsciiDoc: the words of a link are told from its address', async () => {
	const { text, refused } = await shouted(
		'a.adoc',
		'See link:license.txt[license] and link:b.c[GitHub].\n',
	);
	assert.deepEqual(refused, []);
	assert.equal(text, 'SEE link:license.txt[LICENSE] AND link:b.c[GITHUB].\n');
});

test('words without blanks between them keep apart from marks, as reStructuredText and AsciiDoc need it', async () => {
	const japanese = (text: string) =>
		text
			.split(/(<[^<>]*>|`[^`]*`+|\s+)/)
			.filter((part) => part.trim() !== '')
			.map((part) => (/^[<`]/.test(part) ? part : '語'.repeat(part.length)))
			.join('');
	const inRst = await shouted('a.rst', 'Use ``a`` and **b** here, see Foo_ now.\n', {}, japanese);
	assert.equal(inRst.text.replace(/語+/g, '語'), '語\\ ``a``\\ 語\\ **b**\\ 語\\ Foo_\\ 語\n');
	assert.deepEqual(inRst.refused, []);
	const inAsciiDoc = await shouted('a.adoc', 'Use *bold words* with `code` now.\n', {}, japanese);
	assert.equal(inAsciiDoc.text.replace(/語+/g, '語'), '語**語**語``code``語\n');
	assert.deepEqual(inAsciiDoc.refused, []);
	// What letters touch in the source is no mark there either.
	const power = await shouted('a.rst', 'See x**2 + y**2 in mathematics.\n');
	assert.match(power.text, /\*\*2 \+ Y\*\*2|\*\*2 \+ y\*\*2/);
	// A backslash of the model's would take a mark its meaning.
	const slashed = await shouted(
		'a.rst',
		'See the example::\n\n  code\n',
		{},
		(text) => `${text}\\`,
	);
	assert.equal(slashed.text, 'See the example::\n\n  code\n');
});

test('AsciiDoc: a plus in a word and the plus of a list between lines are no marks', async () => {
	const source = '1. Open the entry (or press Ctrl+N). This appears:\n+\n.The title\n';
	const { text, refused } = await shouted('a.adoc', source);
	assert.equal(text.toUpperCase(), source.toUpperCase());
	assert.match(text, /OPEN THE ENTRY/);
	assert.deepEqual(refused, []);
});

test('reStructuredText: who, when and which version stay, what a field tells in words does not', async () => {
	const kept =
		':Author: Ada Lovelace\n:Address: 12 Long Street\n    London\n:Status: Work in progress\n:orphan:\n';
	const told = ':Abstract: What this paper is about.\n:param name: The name of the thing\n';
	const { text, refused } = await shouted('a.rst', `Title\n=====\n\n${kept}${told}\nWords.\n`);
	assert.deepEqual(refused, []);
	assert.ok(text.includes(kept), text);
	assert.match(text, /^:Abstract: WHAT THIS PAPER IS ABOUT\.$/m);
	assert.match(text, /^:param name: THE NAME OF THE THING$/m);
	assert.match(text, /^WORDS\.$/m);
});

test('reStructuredText: what pictures say and what code is called is translated', async () => {
	const source = `.. figure:: a.png
   :scale: 50 %
   :alt: A red house

   The caption.

.. |logo| image:: b.png
   :alt: Our logo

.. code-block:: python
   :caption: The first lines

   x = 1
   :alt: no option

.. image:: c.png
   :alt: Words that go on
      on a second line
`;
	const { text, refused } = await shouted('a.rst', source);
	assert.deepEqual(refused, []);
	assert.equal(
		text,
		['A red house', 'The caption.', 'Our logo', 'The first lines'].reduce(
			(made, words) => made.replace(words, words.toUpperCase()),
			source,
		),
	);
});

test('reStructuredText: options keep their lines and their names', async () => {
	const source = `Some words.

-a FILE   Write to it
-b        Read from it,
          then go on
--long, --other=NAME  Be loud
/V  Say more
--alone
    What it does

The words -x and --y stay in a sentence.
`;
	const { text } = await shouted('a.rst', source);
	assert.equal(
		text,
		source
			.replace('it,\n          then', 'it, then')
			.replace(
				/Some words|Write to it|Read from it,|then go on|Be loud|Say more|What it does|The words|and|stay in a sentence|-x|--y/g,
				(words) => words.toUpperCase(),
			),
	);
});

test('AsciiDoc: a line under a title gets its length, and opens no code', async () => {
	const longer = (text: string) => text.toUpperCase().replace('TITLE', 'LONG TITLE');
	const { text } = await shouted(
		'a.adoc',
		'The title\n=========\nA Name\n\nSome words\n\nThe title\n---------\n\nWords\n\n----\nsome code\n----\n\nTitle\n~~~~~~\nWords\n',
		{},
		longer,
	);
	assert.equal(
		text,
		'THE LONG TITLE\n==============\nA Name\n\nSOME WORDS\n\nTHE LONG TITLE\n--------------\n\nWORDS\n\n----\nsome code\n----\n\nLONG TITLE\n~~~~~~~~~~\nWORDS\n',
	);
	const quoted = await shouted('a.adoc', 'Some "`curly words`" and \'`single ones`\' here.\n');
	assert.equal(quoted.text, 'SOME "`CURLY WORDS`" AND \'`SINGLE ONES`\' HERE.\n');
});

test('reStructuredText: the title of a table of contents is translated, its options stay', async () => {
	const source = '.. contents:: On this page\n   :local:\n   :depth: 2\n\nWords here.\n';
	const { text } = await shouted('a.rst', source);
	assert.equal(
		text,
		source.replace('On this page', 'ON THIS PAGE').replace('Words here', 'WORDS HERE'),
	);
});
