/** YAML message files: values are found and written in the style of the author. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';

const yaml = formatOf('en.yml')!;
const file = `# comment stays
en:
  title: The main title   # trailing note
  hello: "Hello %{name},\\nwelcome"
  single: 'Don''t panic'
  base: &base "Shared words"
  again: *base
  flag: yes
  address: https://example.com/a
  ident: some.key.name
  count: 12
  list: [First entry, "Second entry"]
  literal: |-
    First line
      more indented
    last line

  folded: >
    A long paragraph that
    goes on.

    A second one.
  plain: some words
      that go on
---
other: More words
`;

test('YAML with a translation that changes nothing is the same, byte for byte', async () => {
	for (const text of [file, file.replaceAll('\n', '\r\n'), file.trimEnd(), 'a: [', '']) {
		const same = await translatePieces(text, yaml, async (texts) => texts, 'de');
		assert.equal(same.text, text);
	}
});

test('YAML: values keep their style; keys, comments, anchors and plain data stay', async () => {
	const mark = async (texts: readonly string[]) => texts.map((text) => `Ä ${text} Ü`);
	for (const eol of ['\n', '\r\n']) {
		const source = file.replaceAll('\n', eol);
		const { text, refused, pieces } = await translatePieces(source, yaml, mark, 'de');
		assert.equal(pieces, 10);
		assert.deepEqual(refused, []);
		assert.equal(text.replaceAll('\r\n', '\n').includes('\r'), false);
		assert.equal(
			text.replaceAll(eol, '\n'),
			file
				.replace('The main title', 'Ä The main title Ü')
				.replace('"Hello %{name},\\nwelcome"', '"Ä Hello %{name},\\nwelcome Ü"')
				.replace("'Don''t panic'", "'Ä Don''t panic Ü'")
				.replace('"Shared words"', '"Ä Shared words Ü"')
				.replace('[First entry, "Second entry"]', '[Ä First entry Ü, "Ä Second entry Ü"]')
				.replace('First line', 'Ä First line')
				.replace('last line', 'last line Ü')
				.replace(
					'A long paragraph that\n    goes on.\n\n    A second one.',
					'Ä A long paragraph that goes on.\n\n    A second one. Ü',
				)
				.replace('some words\n      that go on', 'Ä some words that go on Ü')
				.replace('More words', 'Ä More words Ü'),
		);
	}
});

test('YAML: a translation that its style cannot hold is quoted', async () => {
	for (const words of [
		'no',
		'a: b',
		'- x',
		'it # that',
		'"q" it',
		'a, b]',
		'@at',
		'0x1F',
		"l'été",
	]) {
		for (const source of ['a: some words\n', "a: 'some words'\n", 'a: >-\n  some words\n']) {
			const { text } = await translatePieces(source, yaml, async () => [words], 'it');
			assert.deepEqual(parse(text), { a: words }, text);
			assert.doesNotMatch(text, /^a: no$/m);
		}
		const { text } = await translatePieces('a: [some words]\n', yaml, async () => [words], 'it');
		assert.deepEqual(parse(text), { a: [words] });
	}
});
