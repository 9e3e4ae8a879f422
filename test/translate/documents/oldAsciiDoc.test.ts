/** AsciiDoc of the older kind, with underlined titles, and pages of manuals. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shouted } from './shouted.ts';

const upper = (source: string, words: readonly string[]) =>
	words.reduce((made, one) => made.replace(one, one.toUpperCase()), source);

test('in documents with underlined titles quotes are marks, and what they hold of commands stays', async () => {
	const source = `The title
=========

Call 'git add' with '<file>', *not* 'the others', and \`code\` as \`\`quoted words'' or \`single ones'.
It's the users' own.
`;
	const { text, asked, refused } = await shouted('a.adoc', source);
	assert.deepEqual(refused, []);
	assert.equal(
		asked[1],
		"Call <t1>git add</t1> with <t2/>, <t3>not</t3> <t4>the others</t4>, and <t5/> as <t6>quoted words</t6> or <t7>single ones</t7>. It's the users' own.",
	);
	assert.equal(
		text,
		`THE TITLE
=========

CALL 'GIT ADD' WITH '<file>', *NOT* 'THE OTHERS', AND \`code\` AS \`\`QUOTED WORDS'' OR \`SINGLE ONES'.
IT'S THE USERS' OWN.
`,
	);
});

test('a page of a manual keeps its title, its name and its synopsis', async () => {
	const source = `pack-it(1)
==========

NAME
----
pack-it - Put things together

SYNOPSIS
--------
[verse]
'pack it' [--verbose | -v] [<file>...]
'pack it' --help

DESCRIPTION
-----------
With 'pack it' things are put together; see 'pack-it' again.

-v::
--verbose::
	Say more.

[verse]
A line of words
Another line
`;
	const { text, refused } = await shouted('a.adoc', source);
	assert.deepEqual(refused, []);
	assert.equal(
		text,
		upper(source, [
			'Put things together',
			'With ',
			' things are put together; see ',
			' again.',
			'Say more.',
			'A line of words',
			'Another line',
		]),
	);
	const modern = `= pack-it(1)\n\n== Name\n\npack-it - Put things together\n\n== Synopsis\n\n*pack-it* [_OPTION_]... _FILE_\n\n== Description\n\nIt's 'good' work.\n`;
	const made = await shouted('a.adoc', modern);
	assert.equal(
		made.text,
		upper(modern, ['Name', 'Put things together', 'Synopsis', 'Description', "It's 'good' work."]),
	);
});

test('the words of a link whose address is in an attribute move with it', async () => {
	const source = 'See {url}[the words], {base}/a/{b}.html[more words] and {name} [not these].\n';
	const { text, asked } = await shouted('a.adoc', source);
	assert.deepEqual(asked, ['See <t1>the words</t1>, <t2>more words</t2> and <t3/> [not these].']);
	assert.equal(
		text,
		'SEE {url}[THE WORDS], {base}/a/{b}.html[MORE WORDS] AND {name} [NOT THESE].\n',
	);
});

test('what stands in a listing makes no document one of the older kind', async () => {
	const words = `= A title

Call it "\`quoted words\`" or 'words' that are said.
`;
	const listings = [
		'----\ndef a\nend\n----\n',
		'----\nfor a in b; do\n\ndone\n----\n',
		'[source,python]\n----\ndef a():\n    x\n\npass\n----\n',
		'----\na\n\nexit\n----\n\n----\nb\n\nend\n----\n',
		'------\nend\n----\nreturn\n------\n',
		"....\nShe said\n\n``some words''\n....\n",
		'```ruby\nName\n----\n```\n',
		'////\nName\n----\n////\n',
		'+++++\n:compat-mode:\n+++++\n',
		// A paragraph is no title, and what it ends before is a listing.
		'Call first one and then\nmake\n----\nend\n----\n',
	];
	for (const listing of listings) {
		const { asked } = await shouted('a.adoc', `${words}\n${listing}`);
		assert.ok(
			asked.some((text) => /quoted words.*'words' that/.test(text)),
			listing,
		);
	}
	const old = [
		'The title\n=========\n',
		'[[a]]\nThe part\n--------\n',
		'// A remark\nThe part\n~~~~~~~~\n',
		'----\nend\n----\nThe part\n^^^^^^^^\n',
		':compat-mode:\n\nSome words.\n',
		"Say ``it'' again.\n",
	];
	for (const title of old) {
		const { asked } = await shouted('a.adoc', `${title}\nCall it 'words' that are said.\n`);
		assert.ok(asked.includes('Call it <t1>words</t1> that are said.'), `${title}${asked}`);
	}
});
