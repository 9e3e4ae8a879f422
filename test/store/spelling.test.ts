/** One spelling for each path, on disks that tell letters' case apart and on those that do not. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { ProjectRecord } from '../../server/cli/projectRecord.ts';
import { Spelling } from '../../server/store/spelling.ts';
import { emptyRecord, recordText } from '../../server/translate/documents/translationRecord.ts';
import { looseDisk } from '../support/looseDisk.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let folder = '';
beforeEach(async () => {
	folder = await realpath(temporaryFolder('Spelled'));
	await mkdir(join(folder, 'Docs'));
	await writeFile(join(folder, 'Docs', 'Über.md'.normalize('NFD')), 'x');
});

test('where case says nothing, a path is spelled as the disk has it, and what is new as it was given', () => {
	const spelling = new Spelling(looseDisk);
	const own = join(folder, 'Docs', 'Über.md'.normalize('NFD'));
	for (const typed of ['docs/über.md', 'DOCS/ÜBER.MD', 'Docs/Über.md'])
		assert.equal(spelling.of(join(folder, typed)), own);
	assert.equal(spelling.of(join(folder.toUpperCase(), 'docs/New.md')), join(folder, 'Docs/New.md'));
	assert.equal(spelling.of(join(folder, 'new/docs')), join(folder, 'new/docs'));
});

test('a file that came meanwhile has its own spelling from then on', async () => {
	const spelling = new Spelling(looseDisk);
	assert.equal(spelling.of(join(folder, 'Docs/a.DE.md')), join(folder, 'Docs/a.DE.md'));
	await writeFile(join(folder, 'Docs', 'A.de.md'), 'x');
	assert.equal(spelling.of(join(folder, 'docs/a.DE.md')), join(folder, 'Docs/A.de.md'));
});

test('whether case says something is decided by the disk, not by the system', async () => {
	const here = new Spelling();
	const typed = join(folder, 'docs/a.md');
	const own = existsSync(join(folder, 'docs')) ? join(folder, 'Docs/a.md') : typed;
	assert.equal(here.of(typed), own);
	await mkdir(join(folder, 'docs')).catch(() => {});
	assert.equal(here.of(typed), own);
});

const made = { to: 'de', from: '0'.repeat(16), made: '1'.repeat(16) };

test('a project has one entry for one file, however it was typed and by whichever version', async () => {
	await mkdir(join(folder, '.nearglot'));
	const text = emptyRecord();
	text.files.set('docs/Über.de.md', { source: 'DOCS/über.md', ...made });
	text.files.set('Docs/Über.de.md', { source: 'Docs/Über.md', ...made });
	await writeFile(join(folder, '.nearglot/translations.json'), recordText(text));
	const record = await ProjectRecord.open(join(folder, 'docs'), new Spelling(looseDisk));
	assert.equal(record.folder, folder);
	assert.ok(record.knows(join(folder, 'dOCS/Über.de.md')));
	record.setFile(join(folder, 'docs/Über.de.md'), {
		source: join(folder, 'docs/über.md'),
		...{ ...made, to: 'fr' },
	});
	await record.close();
	const kept = await readFile(join(folder, '.nearglot/translations.json'), 'utf8');
	assert.deepEqual(
		[...kept.matchAll(/"(docs|Docs|DOCS)\//g)].map(([, name]) => name),
		['Docs', 'Docs'],
	);
	assert.match(kept, /"fr"/);
});

test('two files that differ by case alone stay two where the disk has both', async () => {
	try {
		await writeFile(join(folder, 'a.md'), '1', { flag: 'wx' });
		await writeFile(join(folder, 'A.md'), '2', { flag: 'wx' });
	} catch {
		return;
	}
	await mkdir(join(folder, '.git'));
	const record = await ProjectRecord.open(folder);
	assert.deepEqual(
		[record.nameOf(join(folder, 'a.md')), record.nameOf(join(folder, 'A.md'))],
		['a.md', 'A.md'],
	);
});
