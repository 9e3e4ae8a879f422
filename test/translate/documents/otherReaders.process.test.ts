/** Results as the programs read them that these files are for: gettext's own check, and the compiler of MDX. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { compile } from '@mdx-js/mdx';
import { sameConversions } from '../../../server/translate/documents/placeholders.ts';
import { poEntries, poFault } from '../../../server/translate/documents/poEntries.ts';
import { shouted } from './shouted.ts';

const po = `msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: \\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

#, c-format
msgid "100%% done, %d of %s files\\n"
msgstr ""

#, c-format
msgid "One file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

#, python-format
msgid "Hello %(name)s, a \\"quoted\\" word"
msgstr ""

#, python-brace-format
msgid "\\nOpen {file} now\\n"
msgstr ""

msgctxt "menu"
msgid "Tab\\there"
msgstr ""

#~ msgid "old"
#~ msgstr "alt"
`;

const careless: readonly ((text: string) => string)[] = [
	(text) => text.toUpperCase(),
	(text) => text.replaceAll('%%', '%'),
	(text) => text.replace(/%[ds]/g, '%x'),
	(text) => `${text}\n`,
	(text) => `"${text}\\`,
	(text) => text.split(' ').reverse().join(' '),
];

const hasMsgfmt = spawnSync('msgfmt', ['--version']).status === 0;

test('gettext finds no fault in what was translated, whatever a model answered', async () => {
	for (const to of ['de', 'pl', 'ja'])
		for (const answer of careless) {
			const { text } = await shouted('a.po', po, { to }, answer);
			assert.equal(poFault(text), undefined);
			for (const { id, plural, strings, flags } of poEntries(text))
				for (const { text: made } of id.text === '' ? [] : strings) {
					if (made === '') continue;
					assert.equal(made.startsWith('\n'), id.text.startsWith('\n'));
					assert.equal(made.endsWith('\n'), id.text.endsWith('\n'));
					if (flags?.includes('c-format') && !plural)
						assert.ok(sameConversions(id.text, made), made);
				}
			// A template in which nothing was translated still is one.
			if (!hasMsgfmt || text === po) continue;
			// What is fuzzy is checked as well when it counts.
			const options = ['--check', '--use-fuzzy', '-o', '/dev/null', '-'];
			const headed = text.replace(
				'"Content-Type',
				'"Project-Id-Version: a\\n"\n"PO-Revision-Date: 2024-01-01 00:00+0000\\n"\n"Last-Translator: A <a@b.c>\\n"\n"Language-Team: a <a@b.c>\\n"\n"MIME-Version: 1.0\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n"Content-Type',
			);
			const { status, stderr } = spawnSync('msgfmt', options, { input: headed, encoding: 'utf8' });
			assert.equal(status, 0, `${to} ${answer}\n${stderr}\n${headed}`);
		}
});

const mdx = `---
title: The guide
---

import { Tip } from './tip'

export const count = 3

# The title {count}

<Tip kind="info" title="A short tip">
Save the **file** first, then \`run {it}\`.
</Tip>

- One <b>item</b> of {count + 1}
- {/* a remark */} Two items

| One | Two |
| --- | --- |
| a <br /> b | {count} |

Some words[^1] and a [link](https://a.b/c "Its title").

[^1]: The note.
`;

test('MDX can be compiled after it was translated, whatever a model answered', async () => {
	await compile(mdx);
	const answers: readonly ((text: string) => string)[] = [
		(text) => text.replace(/Save|words/g, 'Worte'),
		(text) => `{${text}`,
		(text) => `<${text}>`,
		(text) => `${text}</b>`,
		(text) => `import ${text}`,
		(text) => `export ${text} {`,
		(text) => text.replace(/<[^>]*>/g, ''),
		(text) => text.split(' ').reverse().join(' '),
	];
	for (const answer of answers) {
		const { text } = await shouted('a.mdx', mdx, {}, answer);
		await assert.doesNotReject(compile(text), `${answer}\n${text}`);
	}
});
