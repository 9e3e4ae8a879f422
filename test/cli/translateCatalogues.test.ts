/** Tables with a column for each language, among many files: filled in place, checked, told of when they hold data. */

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { after, beforeEach, test } from 'node:test';
import type { CommandIo } from '../../server/cli/command.ts';
import { ProjectRecord } from '../../server/cli/projectRecord.ts';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { translateCheck } from '../../server/cli/translateCheck.ts';
import { translateProject } from '../../server/cli/translateProject.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const start = process.cwd();
after(() => process.chdir(start));
beforeEach(async () => {
	const folder = temporaryFolder('tables');
	await mkdir(join(folder, '.git'));
	process.chdir(folder);
});

const write = async (files: Readonly<Record<string, string | Uint8Array>>) => {
	for (const [path, text] of Object.entries(files)) {
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, text);
	}
};

class Screen extends Writable {
	text = '';
	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.text += chunk.toString();
		done();
	}
}

function newIo() {
	const [out, err] = [new Screen(), new Screen()];
	const io = {
		...{ stdout: new TerminalWriter(out), stderr: new TerminalWriter(err) },
		...{ stdin: process.stdin, env: {}, signal: new AbortController().signal },
	} satisfies CommandIo;
	return { io, out, err };
}

const shouted = (text: string) =>
	text.replace(/%\w|[^%]+/g, (part) =>
		part.length === 2 && part[0] === '%' ? part : part.toUpperCase(),
	);

async function translated(
	names: readonly string[],
	targets: readonly string[],
	answer: (text: string) => string = shouted,
	more: { readonly from?: string; readonly encoding?: string } = { from: 'en' },
) {
	const { io, err } = newIo();
	const asked: string[] = [];
	const translators = async () => () => ({
		// Of such short texts no detector knows better.
		detect: async (texts: readonly string[]) =>
			texts.map(() => ({ language: 'de', score: 1, alternatives: [], isSupported: true })),
		translate: async (texts: readonly string[]) => {
			asked.push(...texts);
			return texts.map(answer);
		},
	});
	const options = { names, targets, ...more, force: false, watch: false, translators };
	const code = await translateProject(options, io);
	return { code, asked, err: err.text };
}

async function checked(names: readonly string[], targets: readonly string[] = []) {
	const { io, out, err } = newIo();
	const record = await ProjectRecord.open('.');
	const options = { names, targets, format: 'text', accepts: false } as const;
	return { code: await translateCheck(options, record, io), out: out.text, err: err.text };
}

const table = 'id,en,de,fr\n1,Open the file,,Ouvrir le fichier\n2,"Save %d files, now",,\n';

test('a table with columns of languages is filled in place, language by language, and no second file is made', async () => {
	await write({ 'texts/app.csv': table });
	const made = await translated(['.'], ['de', 'fr']);
	assert.equal(made.code, 0, made.err);
	assert.equal(
		await readFile('texts/app.csv', 'utf8'),
		'id,en,de,fr\n1,Open the file,OPEN THE FILE,Ouvrir le fichier\n2,"Save %d files, now","SAVE %d FILES, NOW","SAVE %d FILES, NOW"\n',
	);
	const again = await translated(['.'], ['de', 'fr']);
	assert.deepEqual([again.code, again.asked], [0, []], again.err);
	assert.equal((await checked(['.'])).code, 0);
});

test('a check tells what a table lacks and which placeholders were lost, by line', async () => {
	await write({
		'app.csv': `${table}3,Close it,Schließen,Fermer\n`,
		'b.tsv': 'en\tde\nSave %d of %s\tSpeichere %s\nPut %s into %s\tIn %2$s kommt %1$s\n',
	});
	const { code, out } = await checked(['.']);
	assert.equal(code, 1);
	assert.deepEqual(out.trim().split('\n').sort(), [
		"app.csv:2: missing: 'Open the file' has no translation (de)",
		"app.csv:3: missing: 'Save %d files, now' has no translation (de)",
		"app.csv:3: missing: 'Save %d files, now' has no translation (fr)",
		"b.tsv:2: placeholder: %1$d %2$s is missing, %1$s is not in the source; the source is 'Save %d of %s' (de)",
	]);
});

test('tables of a folder that hold data are named and left; one that is named says what it lacks', async () => {
	await write({
		'a/data.csv': 'id,name,no,text\n1,Ann,5,Some words\n',
		'a/numbers.csv': 'AT,DE,FR\n1,2,3\n',
		'a/guide.md': 'Some words.\n',
	});
	const made = await translated(['a'], ['de']);
	assert.equal(made.code, 0, made.err);
	assert.deepEqual(made.asked, ['Some words.']);
	assert.match(
		made.err,
		/^2 skipped: tables without a column .*--column NAME:\n {2}a\/data\.csv\n {2}a\/numbers\.csv$/m,
	);
	const named = await translated(['a/data.csv', 'a/guide.md'], ['fr']);
	assert.equal(named.code, 1);
	assert.match(named.err, /Nobody said which column has words\. Name it: --column NAME/);
	await write({ 'c/app.csv': 'en,de\nSome words,\n' });
	const other = await translated(['c/app.csv', 'a/guide.md'], ['es']);
	assert.match(other.err, /There is no column "es" to be filled, and nobody said/);
});

