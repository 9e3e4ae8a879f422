/** What of a document is translated, and that everything else stays byte for byte. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { commentMarkers } from '../../../server/lsp/prose/commentMarkers.ts';
import { grammars } from '../../../server/lsp/prose/grammars.ts';
import { ProseFinder } from '../../../server/lsp/prose/proseFinder.ts';
import { translateRange } from '../../../server/lsp/prose/translateRange.ts';
import { inEnglish } from '../../translate/inEnglish.ts';

const finder = new ProseFinder();
const identity = async (texts: readonly string[]) => texts;
const shout = async (texts: readonly string[]) => texts.map((text) => text.toUpperCase());

/** Real-world shapes of comments, one file per language. */
const samples: Record<string, string> = {
	typescript: `/**
 * Opens the file and reads its first line.
 *
 * @param path - the file to open, see \`readFile\`
 * @param {string} encoding how its bytes are read
 * @returns the line without its end
 * @example
 * read('a.txt')
 */
// eslint-disable-next-line no-console
export function read(path: string): string {
	// TODO(ann): handle directories as well,
	// which are not files.
	const message = "The file could not be opened.";
	return \`\${message} \${path}\`; // never empty
}
`,
	python: `#!/usr/bin/env python3
# Copyright 2020 Somebody
def read(path):
    """Open the file.

    The second paragraph is wrapped over
    two lines.

    :param path: where it is
    """
    return open(path)  # type: ignore
`,
	go: `// Package files reads files.
package files

//go:generate stringer
// Read returns the first line.
func Read() string { return "not found" }
`,
	rust: `/// Reads the first line.
/// - one item
/// - another item
fn read() { /* nothing to do */ }
`,
	c: `/* One line. */
int x; // the counter
/* Several
   lines without stars. */
`,
	cpp: '/// Brief text.\nclass A {}; //!< trailing text\n',
	csharp: '/// <summary>Reads a line.</summary>\nclass A { string s = "Not found."; }\n',
	java: '/** Says hello. */\nclass A { String s = "Hello there"; } // the end\n',
	ruby: '# frozen_string_literal: true\n# Says hello.\nputs "Hello there"\n',
	php: '<?php\n// Says hello.\n/* and more */\n$a = "Hello there";\n',
	powershell: '<#\n.SYNOPSIS\nSays hello.\n#>\n# one more\nWrite-Host "Hello there"\n',
	shellscript: '#!/bin/sh\n# Says hello to the user.\necho "Hello there"\n',
	css: '/* The main colour. */\na { content: "Hello there"; }\n',
	javascript: 'const a = "It is \\"quoted\\" here"; // why\n',
	typescriptreact: 'const a = <p>Hello {/* the name */}</p>;\n',
	ini: '; The main section\n[main]\nkey = value\n',
	lua: '-- Says hello.\n--- and more\nprint("Hello there")\n',
	yaml: '# The main key\nkey: value # not this\n',
	plaintext: 'One line.\n\n\tAnother line.  \n12\n',
	markdown: '# Title\n\nSome text.\n\n- an item\n',
};

const shapes: [string, (text: string) => string][] = [
	['LF', (text) => text],
	['CRLF', (text) => text.replaceAll('\n', '\r\n')],
	['tabs', (text) => text.replaceAll('    ', '\t')],
	['mixed ends', (text) => text.replace('\n', '\r\n')],
	['no last end', (text) => text.trimEnd()],
];

let count = 0;
function open(language: string, text: string): TextDocument {
	return TextDocument.create(`file:///sample-${++count}`, language, 1, text);
}

test('a translation that changes nothing leaves every byte of every language as it was', async () => {
	for (const [language, sample] of Object.entries(samples)) {
		for (const [shape, reshape] of shapes) {
			const text = reshape(sample);
			const document = open(language, text);
			const result = await translateRange(
				document,
				0,
				text.length,
				finder,
				inEnglish(identity),
				'de',
			);
			assert.equal(result, text, `${language}, ${shape}`);
		}
	}
});

test('every grammar and every table entry has a sample or a sibling with one', () => {
	const files = new Set(Object.keys(samples).map((language) => grammars[language]?.file));
	for (const use of Object.values(grammars)) assert.ok(files.has(use.file), use.file);
	assert.ok(Object.keys(samples).some((language) => commentMarkers[language] !== undefined));
});

