/** Which files names on the command line stand for. */

import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { folderOfGlob, globMatcher, isGlob } from '../../server/cli/fileGlob.ts';
import { ProjectRecord } from '../../server/cli/projectRecord.ts';
import { matchingFiles, sourceFiles } from '../../server/cli/sourceFiles.ts';
import {
	type PlanOptions,
	planOfFamilies,
	translationPlan,
} from '../../server/cli/translationPlan.ts';
import { emptyRecord } from '../../server/translate/documents/translationRecord.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder('files');
const start = process.cwd();
const { signal } = new AbortController();
before(async () => {
	const files = {
		'.gitignore': 'build/\n*.tmp.md\n/docs/private.md\n',
		'docs/.gitignore': '!keep.tmp.md\nold/\n',
		'.git/HEAD': '',
		'README.md': '',
		'README.de.md': '',
		'build/a.md': '',
		'docs/a.md': '',
		'docs/b.txt': '',
		'docs/c.png': '',
		'docs/keep.tmp.md': '',
		'docs/old/o.md': '',
		'docs/private.md': '',
		'docs/sub/d.mdx': '',
		'docs/x.tmp.md': '',
		'node_modules/p/README.md': '',
		'locales/en/app.json': '{}',
		'locales/en/more.json': '{}',
		'locales/de/app.json': '{}',
		'locales/pt_BR/app.json': '{}',
		'package.json': '{}',
	};
	for (const [path, text] of Object.entries(files)) {
		await mkdir(join(folder, dirname(path)), { recursive: true });
		await writeFile(join(folder, path), text);
	}
	await symlink(start, join(folder, 'docs/link'), 'junction');
	process.chdir(folder);
});
after(() => process.chdir(start));

const filesOf = async (...names: string[]) =>
	(await sourceFiles(names, (path) => /\.(?:mdx?|txt)$/.test(path), signal)).files;

test('folders give what no rule of their own, inner or outer .gitignore leaves out', async () => {
	const docs = ['docs/a.md', 'docs/b.txt', 'docs/keep.tmp.md', 'docs/sub/d.mdx'];
	assert.deepEqual(await filesOf('docs'), docs);
	assert.deepEqual(
		await filesOf('./docs/'),
		docs.map((path) => `./${path}`),
	);
	assert.deepEqual(await filesOf('.'), ['README.de.md', 'README.md', ...docs]);
	assert.deepEqual(await filesOf('docs/sub', 'docs/private.md', 'docs/sub/d.mdx'), [
		...['docs/private.md', 'docs/sub/d.mdx'],
	]);
	await assert.rejects(filesOf('nowhere'), /no file or folder nowhere/);
});

test('patterns are those of shells', async () => {
	assert.deepEqual(await filesOf('docs/*.md'), ['docs/a.md', 'docs/keep.tmp.md']);
	assert.deepEqual(await filesOf('**/*.{md,mdx}'), [
		...['README.de.md', 'README.md', 'docs/a.md', 'docs/keep.tmp.md', 'docs/sub/d.mdx'],
	]);
	assert.deepEqual(await filesOf('./docs/[ab].*'), ['docs/a.md', 'docs/b.txt']);
	await assert.rejects(filesOf('docs/*.rst'), /No file that can be translated matches/);
	assert.equal(folderOfGlob('a/b/*.md'), 'a/b');
	assert.equal(folderOfGlob('/*.md'), '/');
	assert.ok(isGlob('a/{b,c}.md') && !isGlob('a.md') && !isGlob('{lang}.md'));
	const matches = globMatcher('a/**/b?[!x].md');
	assert.ok(matches('a/b1y.md') && matches('a/c/d/b1y.md') && !matches('a/b1x.md'));
	const stars = globMatcher(`${'*'.repeat(40)}/${'**/'.repeat(40)}z`);
	assert.ok(!stars('a/'.repeat(60)));
});

const planOf = async (
	options: Partial<PlanOptions>,
	record = new ProjectRecord(folder, false, emptyRecord()),
) => {
	const { files } = await translationPlan(
		{ names: ['.'], targets: ['de'], ...options },
		record,
		signal,
	);
	return files.map(({ source, to, target }) => `${source} ${to} ${target}`);
};

