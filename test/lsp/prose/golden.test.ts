/**
 * Golden files: what is found in a real-world file of each language, and what comes out. The files are
 * written anew with UPDATE_GOLDEN=1; a person reads the difference.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { grammars } from '../../../server/lsp/prose/grammars.ts';
import { ProseFinder } from '../../../server/lsp/prose/proseFinder.ts';
import { translateRange } from '../../../server/lsp/prose/translateRange.ts';
import { inEnglish } from '../../translate/inEnglish.ts';

const folder = join(import.meta.dirname, '..', '..', 'fixtures', 'prose');
const golden = join(folder, 'golden');
const languages: Readonly<Record<string, string>> = {
	c: 'c',
	cpp: 'cpp',
	cs: 'csharp',
	css: 'css',
	go: 'go',
	ini: 'ini',
	java: 'java',
	js: 'javascript',
	kt: 'kotlin',
	lua: 'lua',
	php: 'php',
	ps1: 'powershell',
	py: 'python',
	rb: 'ruby',
	rs: 'rust',
	sh: 'shellscript',
	sql: 'sql',
	ts: 'typescript',
	tsx: 'typescriptreact',
	txt: 'plaintext',
	yaml: 'yaml',
};
const finder = new ProseFinder();
const files = readdirSync(folder).filter((file) => file.startsWith('sample.'));
let count = 0;

function open(file: string, text: string): TextDocument {
	const ending = file.split('.').at(-1) ?? '';
	return TextDocument.create(`file:///golden-${++count}`, languages[ending] ?? '', 1, text);
}

async function everything(document: TextDocument, change: (text: string) => string) {
	const end = document.getText().length;
	const translate = async (texts: readonly string[]) => texts.map(change);
	return translateRange(document, 0, end, finder, inEnglish(translate), 'de');
}

/** Ranges as lines `kind start-end: text`, then the file with its words in capitals. */
async function report(file: string): Promise<string> {
	const text = readFileSync(join(folder, file), 'utf8');
	const document = open(file, text);
	const found = await finder.find(document, 0, text.length);
	const rows = found.map(({ kind, start, end }) => {
		const [from, to] = [document.positionAt(start), document.positionAt(end)];
		const place = `${from.line + 1}:${from.character + 1}-${to.line + 1}:${to.character + 1}`;
		return `${kind} ${place} ${JSON.stringify(text.slice(start, end))}`;
	});
	const made = await everything(document, (words) => words.toUpperCase());
	return `${rows.join('\n')}\n${'-'.repeat(20)}\n${made}`;
}

test('every language of the grammars has a golden file', () => {
	const used = new Set(
		files.map((file) => grammars[languages[file.split('.').at(-1) ?? ''] ?? '']?.file),
	);
	for (const { file } of Object.values(grammars)) assert.ok(used.has(file), file);
});

for (const file of files) {
	test(`${file}: ranges and result are those of the golden file`, async () => {
		const made = await report(file);
		const path = join(golden, `${file}.golden`);
		if (process.env['UPDATE_GOLDEN'] || !existsSync(path)) {
			if (!process.env['UPDATE_GOLDEN'])
				assert.fail(`${path} is missing; run with UPDATE_GOLDEN=1`);
			writeFileSync(path, made);
		}
		assert.equal(made, readFileSync(path, 'utf8'));
	});
}

test('a translation that changes no word changes no byte: line ends, tabs, mixtures', async () => {
	const shapes: [string, (text: string) => string][] = [
		['as it is', (text) => text],
		['CRLF', (text) => text.replaceAll('\n', '\r\n')],
		['tabs', (text) => text.replace(/^(?: {4})+/gm, (space) => '\t'.repeat(space.length / 4))],
		['spaces', (text) => text.replaceAll('\t', '    ')],
		['mixed ends', (text) => text.replace(/\n/g, (end, at: number) => (at % 2 ? '\r\n' : end))],
		['trailing space', (text) => text.replaceAll('\n', ' \t\n')],
		['no last end', (text) => text.trimEnd()],
		['byte order mark', (text) => `\ufeff${text}`],
	];
	for (const file of files) {
		const source = readFileSync(join(folder, file), 'utf8');
		for (const [shape, reshape] of shapes) {
			const text = reshape(source);
			assert.equal(await everything(open(file, text), (same) => same), text, `${file}, ${shape}`);
		}
	}
});

test('CRLF stays CRLF when words change', async () => {
	for (const file of files) {
		const text = readFileSync(join(folder, file), 'utf8').replaceAll('\n', '\r\n');
		const made = await everything(open(file, text), (words) => `${words} and more words`);
		assert.equal(made.replaceAll('\r\n', '').includes('\n'), false, file);
	}
});
