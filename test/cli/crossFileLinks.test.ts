/** Links between the translated files of a folder lead to headings as they are called there. */

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
beforeEach(async () => {
	const folder = temporaryFolder('links');
	await mkdir(join(folder, '.git'));
	process.chdir(folder);
});
after(() => process.chdir(start));

async function write(files: Record<string, string>) {
	for (const [path, text] of Object.entries(files)) {
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, text);
	}
}
const read = (path: string) => readFile(path, 'utf8');

class Screen extends Writable {
	text = '';
	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.text += chunk.toString();
		done();
	}
}

const words = { Overview: 'Überblick', Setup: 'Einrichtung', see: 'siehe', Again: 'Nochmal' };

async function run(names = ['docs'], out?: string) {
	const [stdout, stderr] = [new Screen(), new Screen()];
	const io = {
		...{ stdout: new TerminalWriter(stdout), stderr: new TerminalWriter(stderr) },
		...{ stdin: process.stdin, env: {}, signal: new AbortController().signal },
	} satisfies CommandIo;
	const asked: string[] = [];
	const options = {
		...{ names, targets: ['de'], from: 'en', force: false, watch: false },
		...(out === undefined ? {} : { out }),
		translators: async () => () => ({
			detect: async () => [],
			translate: async (texts: readonly string[]) => {
				asked.push(...texts);
				return texts.map((text) =>
					Object.entries(words).reduce((made, [from, to]) => made.replaceAll(from, to), text),
				);
			},
		}),
	};
	assert.equal(await translateProject(options, io), 0, stderr.text);
	const check = { names: ['.'], targets: [], format: 'text', accepts: false } as const;
	assert.equal(await translateCheck(check, await ProjectRecord.open('.'), io), 0, stdout.text);
	return { asked, err: stderr.text };
}

test('links follow the headings of other files of the folder, whichever is translated first', async () => {
	await write({
		'docs/en/a.md':
			'see [b](b.md#setup), [here](sub/c#overview) and [x][x].\n\n# Overview\n\n[x]: ./b.md#%6Fverview\n',
		'docs/en/b.md':
			'# Overview\n\n# Setup\n\nsee <a href="a.md#overview">a</a> and [none](a.md#none).\n',
		'docs/en/sub/c.md':
			'see [b](../b.md#setup) and [out](../../../README.md#setup).\n\n# Overview\n',
		'README.md': '# Setup\n',
	});
	await run();
	assert.equal(
		await read('docs/de/a.md'),
		`siehe [b](b.md#einrichtung), [here](sub/c#überblick) and [x][x].\n\n# Überblick\n\n[x]: ./b.md#${encodeURIComponent('überblick')}\n`,
	);
	assert.match(
		await read('docs/de/b.md'),
		/<a href="a\.md#überblick">a<\/a> and \[none\]\(a\.md#none\)/,
	);
	assert.match(
		await read('docs/de/sub/c.md'),
		/\(\.\.\/b\.md#einrichtung\) and \[out\]\(\.\.\/\.\.\/\.\.\/README\.md#setup\)/,
	);
	const again = await run();
	assert.deepEqual(again.asked, []);
});

test('a heading that changes later takes the links of files that are up to date along', async () => {
	await write({
		'docs/en/a.md': 'see [b](b.md#setup).\n',
		'docs/en/b.md': '# Overview\n',
		'docs/en/c.md': 'see [b](b.md#setup).\n',
	});
	await run();
	assert.match(await read('docs/de/a.md'), /b\.md#setup/);
	await writeFile('docs/de/c.md', 'siehe [B](b.md#setup).\n');
	await write({ 'docs/en/b.md': '# Overview\n\n# Setup\n' });
	const { asked, err } = await run();
	assert.deepEqual(asked, ['Overview', 'Setup']);
	assert.match(err, /^docs\/de\/a\.md: links follow headings of other files$/m);
	assert.match(await read('docs/de/a.md'), /b\.md#einrichtung/);
	// What somebody has written stays.
	assert.match(await read('docs/de/c.md'), /b\.md#setup/);
	assert.deepEqual((await run()).asked, []);
});

test('beside its source a translation leads to the sources, as before', async () => {
	await write({ 'docs/a.md': 'see [b](b.md#setup).\n', 'docs/b.md': '# Setup\n' });
	await run();
	assert.equal(await read('docs/a.de.md'), 'siehe [b](b.md#setup).\n');
	await run(['docs'], 'i18n/{lang}/{name}{ext}');
	assert.equal(await read('i18n/de/a.md'), 'siehe [b](b.md#einrichtung).\n');
});

test('references of AsciiDoc into other files follow as well', async () => {
	await write({
		'docs/en/a.adoc': 'see xref:b.adoc#_setup[b] and <<b.adoc#own,it>>.\n',
		'docs/en/b.adoc': '== Setup\n\n[#own]\n== Overview\n',
	});
	await run();
	assert.equal(
		await read('docs/de/a.adoc'),
		'siehe xref:b.adoc#_einrichtung[b] and <<b.adoc#own,it>>.\n',
	);
});