test('a column of keys is no source, whichever language has its name as a code', async () => {
	await write({ 'app.csv': 'id,fr,de\nOuvre le,Ferme la porte,\n' });
	const made = await translated(['app.csv', '.'], ['de']);
	assert.deepEqual(made.asked, ['Ferme la porte'], made.err);
});

test('a pattern of catalogues, tables or documents alone is checked', async () => {
	const strings = { a: { localizations: { de: { stringUnit: { value: 'Auf' } } } }, 'Save it': {} };
	await write({
		'App/Main.xcstrings': JSON.stringify({ sourceLanguage: 'en', strings, version: '1.0' }),
		'App/app.csv': table,
		'docs/a.md': 'Some words.\n',
	});
	assert.match((await checked(['App/*.xcstrings'])).out, /missing: 'Save it' has no/);
	assert.match((await checked(['App/*.csv'])).out, /app\.csv:2: missing/);
	await translated(['docs/*.md'], ['de']);
	assert.equal((await checked(['docs/*.md'])).code, 0);
	await write({ 'docs/a.md': 'Other words.\n' });
	assert.match((await checked(['docs/*.md'])).out, /^docs\/a\.de\.md:1: stale/);
	await assert.rejects(checked(['App/*.png']), /No file that can be checked matches App\/\*\.png/);
});

test('a table in another encoding keeps it, and one that nobody can tell is named', async () => {
	const japanese = Buffer.from('837483408343838b82f08a4a82ad', 'hex');
	const head = (text: string) => Buffer.concat([Buffer.from(text), japanese]);
	await write({
		'a.csv': Buffer.from('\ufeffen\tde\r\nOpen it\t\r\n', 'utf16le'),
		'b.csv': head('ja,en\n'),
	});
	const { err } = await translated(['a.csv', 'b.csv'], ['de']);
	assert.equal(await readFile('a.csv', 'utf16le'), '\ufeffen\tde\r\nOpen it\tOPEN IT\r\n');
	assert.match(err, /b\.csv is not in UTF-8, .*--encoding windows-1251 on the command line/);
});

test('a short translation that says the same as its source is written, and the check is content', async () => {
	const catalog = { sourceLanguage: 'en', strings: { Email: {} }, version: '1.0' };
	await write({
		'app.csv': 'en,de\nName,\nEmail,\nThe model made nothing of it,\n',
		'App.xcstrings': JSON.stringify(catalog, null, 2),
	});
	const same = (text: string) => text;
	// No one names the language of the source but the files themselves.
	const made = await translated(['.'], ['de'], same, {});
	assert.equal(made.code, 0, made.err);
	assert.equal(
		await readFile('app.csv', 'utf8'),
		'en,de\nName,Name\nEmail,Email\nThe model made nothing of it,\n',
	);
	assert.match(made.err, /1 × left as it was: The model made nothing of it/);
	assert.match(await readFile('App.xcstrings', 'utf8'), /"de" : \{[^}]*"value" : "Email"/);
	const first = await checked(['app.csv', 'App.xcstrings', '.']);
	assert.equal(
		first.out.trim(),
		"app.csv:4: missing: 'The model made nothing of it' has no translation (de)",
	);
	await write({ 'app.csv': 'en,de\nName,Name\nThe model made nothing of it,Von Hand\n' });
	assert.equal((await checked(['.'])).code, 0);
});

test('rows that end before the column of a language get a cell for it', async () => {
	const text = 'key,en,fr,de\r\na,Open it\r\nb,"Close, then"\r\n\r\nc,Save it,"Garder"\r\nd\r\n';
	await write({ 'app.csv': text });
	assert.match((await checked(['.'])).out, /app\.csv:3: missing: 'Close, then' .*\(de\)/);
	const made = await translated(['.'], ['de', 'fr']);
	assert.equal(made.code, 0, made.err);
	assert.equal(
		await readFile('app.csv', 'utf8'),
		'key,en,fr,de\r\na,Open it,OPEN IT,OPEN IT\r\nb,"Close, then","CLOSE, THEN","CLOSE, THEN"\r\n\r\nc,Save it,"Garder",SAVE IT\r\nd\r\n',
	);
	assert.equal((await checked(['.'])).code, 0);
});

