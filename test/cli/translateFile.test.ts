/** One file: what goes to standard output in which encoding, and what counts as a failure for every command. */

import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, beforeEach, test } from 'node:test';
import type { CommandIo } from '../../server/cli/command.ts';
import { ProjectRecord } from '../../server/cli/projectRecord.ts';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { translateArchive } from '../../server/cli/translateArchive.ts';
import { translateCheck } from '../../server/cli/translateCheck.ts';
import { translateFile, translateInto } from '../../server/cli/translateFile.ts';
import { translateProject } from '../../server/cli/translateProject.ts';
import type { TextTranslator } from '../../server/translate/documents/documentLanguage.ts';
import { needsFileLinks } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { zipOf } from '../support/zipOf.ts';
import { contentTypes, textsOf } from '../translate/documents/officeFiles.ts';

const start = process.cwd();
beforeEach(async () => {
	const folder = temporaryFolder('file');
	await mkdir(join(folder, '.git'));
	process.chdir(folder);
});
after(() => process.chdir(start));

class Screen extends Writable {
	bytes = Buffer.alloc(0);
	isTTY = false;
	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.bytes = Buffer.concat([this.bytes, chunk]);
		done();
	}
}

function newIo(isTerminal = false) {
	const [out, err] = [new Screen(), new Screen()];
	out.isTTY = isTerminal;
	const io = {
		...{ stdout: new TerminalWriter(out), stderr: new TerminalWriter(err) },
		...{ stdin: process.stdin, env: {}, signal: new AbortController().signal },
	} satisfies CommandIo;
	return { io, out, err };
}

/** Writes in capitals; of texts with `lose` nothing is left. */
const translatorInto = (): TextTranslator => ({
	detect: async (texts) =>
		texts.map(() => ({ language: 'en', score: 1, isSupported: true, alternatives: [] })),
	translate: async (texts) =>
		texts.map((text) => (text.includes('lose') ? 'X' : text.toUpperCase())),
});

async function toOutput(path: string, { encoding = '', isTerminal = false } = {}) {
	const { io, out, err } = newIo(isTerminal);
	const files = { path, out: undefined, force: false, ...(encoding ? { encoding } : {}) };
	const code = await translateFile(files, { targets: ['de'], from: 'fr' }, translatorInto, io);
	return { code, bytes: out.bytes, err: err.bytes.toString() };
}

test('a page goes to standard output in the encoding that it says, as into a file', async () => {
	const latin = (charset: string, words: string) =>
		Buffer.from(`<meta charset="${charset}"><p>${words}</p>\n`, 'latin1');
	await writeFile('a.html', latin('ISO-8859-1', 'Le caf\xe9'));
	const page = await toOutput('a.html');
	assert.deepEqual([page.code, page.bytes], [0, latin('ISO-8859-1', 'LE CAF\xc9')], page.err);
	const japanese = Buffer.from('\x83\x65\x83\x58\x83\x67', 'latin1');
	const sjis = Buffer.concat([Buffer.from('<meta charset=shift_jis><p>abc '), japanese]);
	await writeFile('b.html', sjis);
	const { bytes } = await toOutput('b.html');
	assert.ok(bytes.includes(japanese), bytes.toString('latin1'));
	assert.match(bytes.toString('latin1'), /charset=shift_jis><p>ABC /);
	// A terminal shows letters.
	const shown = await toOutput('a.html', { isTerminal: true });
	assert.match(shown.bytes.toString(), /LE CAFÉ/);
});

test('what a page says of its encoding is true once a person has named another one', async () => {
	await writeFile('a.html', Buffer.from('<meta charset="utf-8"><p>Le caf\xe9</p>', 'latin1'));
	const page = await toOutput('a.html', { encoding: 'windows-1252' });
	assert.equal(page.bytes.toString('latin1'), '<meta charset="windows-1252"><p>LE CAF\xc9</p>');
	await writeFile('b.html', '<meta charset="iso-8859-1"><p>Le café</p>');
	const utf8 = await toOutput('b.html');
	assert.equal(utf8.bytes.toString(), '<meta charset="UTF-8"><p>LE CAFÉ</p>');
});

const left = 'Open it.\n\nDo not lose {name} now.\n';
const lost = 'Do not lose {name} now.\n';

async function ofFile(path: string) {
	const { io, err } = newIo();
	const files = { path, out: `out-${path}`, force: true };
	const code = await translateFile(files, { targets: ['de'], from: 'en' }, translatorInto, io);
	return { code, err: err.bytes.toString() };
}

async function ofFolder(names: readonly string[], into?: string) {
	const { io, err } = newIo();
	const options = {
		...{ names, targets: ['de'], from: 'en', force: false, watch: false },
		...(into === undefined ? {} : { into }),
		translators: async () => translatorInto,
	};
	return { code: await translateProject(options, io), err: err.bytes.toString() };
}

async function checked(accepts = false) {
	const { io, out } = newIo();
	const options = { names: ['.'], targets: [], format: 'text', accepts } as const;
	const code = await translateCheck(options, await ProjectRecord.open('.'), io);
	return { code, out: out.bytes.toString() };
}