test('words of comments change; tags, directives, code, licences and markers do not', async () => {
	const document = open('typescript', samples['typescript'] ?? '');
	const result = await translateRange(
		document,
		0,
		document.getText().length,
		finder,
		inEnglish(shout),
		'de',
	);
	assert.equal(
		result,
		`/**
 * OPENS THE FILE AND READS ITS FIRST LINE.
 *
 * @param path - THE FILE TO OPEN, SEE \`READFILE\`
 * @param {string} encoding HOW ITS BYTES ARE READ
 * @returns THE LINE WITHOUT ITS END
 * @example
 * read('a.txt')
 */
// eslint-disable-next-line no-console
export function read(path: string): string {
	// TODO(ann): HANDLE DIRECTORIES AS WELL, WHICH ARE NOT
	// FILES.
	const message = "The file could not be opened.";
	return \`\${message} \${path}\`; // NEVER EMPTY
}
`,
	);
});

test('a docstring keeps its indent and its fields', async () => {
	const text = samples['python'] ?? '';
	const document = open('python', text);
	const result = await translateRange(document, 0, text.length, finder, inEnglish(shout), 'de');
	assert.match(result, /# Copyright 2020 Somebody\n/);
	assert.match(result, /^#!\/usr\/bin\/env python3\n/);
	assert.match(
		result,
		/"""OPEN THE FILE\.\n\n {4}THE SECOND PARAGRAPH IS WRAPPED OVER TWO LINES\.\n|OVER\n {4}TWO LINES\./,
	);
	assert.match(result, / {4}:param path: WHERE IT IS\n {4}"""/);
	assert.match(result, /# type: ignore\n$/);
});

test('a selected string changes between its quotes, and new quotes are escaped', async () => {
	const text = `say("Hello there");`;
	const document = open('javascript', text);
	const quoted = async () => ['Ein "Hallo"'];
	assert.equal(
		await translateRange(document, 4, 17, finder, inEnglish(quoted), 'de'),
		'"Ein \\"Hallo\\""',
	);
	assert.equal(
		await translateRange(document, 0, text.length, finder, inEnglish(shout), 'de'),
		`say("HELLO THERE");`,
	);
});

test('a part of a comment is translated alone', async () => {
	const text = '// first words and last words\ncode();\n';
	const document = open('javascript', text);
	const from = text.indexOf('last');
	assert.equal(
		await translateRange(document, from, from + 10, finder, inEnglish(shout), 'de'),
		'LAST WORDS',
	);
});

test('a longer text is wrapped at the width the comment had', async () => {
	const text = `\t// ${'word '.repeat(10)}word\n\t// ${'word '.repeat(10)}word\nx();\n`;
	const document = open('javascript', text);
	const longer = async (texts: readonly string[]) =>
		texts.map((one) => one.replaceAll('word', 'longword'));
	const result = await translateRange(document, 0, text.length, finder, inEnglish(longer), 'de');
	const lines = result.split('\n');
	assert.equal(lines.at(-2), 'x();');
	for (const line of lines.slice(0, -2)) {
		assert.match(line, /^\t\/\/ \S/);
		assert.ok(line.length <= 62, line);
	}
	assert.equal(result.match(/longword/g)?.length, 22);
});

test('the cursor in a line comment means all the lines of the comment', async () => {
	const text = 'a();\n  // one\n  // two\n  // three\n// other column\nb();\n';
	const document = open('javascript', text);
	const offset = text.indexOf('two');
	const found = await finder.find(document, offset, offset);
	assert.deepEqual(
		found.map(({ start, end }) => text.slice(start, end)),
		['// one\n  // two\n  // three'],
	);
});

test('after an edit the tree follows the text', async () => {
	let document = open('typescript', 'const a = 1; // first\n');
	const all = async () => {
		const found = await finder.find(document, 0, document.getText().length);
		return found.map(({ start, end }) => document.getText().slice(start, end));
	};
	assert.deepEqual(await all(), ['// first']);
	document = TextDocument.update(
		document,
		[{ text: 'const b = "x y"; // second ünï\n/* third */' }],
		2,
	);
	assert.deepEqual(await all(), ['"x y"', '// second ünï', '/* third */']);
});