test('words and countries at the head of columns of data are no languages', async () => {
	const heads = [
		'key,to_team,is_active',
		'my_notes,id_user,no_of_guests',
		'to,is,it',
		'DE,FR',
		'name,as_of,to_do,id_no',
		'in_it,so_number',
	];
	await write({ 'a.md': 'Some words.\n' });
	for (const [index, head] of heads.entries())
		await write({ [`${index}.csv`]: `${head}\nSome words,,\n` });
	const made = await translated(['.'], ['id', 'is', 'fr', 'de', 'to', 'it', 'my']);
	assert.equal(made.code, 0, made.err);
	assert.match(made.err, new RegExp(`^${heads.length} skipped: tables without a column`, 'm'));
	await assert.rejects(checked(['*.csv']), /no translations to check/);
	const languages = [
		'en,it',
		'key,pt_br,zh-hans',
		'EN,DE',
		'en-US,es-419,sr_Latn_RS,de_at',
		'de,fr_ca',
	];
	for (const [index, head] of languages.entries())
		await write({ [`${index}.csv`]: `${head}\nSome words,,,,\n` });
	assert.match((await checked(['0.csv'])).out, /\(it\)/);
	assert.match((await checked(['1.csv'])).err, /1 translation checked/);
	assert.match((await checked(['2.csv'])).out, /\(de\)/);
	assert.match((await checked(['3.csv'])).err, /3 translations checked/);
	assert.match((await checked(['4.csv'])).err, /1 translation checked/);
});

test('an encoding that is named damages no file that is in UTF-8 by then', async () => {
	await write({ 'app.csv': 'en,fr,ru\nOpen it,,\n' });
	const answers = new Map([
		['ru', 'Привет'],
		['fr', 'été'],
	]);
	for (const to of ['ru', 'fr'])
		await translated(['app.csv', '.'], [to], () => answers.get(to) ?? '', {
			from: 'en',
			encoding: 'windows-1252',
		});
	assert.equal(await readFile('app.csv', 'utf8'), 'en,fr,ru\nOpen it,été,Привет\n');
});

test('a table of thousands of columns is one of languages where its last column says so', async () => {
	const data = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join();
	await write({ 'a/wide.csv': `en,${data},de\nOpen it,${data},\n` });
	const made = await translated(['a'], ['de']);
	assert.deepEqual([made.code, made.asked], [0, ['Open it']], made.err);
	assert.match(await readFile('a/wide.csv', 'utf8'), /c9999,OPEN IT\n$/);
});

test('what fails is not written: messages that are nested too deeply to be recorded', async () => {
	const deep = 5000;
	await write({ 'a/deep.json': `${'['.repeat(deep)}"Some words"${']'.repeat(deep)}` });
	const made = await translated(['a'], ['de']);
	assert.equal(made.code, 1);
	assert.match(made.err, /deep\.json: The text is nested too deeply/);
	await assert.rejects(readFile('a/deep.de.json'), { code: 'ENOENT' });
});

test('a message file that comes to be in UTF-8 is told of, and a table in UTF-16 of either order is one', async () => {
	await write({
		'locales/en.json': Buffer.from('{"a":"Caf\xe9 is open"}', 'latin1'),
		'locales/ru.json': '{}',
		'tables/a.csv': Buffer.from('\ufeffen\tru\r\nOpen it\t\r\n', 'utf16le').swap16(),
		'tables/b.csv': Buffer.from('en\tru\r\nClose it\t\r\n', 'utf16le'),
	});
	const made = await translated(['.'], ['ru'], () => 'Привет');
	assert.equal(made.code, 0, made.err);
	assert.match(made.err, /^locales\/ru\.json: 1 added, 0 renewed$/m);
	assert.equal(await readFile('tables/b.csv', 'utf16le'), 'en\tru\r\nClose it\tПривет\r\n');
	const first = Buffer.from(await readFile('tables/a.csv')).swap16();
	assert.equal(first.toString('utf16le'), '\ufeffen\tru\r\nOpen it\tПривет\r\n');
	await write({ 'locales/ru.json': Buffer.from('{"b":"\xe9t\xe9"}', 'latin1') });
	const other = await translated(['.'], ['ru'], () => 'Привет');
	assert.match(other.err, /^locales\/ru\.json: 1 added, 0 renewed, in UTF-8$/m);
	assert.match(await readFile('locales/ru.json', 'utf8'), /"a": "Привет","b":"été"/);
});

test('a table of a folder is asked for the languages it has columns for, and fails for no other', async () => {
	await write({ 'a/app.csv': 'en,de\nOpen it,\n', 'a/other.csv': 'en,fr,de\nClose it,,\n' });
	const made = await translated(['a'], ['de', 'fr']);
	assert.equal(made.code, 0, made.err);
	assert.equal(await readFile('a/app.csv', 'utf8'), 'en,de\nOpen it,OPEN IT\n');
	assert.equal(await readFile('a/other.csv', 'utf8'), 'en,fr,de\nClose it,CLOSE IT,CLOSE IT\n');
	assert.equal((await checked(['a'], ['de', 'fr'])).code, 0);
});