test('a text that is refused is no failure of a command, and what a check tells of', async () => {
	await writeFile('a.md', left);
	assert.equal((await ofFile('a.md')).code, 0);
	await mkdir('docs');
	await writeFile('docs/a.md', left);
	await writeFile('docs/b.md', 'Open it.\n');
	const first = await ofFolder(['docs']);
	assert.equal(first.code, 0);
	assert.match(first.err, /2 of 2 translated, 1 of these with texts that stayed as they were;/);
	const second = await ofFolder(['docs']);
	assert.equal(second.code, 0);
	assert.match(
		second.err,
		/0 of 2 translated, 2 up to date, 1 of these with texts that stayed as they were;/,
	);
	const found = await checked();
	assert.equal(found.code, 1);
	assert.equal(
		found.out,
		'docs/a.de.md:1: missing: 1 text has no translation, but stayed as in docs/a.md (de)\n',
	);
	// Who changes the translation, or accepts it, has seen to that.
	await writeFile('docs/a.de.md', 'OPEN IT.\n\nVerlier {name} jetzt nicht.\n');
	assert.equal((await checked()).code, 0);
	assert.doesNotMatch((await ofFolder(['docs'])).err, /stayed/);
	await writeFile('docs/a.de.md', 'OPEN IT.\n\nDo not lose {name} now.\n');
	assert.equal((await checked()).code, 1);
	assert.equal((await checked(true)).code, 0);
	assert.equal((await checked()).code, 0);
});

test('messages of which some are refused are no failure either, and stay missing', async () => {
	await mkdir('l');
	await writeFile('l/en.json', '{"a": "Open it", "b": "Do not lose {name}"}');
	await writeFile('l/de.json', '{}');
	const { io } = newIo();
	const files = { path: 'l/en.json', target: 'l/de.json' };
	assert.equal(await translateInto(files, { to: 'de', from: 'en' }, translatorInto, io), 0);
	assert.deepEqual(JSON.parse(await readFile('l/de.json', 'utf8')), { a: 'OPEN IT' });
	await writeFile('l/de.json', '{}');
	const made = await ofFolder(['l/en.json'], 'l');
	assert.equal(made.code, 0, made.err);
	const found = await checked();
	assert.deepEqual([found.code, found.out.includes('missing: b')], [1, true], found.out);
});

test('a file of which no text can be translated has failed, and nothing is written', async () => {
	await writeFile('a.md', lost);
	const one = await ofFile('a.md');
	assert.equal(one.code, 1);
	assert.match(one.err, /^a\.md: no text could be translated, so nothing is written$/m);
	await assert.rejects(readFile('out-a.md'), { code: 'ENOENT' });
	const many = await ofFolder(['a.md', 'a.md']);
	assert.equal(many.code, 1);
	assert.match(many.err, /^a\.md: no text could be translated, so nothing is written$/m);
	await mkdir('l');
	await writeFile('l/en.json', '{"b": "Do not lose {name}"}');
	await writeFile('l/de.json', '{}');
	const { io } = newIo();
	const files = { path: 'l/en.json', target: 'l/de.json' };
	assert.equal(await translateInto(files, { to: 'de', from: 'en' }, translatorInto, io), 1);
	assert.equal((await ofFolder(['l/en.json'], 'l')).code, 1);
});

test('files that fail are no files that are up to date, and files in the language already are not translated', async () => {
	await mkdir('d');
	await writeFile('d/a.md', 'Open it.\n');
	assert.equal((await ofFolder(['d'])).code, 0);
	await writeFile('d/b.md', lost);
	const made = await ofFolder(['d']);
	assert.match(made.err, /^0 of 2 translated, 1 up to date, 1 failed;/m);
});

test('a link out of the project is not written through where nobody has named its end', {
	skip: needsFileLinks,
}, async () => {
	const outside = join(temporaryFolder('outside'), 'x');
	await symlink(outside, 'guide.de.docx');
	await symlink(outside, 'de.json');
	await writeFile('guide.docx', '');
	await writeFile('en.json', '{"a":"Open the file"}');
	const { io } = newIo();
	const refused = /de\.(?:docx|json) cannot be written: a link there leads out of /;
	const file = { path: 'guide.docx', out: undefined, force: false };
	await assert.rejects(translateArchive(file, { targets: ['de'] }, translatorInto, io), refused);
	const into = translateInto(
		{ path: 'en.json', target: 'de.json' },
		{ to: 'de' },
		translatorInto,
		io,
	);
	await assert.rejects(into, refused);
	await assert.rejects(readFile(outside), { code: 'ENOENT' });
});

test('cells that formulas compare with stay, and are counted and named', async () => {
	const workbook = {
		'[Content_Types].xml': contentTypes,
		'xl/workbook.xml': '<workbook/>',
		'xl/sharedStrings.xml':
			'<sst><si><t>Paid in full</t></si><si><t>Open</t></si><si><t>Some words</t></si></sst>',
		'xl/worksheets/sheet1.xml':
			'<worksheet><sheetData><c t="str"><f>IF(A1="paid in full",1,COUNTIF(A:A,"Open"))</f><v>1</v></c></sheetData></worksheet>',
	};
	await writeFile('a.xlsx', await zipOf(workbook));
	const { io, err } = newIo();
	const files = { path: 'a.xlsx', out: 'b.xlsx', force: false };
	assert.equal(
		await translateArchive(files, { targets: ['de'], from: 'en' }, translatorInto, io),
		0,
	);
	const parts = await textsOf(await readFile('b.xlsx'), 'b.xlsx');
	assert.match(parts.get('xl/sharedStrings.xml') ?? '', />Paid in full<.*>Open<.*>SOME WORDS</);
	const counts = '2 × left as it was: formulas, filters or tables compare with it';
	assert.equal(
		err.bytes.toString(),
		`b.xlsx: 1 of 1 text translated from English\n${counts} (de)\n  Paid in full\n  Open\n`,
	);
	// The same of many files.
	await mkdir('books');
	await writeFile('books/a.xlsx', await zipOf(workbook));
	const many = newIo();
	const options = { names: ['books'], targets: ['de'], from: 'en', force: false, watch: false };
	assert.equal(
		await translateProject({ ...options, translators: async () => translatorInto }, many.io),
		0,
	);
	assert.ok(many.err.bytes.toString().includes(`\n  ${counts}: Paid in full, Open\n`));
});
