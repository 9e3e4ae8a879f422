/** `nearglot translate`, `keys` and `systems` as a person uses them. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { programArgs } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const home = temporaryFolder('cli');
after(async () => {
	const endpoint = await readFile(join(home, 'endpoint.json'), 'utf8').catch(() => undefined);
	if (endpoint !== undefined) {
		const { pid } = JSON.parse(endpoint) as { pid: number };
		process.kill(pid, 'SIGTERM');
		for (let wait = 0; wait < 400; wait++) {
			try {
				process.kill(pid, 0);
			} catch {
				break;
			}
			await new Promise((resolve) => setTimeout(resolve, 25));
		}
	}
});

async function nearglot(
	args: readonly string[],
	input = '',
	cwd = process.cwd(),
): Promise<{ code: number | null; out: string; err: string }> {
	const child = spawn(process.execPath, programArgs(...args), {
		env: { ...process.env, NEARGLOT_HOME: home },
		cwd,
	});
	let out = '';
	let err = '';
	child.stdout.on('data', (chunk) => (out += chunk));
	child.stderr.on('data', (chunk) => (err += chunk));
	child.stdin.end(input);
	const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
	return { code, out, err };
}

test('a system that is misspelt is refused, and a known one may leave pairs to the general one', async () => {
	const wrong = await nearglot(['translate', 'Open the file.', '--to', 'de', '--system', 'nosuch']);
	assert.equal(wrong.code, 1);
	assert.match(wrong.err, /nosuch/);
	assert.equal(wrong.out, '');
	const named = await nearglot([
		'translate',
		'Open the file.',
		'--to',
		'de',
		'--system',
		'general',
	]);
	assert.equal(named.code, 0, named.err);
	const glossary = join(home, 'terms.tsv');
	await writeFile(glossary, 'archive\tarchive\n');
	const pair = ['--from', 'en', '--to', 'fr'];
	const added = await nearglot(['systems', 'add', 'fr-only', ...pair, '--glossary', glossary]);
	assert.equal(added.code, 0, added.err);
	const known = await nearglot([
		'translate',
		'Open the file.',
		'--to',
		'de',
		'--system',
		'fr-only',
	]);
	assert.equal(known.code, 0, known.err);
	await nearglot(['systems', 'remove', 'fr-only']);
});

test('text comes from the arguments or from standard input, targets with commas', async () => {
	const one = await nearglot(['translate', 'The file could not be opened.', '--to', 'de']);
	assert.equal(one.code, 0, one.err);
	assert.match(one.out, /nicht|Datei/);
	const two = await nearglot(
		['translate', '-', '--to', 'de,fr', '--from', 'en'],
		'Open the `x.ts` file.\n',
	);
	assert.equal(two.code, 0, two.err);
	assert.match(two.out, /^de: .*`x\.ts`.*\nfr: .*`x\.ts`/);
	const json = await nearglot([
		'translate',
		'Open the file.',
		'--to',
		'de',
		'--from',
		'en',
		'--json',
		'--align',
	]);
	const [row] = JSON.parse(json.out) as {
		translations: { to: string; alignment: { proj: string } }[];
	}[];
	assert.match(row?.translations[0]?.alignment.proj ?? '', /^\d+:\d+-\d+:\d+/);
});

test('a text longer than a request is translated in parts, line by line', async () => {
	const lines = Array.from(
		{ length: 900 },
		(_, index) => `{${index}} %s \`name\` https://example.com/${index} 12345678`,
	);
	const { code, out, err } = await nearglot(
		['translate', '--to', 'de', '--from', 'en'],
		`${lines.join('\n')}\n`,
	);
	assert.equal(code, 0, err);
	// Lines without a word to translate come back as they are.
	assert.equal(out, `${lines.join('\n')}\n`);
});

test('a translated message file gets what it lacks, and nothing else changes', async () => {
	const [source, target] = [join(home, 'en.json'), join(home, 'de.json')];
	await writeFile(source, '{"open": "Open", "n": "{n, plural, one {# file} other {# files}}"}');
	await writeFile(target, '{\r\n\t"open": "Auf"\r\n}');
	const { code, err } = await nearglot([
		...['translate', source, '--from', 'en', '--to', 'de', '--into', target],
	]);
	assert.equal(code, 0, err);
	assert.match(err, /1 missing messages? added/);
	assert.match(
		await readFile(target, 'utf8'),
		/^\{\r\n\t"open": "Auf",\r\n\t"n": "\{n, plural, one \{[^{}]*#[^{}]*\} other \{[^{}]*#[^{}]*\}\}"\r\n\}$/,
	);
	const wrong = await nearglot(['translate', source, '--to', 'de', '--into', join(home, 'de.po')]);
	assert.equal(wrong.code, 2);
	assert.match(wrong.err, /two message files of one format/);
	const damaged = '{"open": "Auf",\n "n":';
	await writeFile(target, damaged);
	const broken = await nearglot(['translate', source, '--to', 'de', '--into', target]);
	assert.deepEqual([broken.code, await readFile(target, 'utf8')], [1, damaged], broken.err);
	assert.match(broken.err, /de\.json is damaged at line 2, column 6: a value is missing/);
});

test('one message file is renewed where a project keeps a record, and begins none', async () => {
	const folder = join(home, 'project');
	await mkdir(join(folder, '.git'), { recursive: true });
	const [source, target] = [join(folder, 'en.json'), join(folder, 'fr.json')];
	const into = () =>
		nearglot(['translate', 'en.json', '--to', 'fr', '--into', 'fr.json'], '', folder);
	const there = async () => JSON.parse(await readFile(target, 'utf8')) as Record<string, string>;
	await writeFile(source, '{"open": "Open the file.", "save": "Save the file."}');
	await writeFile(target, '{"open": "Ouvrir le fichier."}');
	const first = await into();
	assert.equal(first.code, 0, first.err);
	await assert.rejects(stat(join(folder, '.nearglot')));
	const taken = await nearglot(['translate', '--check', '--accept'], '', folder);
	assert.equal(taken.code, 0, taken.out + taken.err);
	const { save } = await there();
	await writeFile(source, '{"open": "Close the window.", "save": "Save the file."}');
	const second = await into();
	assert.equal(second.code, 0, second.err);
	assert.match(second.err, /fr\.json: 0 added, 1 renewed/);
	const now = await there();
	assert.notEqual(now['open'], 'Ouvrir le fichier.');
	assert.equal(now['save'], save);
	assert.equal((await nearglot(['translate', '--check'], '', folder)).code, 0);
});

test('wrong use is explained and ends with 2, a refusal with 1', async () => {
	for (const args of [
		['translate', 'x'],
		['translate', 'a', 'b', '--to', 'de'],
		['translate', ' ', '--to', 'de'],
		['translate', 'x', '--too', 'de'],
	]) {
		const { code, err } = await nearglot(args);
		assert.equal(code, 2, err);
		assert.ok(err.length > 10 && !err.includes(' at '), err);
	}
	const unknown = await nearglot(['translate', 'x', '--to', 'klingonish']);
	assert.equal(unknown.code, 1);
	assert.match(unknown.err, /target language is not valid/);
	const missing = await nearglot(['translate', 'Good morning', '--from', 'en', '--to', 'ja']);
	assert.match(missing.err, /nearglot models pull m2m100-418m/);
});

test('a glossary is registered, used and removed', async () => {
	const glossary = join(home, 'terms.tsv');
	await writeFile(glossary, 'file\tDatenobjekt\n');
	assert.equal(
		(
			await nearglot([
				'systems',
				'add',
				'team',
				'--from',
				'en',
				'--to',
				'de',
				'--glossary',
				glossary,
			])
		).code,
		0,
	);
	assert.match((await nearglot(['systems', 'list'])).out, /team {2}en → de .*glossaries: 1/);
	const used = await nearglot([
		'translate',
		'The file could not be opened.',
		'--from',
		'en',
		'--to',
		'de',
		'--category',
		'team',
	]);
	assert.match(used.out, /Datenobjekt/);
	assert.equal(
		(
			await nearglot([
				'systems',
				'add',
				'bad name',
				'--from',
				'en',
				'--to',
				'de',
				'--glossary',
				glossary,
			])
		).code,
		2,
	);
	assert.equal(
		(
			await nearglot([
				'systems',
				'add',
				'x',
				'--from',
				'en',
				'--to',
				'de',
				'--glossary',
				join(home, 'none.tsv'),
			])
		).code,
		2,
	);
	assert.equal((await nearglot(['systems', 'remove', 'team'])).code, 0);
	assert.match((await nearglot(['systems', 'list'])).out, /No custom systems/);
});

test('a key is shown once, kept as a hash in a private file, demanded, and revoked', async () => {
	const made = await nearglot(['keys', 'create', 'ci', '--per-minute', '5000']);
	const key = made.out.trim();
	assert.match(key, /^ngk_[\w-]{43}$/);
	const path = join(home, 'keys.db');
	assert.ok(!(await readFile(path, 'latin1')).includes(key));
	if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600);
	assert.match((await nearglot(['keys', 'list'])).out, /ci .*5000 characters a minute/);
	const { url } = JSON.parse(await readFile(join(home, 'endpoint.json'), 'utf8')) as {
		url: string;
	};
	const ask = (headers: Record<string, string>) =>
		fetch(`${url}/translate?api-version=3.0&from=en&to=de`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: '[{"Text":"Open"}]',
		});
	assert.equal((await ask({})).status, 401);
	assert.equal((await ask({ 'Ocp-Apim-Subscription-Key': key })).status, 200);
	assert.equal((await nearglot(['keys', 'revoke', 'ci'])).code, 0);
	assert.equal((await ask({ 'Ocp-Apim-Subscription-Key': key })).status, 401);
	assert.equal((await nearglot(['keys', 'revoke', 'ci'])).code, 1);
	assert.match(
		(
			await nearglot([
				'keys',
				'access',
				'--issuer',
				'https://login.example',
				'--audience',
				'api://x',
			])
		).out,
		/Directory: https:\/\/login\.example/,
	);
	assert.equal((await nearglot(['keys', 'access', '--issuer', 'https://login.example'])).code, 2);
	assert.equal((await nearglot(['keys'])).code, 2);
});

test('virtual network mode does not lock the user out of their own machine', async () => {
	assert.equal((await nearglot(['keys', 'access', '--virtual-network', 'on'])).code, 0);
	try {
		const done = await nearglot(['translate', 'The file was not found.', '--to', 'de']);
		assert.equal(done.code, 0, done.err);
		assert.notEqual(done.out.trim(), '');
	} finally {
		assert.equal((await nearglot(['keys', 'access', '--virtual-network', 'off'])).code, 0);
	}
});

test('a secret of the hosted service is read from standard input and kept in memory', async () => {
	const { url, key } = JSON.parse(await readFile(join(home, 'endpoint.json'), 'utf8')) as {
		url: string;
		key: string;
	};
	const names = async () => {
		const headers = { authorization: `Bearer ${key}` };
		const answer = await fetch(`${url}/nearglot/secrets/names`, { headers });
		return ((await answer.json()) as { names: string[] }).names;
	};
	assert.equal((await nearglot(['keys', 'hosted', 'key'], ' s3cret\n')).code, 0);
	assert.deepEqual(await names(), ['translatorKey']);
	// A window of an editor that has no keys, and one that has.
	const handOver = (value: string | null) =>
		fetch(`${url}/nearglot/secrets/set?source=editor:a`, {
			method: 'POST',
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ translatorKey: value }),
		});
	await handOver(null);
	assert.deepEqual(await names(), ['translatorKey'], 'what was typed here stays');
	await handOver('of the editor');
	const forget = () => nearglot(['keys', 'hosted', 'key', '--forget']);
	assert.match((await forget()).out, /^Forgotten\. The one that an editor/);
	assert.deepEqual(await names(), ['translatorKey']);
	await handOver(null);
	assert.equal((await forget()).out, 'Forgotten.\n');
	assert.deepEqual(await names(), []);
	assert.equal((await nearglot(['keys', 'hosted', 'key'], '')).code, 2);
	assert.equal((await nearglot(['keys', 'hosted', 'password'], 'x')).code, 2);
});

test('a file keeps its form: code, keys and links stay, words are translated', async () => {
	const path = join(home, 'guide.md');
	await writeFile(
		path,
		'# Open the file\r\n\r\nThe file could not be opened. Run `npm start`.\r\n\r\n```sh\nnpm start\n```\r\n',
	);
	const shown = await nearglot(['translate', path, '--to', 'de', '--from', 'en']);
	assert.match(shown.out, /^# .*Datei/, shown.err);
	assert.match(shown.out, /`npm start`/);
	assert.ok(shown.out.endsWith('```sh\nnpm start\n```\r\n'), JSON.stringify(shown.out));
	const pattern = join(home, 'guide.{to}.md');
	const both = await nearglot([
		'translate',
		path,
		'--to',
		'de,fr',
		'--from',
		'en',
		'--out',
		pattern,
	]);
	assert.equal(both.out, '');
	assert.equal(await readFile(join(home, 'guide.de.md'), 'utf8'), shown.out);
	assert.match(await readFile(join(home, 'guide.fr.md'), 'utf8'), /fichier/);
	const again = await nearglot([
		'translate',
		path,
		'--to',
		'de,fr',
		'--from',
		'en',
		'--out',
		pattern,
	]);
	assert.equal(again.code, 2);
	assert.match(again.err, /exists already/);
});

test('a folder is translated once, its message files are added to, and a check tells what is wrong', async () => {
	const project = temporaryFolder('cli-project');
	await mkdir(join(project, 'docs'));
	await mkdir(join(project, 'locales'));
	await writeFile(join(project, '.gitignore'), '*.tmp.md\n');
	await writeFile(join(project, 'docs/a.md'), '# Menu\n\nThe file could not be opened.\n');
	await writeFile(join(project, 'docs/b.tmp.md'), 'The file could not be opened.\n');
	await writeFile(join(project, 'locales/en.json'), '{"save": "Save {name}"}');
	await writeFile(join(project, 'locales/de.json'), '{}');
	const translate = (...args: string[]) => nearglot(['translate', ...args], '', project);
	const first = await translate('docs/', 'locales', '--from', 'en', '--to', 'de');
	assert.equal(first.code, 0, first.err);
	assert.match(first.err, /2 of 2 translated; \d+ words in /);
	assert.match(await readFile(join(project, 'docs/a.de.md'), 'utf8'), /nicht geöffnet/);
	assert.match(await readFile(join(project, 'locales/de.json'), 'utf8'), /\{name\}/);
	const good = await translate('--check');
	assert.deepEqual([good.code, good.out], [0, ''], good.err);
	await writeFile(join(project, 'locales/de.json'), '{"save": "{nam} speichern"}');
	const broken = await translate('--check', '--format', 'github');
	assert.equal(broken.code, 1);
	assert.match(
		broken.out,
		/^::error file=locales\/de\.json,line=1,title=Translation placeholder::save: /,
	);
	const wrong = await translate('--check', '--format', 'xml');
	assert.equal(wrong.code, 2);
});

test('wrong use of files says what to do', async () => {
	const path = join(home, 'picture.png');
	await writeFile(path, 'x');
	for (const [args, words] of [
		[[path, '--to', 'de'], /no format that can be translated whole/],
		[[join(home, 'guide.md'), '--to', 'de,fr'], /--out with \{lang\}/],
		[['just words', '--to', 'de', '--out', 'x'], /go with files/],
	] as const) {
		const done = await nearglot(['translate', ...args]);
		assert.equal(done.code, 2);
		assert.match(done.err, words);
	}
});

test('the README of the product keeps its form in another language', async () => {
	const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
	const folder = join(home, 'readme');
	await mkdir(folder);
	await writeFile(join(folder, 'README.md'), readme);
	const args = ['translate', 'README.md', '--to', 'de', '--out', 'README.de.md'];
	const { code, out, err } = await nearglot(args, '', folder);
	assert.equal(code, 0, err);
	assert.equal(out, '');
	assert.match(err, /README\.de\.md: \d+ of \d+ texts translated from English/);
	const made = await readFile(join(folder, 'README.de.md'), 'utf8');
	const headings = (text: string) => text.match(/^#+ /gm)?.join('');
	assert.equal(headings(made), headings(readme));
	assert.notEqual(made, readme);
});

test('printf percent signs stay doubled, those of prose single', async () => {
	const path = join(home, 'percent.json');
	const source = { a: '100%% done, %d files', b: 'Used (100%%)', c: 'It is 100% sure.' };
	await writeFile(path, JSON.stringify(source));
	const { code, out, err } = await nearglot(['translate', path, '--from', 'en', '--to', 'de']);
	assert.equal(code, 0, err);
	const made = JSON.parse(out) as typeof source;
	assert.match(made.a, /100%%.*%d/);
	assert.match(made.b, /100%%/);
	assert.match(made.c, /(?<!%)%(?!%)/);
});

test('a path of nothing and a folder with nothing are refused, and nothing is started for them', async () => {
	const folder = join(home, 'empty');
	await mkdir(folder);
	for (const [given, words] of [
		['missing-file.md', /There is no file missing-file\.md\..*standard input/],
		['./x', /There is no file/],
		[`${folder}/`, /There is nothing to translate in .*empty\//],
		['.', /There is nothing to translate/],
		['*.md', /No file that can be translated matches/],
	] as const) {
		const { code, out, err } = await nearglot(['translate', given, '--to', 'de'], '', folder);
		assert.equal(code, 1, err);
		assert.equal(out, '');
		assert.match(err, words);
	}
	const text = await nearglot(['translate', '-', '--from', 'en', '--to', 'de'], 'missing-file.md');
	assert.deepEqual([text.code, text.out], [0, 'missing-file.md\n']);
});

test('where a translation cannot be written is said before it is made', async () => {
	const path = join(home, 'words.json');
	await writeFile(path, '{"a": "Open the file"}');
	const ask = (...args: string[]) => nearglot(['translate', path, '--to', 'de', ...args]);
	for (const [args, words] of [
		[['--out', join(home, 'none/de.json')], /cannot be written: there is no folder/],
		[['--out', home], /is a folder/],
		[['--into', join(home, 'none/de.json')], /there is no folder/],
	] as const) {
		const { code, err } = await ask(...args);
		assert.equal(code, 2, err);
		assert.match(err, words);
	}
	const other = join(home, 'other.txt');
	await writeFile(other, Buffer.from('\u00ce\u00f2\u00ea\u00f0\u00fb\u00f2\u00fc', 'latin1'));
	const { code, err } = await nearglot(['translate', other, '--to', 'en']);
	assert.equal(code, 1);
	assert.match(err, /other\.txt is not in UTF-8, UTF-16 or Windows-1252.*--encoding/);
});
