/** Links between the translated files of a folder lead to headings as they are called there. */

import assert from 'node:assert/strict';
import { promises } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { after, beforeEach, mock, test } from 'node:test';
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
	Object.assign(words, usual);
	Screen.onText = () => {};
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
	static onText: (text: string) => void = () => {};
	text = '';
	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.text += chunk.toString();
		Screen.onText(this.text);
		done();
	}
}

const usual = { Overview: 'Überblick', Setup: 'Einrichtung', see: 'siehe', Again: 'Nochmal' };
const words = { ...usual };

async function run(
	names = ['docs'],
	out?: string,
	{
		stop = new AbortController(),
		isPartial = false,
	}: { stop?: AbortController; isPartial?: boolean } = {},
) {
	const [stdout, stderr] = [new Screen(), new Screen()];
	const io = {
		...{ stdout: new TerminalWriter(stdout), stderr: new TerminalWriter(stderr) },
		...{ stdin: process.stdin, env: {}, signal: stop.signal },
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
					Object.entries(words)
						.reduce((made, [from, to]) => made.replaceAll(from, to), text)
						.replace(/^swap (.+) with (.+)\.$/, 'swap $2 with $1.'),
				);
			},
		}),
	};
	assert.equal(await translateProject(options, io), 0, stderr.text);
	if (isPartial) return { asked, err: stderr.text };
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

test('links that change their order in a translation follow their own headings, also later', async () => {
	await write({
		'docs/en/a.md': 'swap [b](b.md#setup) with [c](b.md#overview).\n',
		'docs/en/b.md': '# Setup\n\n# Overview\n',
	});
	await run();
	assert.equal(
		await read('docs/de/a.md'),
		'swap [c](b.md#überblick) with [b](b.md#einrichtung).\n',
	);
	for (const [setup, overview] of [
		['Setup Setup', 'Overview Overview'],
		['Setup', 'Overview Setup'],
	]) {
		// Its headings become others, and what they are called in the source stays the same.
		await write({
			'docs/en/b.md': `# ${setup} {#x}\n\n# ${overview} {#y}\n\n# Setup\n\n# Overview\n`,
		});
		words.Setup = `${words.Setup}e`;
		words.Overview = `${words.Overview}e`;
		await run();
		assert.equal(
			await read('docs/de/a.md'),
			`swap [c](b.md#${words.Overview.toLowerCase()}) with [b](b.md#${words.Setup.toLowerCase()}).\n`,
		);
	}
});

