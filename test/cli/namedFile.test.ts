/** Which arguments of `nearglot translate` are paths and which are words. */

import assert from 'node:assert/strict';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileProblem } from '../../server/cli/fileProblem.ts';
import { meaningOf, noFile } from '../../server/cli/namedFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

// One further down: what lies beside it is of this test alone, too.
const folder = join(temporaryFolder('paths'), 'inner');
const before_ = process.cwd();
before(async () => {
	await mkdir(join(folder, 'docs'), { recursive: true });
	await mkdir(join(folder, 'my docs'));
	await writeFile(join(folder, 'guide.md'), 'x');
	await writeFile(join(folder, 'two words.md'), 'x');
	process.chdir(folder);
});
after(async () => {
	process.chdir(before_);
});

const expect = async (meaning: string, given: readonly string[]) => {
	for (const one of given) assert.equal(await meaningOf(one), meaning, one);
};

test('what is there is meant', async () => {
	await expect('file', ['guide.md', './guide.md', 'two words.md', 'docs/../guide.md']);
	await expect('folder', ['docs', 'docs/', './docs', '.', '..', 'my docs', folder]);
});

test('what looks like a path and is not there is a mistake', async () => {
	await expect('missing', [
		...['missing.md', 'en.json', 'messages.de.PO', 'README.MD'],
		...['./my docs/none.md', './none here.md', 'my docs/none.md', '../no such file.txt'],
		...['report.docx', 'talk.pdf', 'Readme.rst', 'recording.mp3'],
		...['./x', '../x', '~/notes', '/etc/none/x', 'C:\\Temp\\x', 'C:/Temp/x', '\\\\server\\share'],
		...['src/main.ts', 'pictures/cat.png', 'fold/', 'docs/guide', 'a\\b.md', 'docs\\guide.txt'],
	]);
});

test('words with slashes and dots stay words', async () => {
	await expect('text', [
		...[
			'and/or',
			'yes/no',
			'I/O',
			'km/h',
			'he/she/they',
			'red/green/blue',
			'TCP/IP',
			'24/7',
			'1/2',
		],
		...['Node.js', 'e.g.', 'etc.', 'v1.2', '3.5', 'v1.0/v2.0', '...', 'Hello.', 'doc'],
		...['https://example.com/guide.md', 'http://a.b/c', 'mailto:a@b.md', 'file:///a/b.md'],
		...['Open guide.txt now', 'See docs/none.md.', 'Either / or', 'one\n./x', '.md', 'und/oder?'],
	]);
});

test('a name that is no UTF-8 is told as that, not as a file that is not there', async () => {
	// What stands for such bytes in an argument.
	const name = './t\uFFFDst.md';
	assert.equal(await meaningOf(name), 'missing');
	assert.match(noFile(name), /is not written in UTF-8\. Rename it, or send it/);
	const error = await stat(name).catch((error: unknown) => error);
	assert.match(fileProblem(error), /is not written in UTF-8\. Rename it, or send it/);
});
