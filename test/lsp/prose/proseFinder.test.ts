/** Finding prose without a built-in grammar, in slices, and while a document changes. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ProseFinder } from '../../../server/lsp/prose/proseFinder.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const folder = temporaryFolder('prose');

/** A grammar of a made-up language: `~` comments, `(~ … ~)` blocks, `"…"` strings. */
const grammar = {
	scopeName: 'source.wave',
	patterns: [
		{
			begin: '\\(~',
			end: '~\\)',
			name: 'comment.block.wave',
			beginCaptures: { 0: { name: 'punctuation.definition.comment.begin.wave' } },
			endCaptures: { 0: { name: 'punctuation.definition.comment.end.wave' } },
		},
		{
			match: '(~).*$',
			name: 'comment.line.wave',
			captures: { 1: { name: 'punctuation.definition.comment.wave' } },
		},
		{ match: '"[^"]*"(?=:)', name: 'string.quoted.wave support.type.property-name.wave' },
		{ begin: '"', end: '"', name: 'string.quoted.double.wave' },
	],
};

before(() => {
	writeFileSync(join(folder, 'wave.tmLanguage.json'), JSON.stringify(grammar));
	writeFileSync(join(folder, 'broken.json'), '{');
	writeFileSync(
		join(folder, 'language-configuration.json'),
		'{ // remark\n "comments": { "lineComment": { "comment": "!!" }, "blockComment": ["<:", ":>"] } }',
	);
});

let count = 0;
const open = (languageId: string, text: string) =>
	TextDocument.create(`file:///p${++count}`, languageId, 1, text);

async function found(finder: ProseFinder, document: TextDocument, from = 0, to?: number) {
	const text = document.getText();
	const prose = await finder.find(document, from, to ?? text.length);
	return prose.map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);
}

const wave = `"a key": do "not ~ a comment" ~ trailing words
(~ A block
   of two lines ~) more()
~ first line
~ second line
end
`;

test('a TextMate grammar of the editor finds comments and strings, blocks as one', async () => {
	const finder = new ProseFinder();
	const path = join(folder, 'wave.tmLanguage.json');
	finder.grammars.files = [{ languageId: 'wave', scopeName: 'source.wave', path }];
	for (const text of [wave, wave.replaceAll('\n', '\r\n')]) {
		const eol = text.includes('\r\n') ? '\r\n' : '\n';
		const document = open('wave', text);
		assert.deepEqual(await found(finder, document), [
			'string: "not ~ a comment"',
			'comment: ~ trailing words',
			`comment: (~ A block${eol}   of two lines ~)`,
			`comment: ~ first line${eol}~ second line`,
		]);
		const at = text.indexOf('of two');
		assert.deepEqual(await found(finder, document, at, at), [
			`comment: (~ A block${eol}   of two lines ~)`,
		]);
	}
});

test('after an edit only lines from the first changed one on are read anew', async () => {
	const finder = new ProseFinder();
	const path = join(folder, 'wave.tmLanguage.json');
	finder.grammars.files = [{ languageId: 'wave', scopeName: 'source.wave', path }];
	const document = open('wave', '~ one\nx\n(~ two ~)\n');
	assert.deepEqual(await found(finder, document), ['comment: ~ one', 'comment: (~ two ~)']);
	TextDocument.update(
		document,
		[{ range: { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } }, text: '(~' }],
		2,
	);
	assert.deepEqual(await found(finder, document), ['comment: ~ one', 'comment: (~\n(~ two ~)']);
});

test('without a grammar, markers are found outside of strings', async () => {
	const finder = new ProseFinder();
	const cases: [string, string, string[]][] = [
		[
			'lua',
			'local s = "not -- this" -- but this\n--[[ A block\nof two ]] x()\n',
			['string: "not -- this"', 'comment: -- but this', 'comment: --[[ A block\nof two ]]'],
		],
		[
			'kotlin',
			'val u = a // why\nval t = "http://x.org"\n',
			['comment: // why', 'string: "http://x.org"'],
		],
		['sql', "SELECT 'a--b' -- the name\n", ["string: 'a--b'", 'comment: -- the name']],
		['html', '<p>Text</p>\n<!-- A remark -->\n', ['comment: <!-- A remark -->']],
		['viml', "\" A remark\nlet a = 'x'\n", ['comment: " A remark', "string: 'x'"]],
		['toml', 'a = "b#c" # why\n', ['string: "b#c"', 'comment: # why']],
		['haskell', '{- Block -}\nx = 1 -- why\n', ['comment: {- Block -}', 'comment: -- why']],
		['bat', 'REM A remark\necho REMOVE\n', ['comment: REM A remark']],
		['unknown-language', '// nothing is known\n', []],
	];
	for (const [language, text, wanted] of cases)
		assert.deepEqual(await found(finder, open(language, text)), wanted, language);
});

test('markers of a language configuration are read where no table has any', async () => {
	const finder = new ProseFinder();
	const path = join(folder, 'language-configuration.json');
	finder.languages = [{ languageId: 'odd', path }];
	assert.deepEqual(await found(finder, open('odd', 'a !! one\n<: two\nthree :> b\n')), [
		'comment: !! one',
		'comment: <: two\nthree :>',
	]);
});

test('a grammar that cannot be read leaves its language to the markers', async () => {
	const finder = new ProseFinder();
	const path = join(folder, 'broken.json');
	finder.grammars.files = [{ languageId: 'lua', scopeName: 'source.broken', path }];
	assert.deepEqual(await found(finder, open('lua', 'x() -- why\n')), ['comment: -- why']);
});

test('a long document is parsed in slices, and others have their turn meanwhile', async () => {
	const finder = new ProseFinder();
	await found(finder, open('typescript', 'const a = 1;\n'));
	const text = '/** Says hello. */\nexport const a = { b: [1, 2, 3].map((n) => n * 2) };\n'.repeat(
		6000,
	);
	const document = open('typescript', text);
	let turns = 0;
	let isDone = false;
	const count = () => {
		turns++;
		if (!isDone) setImmediate(count);
	};
	setImmediate(count);
	const all = await finder.find(document, 0, text.length);
	isDone = true;
	assert.equal(all.length, 6000);
	assert.ok(turns > 5, `${turns} turns`);
});

test('a document that changes while it is parsed is looked at again', async () => {
	const finder = new ProseFinder();
	const text = `${'const a = [1, 2, 3];\n'.repeat(20_000)}// old\n`;
	const document = open('typescript', text);
	const running = finder.find(document, 0, 0);
	const start = document.positionAt(0);
	await new Promise((resolve) => setImmediate(resolve));
	TextDocument.update(document, [{ range: { start, end: start }, text: '// new\n' }], 2);
	await running;
	const end = document.getText().length;
	assert.deepEqual(await found(finder, document, 0, 3), ['comment: // new']);
	assert.deepEqual(await found(finder, document, end - 3, end), ['comment: // old']);
});

test('work that is no longer wanted ends at its next pause', async () => {
	const finder = new ProseFinder();
	await found(finder, open('typescript', 'const a = 1;\n'));
	const document = open('typescript', 'const a = [1, 2, { b: "c" }];\n'.repeat(40_000));
	const stop = new AbortController();
	const running = finder.find(document, 0, document.getText().length, stop.signal);
	setImmediate(() => stop.abort());
	await assert.rejects(running, (error: Error & { code?: string }) => error.code === 'cancelled');
});