test('a pattern of recordings means what a shell would put in its place, and looks no deeper than it says', async () => {
	assert.deepEqual(await matchingFiles('docs/*.md', signal), [
		'docs/a.md',
		'docs/keep.tmp.md',
		'docs/private.md',
		'docs/x.tmp.md',
	]);
	assert.deepEqual(await matchingFiles('./*.md', signal), ['README.de.md', 'README.md']);
	assert.deepEqual(await matchingFiles('docs/{sub,old}/*', signal), [
		'docs/old/o.md',
		'docs/sub/d.mdx',
	]);
	assert.deepEqual(await matchingFiles('*.wav', signal), []);
	assert.ok(globMatcher('*.WAV', true)('one.wav') && !globMatcher('*.WAV', false)('one.wav'));
});

test('translations that are there are no sources, and have their places', async () => {
	assert.deepEqual(
		await planOf({ names: ['README.md', 'README.de.md', 'locales'], targets: ['de', 'pt-BR'] }),
		[
			'README.md de README.de.md',
			'README.md pt-BR README.pt-BR.md',
			'locales/en/app.json de locales/de/app.json',
			'locales/en/app.json pt-BR locales/pt_BR/app.json',
			'locales/en/more.json de locales/de/more.json',
			'locales/en/more.json pt-BR locales/pt-BR/more.json',
		],
	);
});

test('message files into all languages that are there, or into those of a pattern', async () => {
	assert.deepEqual(await planOf({ names: ['locales/en'], targets: [], into: 'locales' }), [
		'locales/en/app.json de locales/de/app.json',
		'locales/en/app.json pt-BR locales/pt_BR/app.json',
		'locales/en/more.json de locales/de/more.json',
		'locales/en/more.json pt-BR locales/pt-BR/more.json',
	]);
	const two = planOf({ names: ['locales/en'], into: 'x/{lang}.json' });
	await assert.rejects(two, /need --into with \{name\}/);
	// One file needs no more than it does without --watch.
	assert.deepEqual(await planOf({ names: ['locales/en/app.json'], into: 'x/{lang}.json' }), [
		'locales/en/app.json de x/de.json',
	]);
	assert.deepEqual(await planOf({ names: ['locales/en/app.json'], into: 'x/new.json' }), [
		'locales/en/app.json de x/new.json',
	]);
	assert.deepEqual(await planOf({ names: ['README.md'], out: 'README.{lang}.md' }), [
		'README.md de README.de.md',
	]);
	assert.deepEqual(await planOf({ names: ['locales/en/app.json'], into: 'x/{lang}/{name}{ext}' }), [
		'locales/en/app.json de x/de/app.json',
	]);
	const { files } = await planOfFamilies({ names: ['.'], targets: [] }, signal);
	assert.equal(files.length, 4);
});

test('what earlier runs made below the place of a pattern is no source', async () => {
	const names = ['locales/en/app.json', 'locales/de/app.json', 'locales/pt_BR/app.json'];
	const out = 'locales/{lang}/{name}{ext}';
	assert.deepEqual(await planOf({ names, out }), ['locales/en/app.json de locales/de/app.json']);
	const record = emptyRecord();
	record.files.set('docs/b.txt', { source: 'docs/a.md', to: 'fr', from: '', made: '' });
	const made = new ProjectRecord(folder, true, record);
	assert.ok(!(await planOf({ names: ['docs'] }, made)).some((line) => line.includes('b.txt')));
});

test('two files in one place, and a place that is a source, are refused', async () => {
	await assert.rejects(planOf({ out: 'all.md' }), /need --out with \{name\}/);
	const names = ['README.md', 'docs/a.md'];
	await assert.rejects(planOf({ names, out: '{dir}/{name}.md' }), /README\.md is a source itself/);
	const alike = ['build/a.md', 'docs/a.md'];
	await assert.rejects(
		planOf({ names: alike, out: 'o/{name}{ext}' }),
		/would both become o\/a\.md/,
	);
	const targets = ['de', 'fr'];
	await assert.rejects(planOf({ names, targets, out: 'o/{name}' }), /\{lang\} in it/);
});