test('a run that is stopped before links are followed leaves them to the next one', async () => {
	await write({
		'docs/en/a.md': 'see [b](b.md#setup).\n',
		'docs/en/b.md': '# Setup\n\nsee [a](a.md#none).\n',
	});
	const stop = new AbortController();
	Screen.onText = (text) => {
		if (/^docs\/de\/a\.md:/m.test(text) && /^docs\/de\/b\.md:/m.test(text)) stop.abort();
	};
	await assert.rejects(run(['docs'], undefined, { stop }), { name: 'AbortError' });
	assert.match(await read('docs/de/a.md'), /b\.md#setup/);
	const { asked } = await run();
	assert.deepEqual(asked, []);
	assert.match(await read('docs/de/a.md'), /b\.md#einrichtung/);
	assert.doesNotMatch(await read('.nearglot/translations.json'), /unlinked/);
});

test('a file that is translated alone leads to headings of those that are there, and they to its own later', async () => {
	await write({
		'docs/en/a.md': 'see [b](b.md#setup).\n\n# Overview\n',
		'docs/en/b.md': '# Setup\n\nsee [a](a.md#overview).\n',
	});
	await run(['docs/en/b.md'], 'docs/{lang}/{name}{ext}', { isPartial: true });
	await run(['docs/en/a.md'], 'docs/{lang}/{name}{ext}');
	assert.match(await read('docs/de/a.md'), /b\.md#einrichtung/);
	assert.match(await read('docs/de/b.md'), /a\.md#overview/);
	await run(['docs/en'], 'docs/{lang}/{name}{ext}');
	assert.match(await read('docs/de/b.md'), /a\.md#überblick/);
});

test('links that were followed stay as they are beside translations that are not asked for', async () => {
	// A heading becomes what another one of the source is called.
	Object.assign(words, { Setup: 'Overview' });
	await write({
		'docs/en/a.md': '[help](b.md#overview) or [more](b.md#setup).\n',
		'docs/en/b.md': '# Overview\n\n# Setup\n',
		'docs/en/c.md': 'see [b](b.md#setup).\n',
	});
	await run(['docs/en/c.md'], 'docs/{lang}/{name}{ext}', { isPartial: true });
	await run(['docs/en/a.md', 'docs/en/b.md'], 'docs/{lang}/{name}{ext}', { isPartial: true });
	const first = await read('docs/de/a.md');
	await run(['docs/en/a.md', 'docs/en/b.md'], 'docs/{lang}/{name}{ext}', { isPartial: true });
	assert.equal(await read('docs/de/a.md'), first);
});

test('what leads to a file that was translated without it is looked at once', async () => {
	await write({
		'docs/en/a.md': 'see [b](b.md#setup).\n',
		'docs/en/b.md': '# Setup\n\nsee [c](c.md#overview).\n',
		'docs/en/c.md': '# Overview\n',
		'docs/en/d.md': '# Again\n',
	});
	const out = 'docs/{lang}/{name}{ext}';
	const alone = (...names: string[]) => run(names, out, { isPartial: true });
	const marks = async () => {
		const { files } = JSON.parse(await read('.nearglot/translations.json'));
		return Object.keys(files).filter((path) => files[path].unlinked || files[path].leadsToNew);
	};
	await alone('docs/en/a.md', 'docs/en/d.md');
	assert.deepEqual(await marks(), []);
	await alone('docs/en/b.md');
	// It stays as it is until it is asked for, and nothing else waits.
	assert.match(await read('docs/de/a.md'), /b\.md#setup/);
	assert.deepEqual(await marks(), ['docs/de/a.md']);
	await alone('docs/en/c.md');
	await alone('docs/en/b.md');
	assert.deepEqual(await marks(), ['docs/de/a.md']);
	assert.match(await read('docs/de/b.md'), /c\.md#überblick/);
	assert.match((await alone('docs/en')).err, /a\.md: links follow headings of other files/);
	assert.match(await read('docs/de/a.md'), /b\.md#einrichtung/);
	assert.deepEqual(await marks(), []);
	// Of a run that was stopped, what is not asked for is waited for as little.
	const record = JSON.parse(await read('.nearglot/translations.json'));
	record.files['docs/de/b.md'].unlinked = true;
	await writeFile('.nearglot/translations.json', JSON.stringify(record));
	await alone('docs/en/c.md', 'docs/en/d.md');
	assert.deepEqual(await marks(), ['docs/de/a.md', 'docs/de/b.md']);
	const before = await read('.nearglot/translations.json');
	await alone('docs/en/c.md', 'docs/en/d.md');
	assert.equal(await read('.nearglot/translations.json'), before);
	await alone('docs/en');
	assert.deepEqual(await marks(), []);
});

test('titles of other documents that autosectionlabel names follow as well', async () => {
	const title = (words: string) => `${words}\n${'='.repeat(words.length + 2)}\n`;
	await write({
		'docs/en/guide/a.rst': `${title('Overview')}\nsee :ref:\`guide/b:Setup\`, :ref:\`it <guide/a:Overview>\` and :ref:\`none:Setup\`.\n`,
		'docs/en/guide/b.rst': title('Setup'),
	});
	await run();
	assert.match(
		await read('docs/de/guide/a.rst'),
		/siehe :ref:`guide\/b:einrichtung`, :ref:`it <guide\/a:überblick>` and :ref:`none:Setup`/,
	);
});

test('documents of reStructuredText are named from the folder of all of them, also beside others of that name', async () => {
	const title = (words: string) => `${words}\n${'='.repeat(words.length + 2)}\n`;
	await write({
		'docs/en/guide/a.rst': 'see :ref:`b:Setup`.\n',
		'docs/en/guide/b.rst': title('Overview'),
		'docs/en/b.rst': title('Setup'),
	});
	await run();
	assert.match(await read('docs/de/guide/a.rst'), /siehe :ref:`b:einrichtung`/);
});

test('a run reads what it has translated and what leads there, and no other file twice', async () => {
	const files: Record<string, string> = { 'docs/en/b.md': '# Setup\n' };
	for (let at = 0; at < 60; at++)
		files[`docs/en/p${at}.md`] = `see [b](${at === 0 ? 'b' : `p${at - 1}`}.md#setup).\n`;
	await write(files);
	await run();
	await writeFile('docs/en/b.md', '# Setup\n\n# Overview\n');
	const counts = new Map<string, number>();
	const { readFile: own } = promises;
	const counted = mock.method(promises, 'readFile', (...args: Parameters<typeof own>) => {
		const path = String(args[0]).replaceAll('\\', '/');
		if (path.endsWith('.md')) counts.set(path, (counts.get(path) ?? 0) + 1);
		return own(...args);
	});
	syncBuiltinESMExports();
	try {
		await run(['docs'], undefined, { isPartial: true });
	} finally {
		counted.mock.restore();
		syncBuiltinESMExports();
	}
	const others = Array.from({ length: 59 }, (_, at) => [
		counts.get(`docs/en/p${at + 1}.md`),
		counts.get(`docs/de/p${at + 1}.md`),
	]);
	// Looked at for whether they are due, and for whether they lead to what is new.
	assert.deepEqual(others, Array(59).fill([1, 1]));
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
