/** `nearglot translate --watch`: what is saved, renamed and deleted while it goes on. */

import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import type { CommandIo } from '../../server/cli/command.ts';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { translateProject } from '../../server/cli/translateProject.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const start = process.cwd();
after(() => process.chdir(start));

class Screen extends Writable {
	text = '';
	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.text += chunk.toString();
		done();
	}
}

test('a saved file is translated again, and a translation without a source is named and stays', async () => {
	const folder = temporaryFolder('watch');
	await mkdir(join(folder, '.git'));
	await mkdir(join(folder, 'docs'));
	process.chdir(folder);
	await writeFile('docs/a.md', 'Open it.\n');
	const [out, err] = [new Screen(), new Screen()];
	const stop = new AbortController();
	const io = {
		...{ stdout: new TerminalWriter(out), stderr: new TerminalWriter(err) },
		...{ stdin: process.stdin, env: {}, signal: stop.signal },
	} satisfies CommandIo;
	const translators = async () => () => ({
		detect: async () => [],
		translate: async (texts: readonly string[]) => texts.map((text) => text.toUpperCase()),
	});
	const watching = translateProject(
		{ names: ['docs'], targets: ['de'], from: 'en', force: false, watch: true, translators },
		io,
	);
	const ended = assert.rejects(watching, { code: 'cancelled' });
	await until('it watches', () => err.text.includes('Watching docs'));
	await writeFile('docs/a.md', 'Open it.\n\nSave it.\n');
	const translation = () => readFile('docs/a.de.md', 'utf8');
	await until('the change is there', async () => (await translation()).includes('SAVE IT.'));
	await until('it is told', () => err.text.includes('docs/a.de.md: 2 of 2 texts translated\n'));
	await rename('docs/a.md', 'docs/b.md');
	await until('the other name is there', () => err.text.includes('docs/b.de.md: 2 of 2'));
	assert.match(err.text, /docs\/a\.md is gone; its translation docs\/a\.de\.md stays\.\n/);
	await rm('docs/b.md');
	await until('it is told', () => err.text.includes('docs/b.md is gone'));
	assert.match(await translation(), /^OPEN IT\.\n\nSAVE IT\.\n$/);
	stop.abort();
	await ended;
});

test('what fails is told once, and again when its file changes', async () => {
	const folder = temporaryFolder('watch');
	await mkdir(join(folder, '.git'));
	await mkdir(join(folder, 'docs'));
	process.chdir(folder);
	await writeFile('docs/bad.json', '{"a": "Open it",');
	await writeFile('docs/a.md', 'Open it.\n');
	const [out, err] = [new Screen(), new Screen()];
	const stop = new AbortController();
	const io = {
		...{ stdout: new TerminalWriter(out), stderr: new TerminalWriter(err) },
		...{ stdin: process.stdin, env: {}, signal: stop.signal },
	} satisfies CommandIo;
	const translators = async () => () => ({
		detect: async () => [],
		translate: async (texts: readonly string[]) => texts.map((text) => text.toUpperCase()),
	});
	const watching = translateProject(
		{ names: ['docs'], targets: ['de'], from: 'en', force: false, watch: true, translators },
		io,
	);
	const ended = assert.rejects(watching, { code: 'cancelled' });
	try {
		await until('it watches', () => err.text.includes('Watching docs'));
		const told = () => err.text.split('bad.json is damaged').length - 1;
		assert.equal(told(), 1, err.text);
		for (const words of ['Save it.', 'Close it.']) {
			await writeFile('docs/a.md', `${words}\n`);
			const translation = () => readFile('docs/a.de.md', 'utf8');
			await until(
				'the change is there',
				async () => (await translation()) === `${words.toUpperCase()}\n`,
			);
		}
		await writeFile('docs/c.md', 'Send it.\n');
		await until('another file is there', () => err.text.includes('docs/c.de.md: 1 of 1'));
		assert.equal(told(), 1, err.text);
		await writeFile('docs/bad.json', '{"a": "Open it",,');
		await until('it is told anew', () => told() === 2);
	} finally {
		stop.abort();
		await ended;
	}
});

/** A watching command in a folder of its own, until the test has seen what it waits for. */
async function whileWatching(names: readonly string[], then: () => Promise<void>): Promise<void> {
	const [out, err] = [new Screen(), new Screen()];
	const stop = new AbortController();
	const io = {
		...{ stdout: new TerminalWriter(out), stderr: new TerminalWriter(err) },
		...{ stdin: process.stdin, env: {}, signal: stop.signal },
	} satisfies CommandIo;
	const translators = async () => () => ({
		detect: async () => [],
		translate: async (texts: readonly string[]) => texts.map((text) => text.toUpperCase()),
	});
	const watching = translateProject(
		{ names, targets: ['de'], from: 'en', force: false, watch: true, translators },
		io,
	);
	const ended = assert.rejects(watching, { code: 'cancelled' });
	try {
		await until('it watches', () => err.text.includes('Watching '));
		await then();
	} finally {
		stop.abort();
		await ended;
	}
}

const isWritten = (path: string, words: string) => async () =>
	(await readFile(path, 'utf8').catch(() => '')).includes(words);

test('a folder that was removed and made anew is watched, also below', async () => {
	const folder = temporaryFolder('watch');
	await mkdir(join(folder, '.git'));
	await mkdir(join(folder, 'docs', 'more'), { recursive: true });
	await mkdir(join(folder, 'guide'));
	process.chdir(folder);
	await writeFile('docs/more/a.md', 'Open it.\n');
	await writeFile('guide/b.md', 'Close it.\n');
	await whileWatching(['docs', 'guide'], async () => {
		await rm('docs', { recursive: true });
		await mkdir('docs/more', { recursive: true });
		for (const words of ['Save it.', 'Send it.']) {
			await writeFile('docs/more/a.md', `${words}\n`);
			const made = isWritten('docs/more/a.de.md', words.toUpperCase());
			await until(`it says ${words}`, made);
		}
		await rm('docs', { recursive: true });
		// A round without the folder, and it goes on for the other one.
		await writeFile('guide/b.md', 'Copy it.\n');
		await until('the other one is there', isWritten('guide/b.de.md', 'COPY IT.'));
		await mkdir('docs/more', { recursive: true });
		await writeFile('docs/more/c.md', 'Print it.\n');
		await until('a new one is there', isWritten('docs/more/c.de.md', 'PRINT IT.'));
		await writeFile('docs/more/c.md', 'Paste it.\n');
		await until('its change is there', isWritten('docs/more/c.de.md', 'PASTE IT.'));
	});
});

test('a file that another is renamed to, as editors save, is translated again each time', async () => {
	const folder = temporaryFolder('watch');
	await mkdir(join(folder, '.git'));
	await mkdir(join(folder, 'docs'));
	process.chdir(folder);
	await writeFile('docs/a.md', 'Open it.\n');
	await whileWatching(['docs/a.md', 'docs'], async () => {
		for (const words of ['Save it.', 'Send it.', 'Close it.']) {
			await writeFile('docs/.a.md.swp', `${words}\n`);
			await rename('docs/.a.md.swp', 'docs/a.md');
			await until(`it says ${words}`, isWritten('docs/a.de.md', words.toUpperCase()));
		}
	});
});
