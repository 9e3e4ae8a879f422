/** Arrays of Android: what of them is translated again, and what stays, when their source has changed. */

import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, beforeEach, test } from 'node:test';
import type { CommandIo } from '../../server/cli/command.ts';
import { ProjectRecord } from '../../server/cli/projectRecord.ts';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { translateCheck } from '../../server/cli/translateCheck.ts';
import { translatePlanned } from '../../server/cli/translateFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const start = process.cwd();
const [source, target] = ['res/values/strings.xml', 'res/values-de/strings.xml'];
beforeEach(async () => {
	const folder = temporaryFolder('lists');
	process.chdir(folder);
	for (const path of ['.git', 'res/values', 'res/values-de'])
		await mkdir(join(folder, path), { recursive: true });
});
after(() => process.chdir(start));

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
	return { io, out };
}

/** Translates into capitals what the German file lacks. */
async function translated(): Promise<string[]> {
	const asked: string[] = [];
	const record = await ProjectRecord.open('.');
	const translatorInto = () => ({
		detect: async (texts: readonly string[]) =>
			texts.map(() => ({ language: 'en', score: 1, isSupported: true, alternatives: [] })),
		translate: async (texts: readonly string[]) => {
			asked.push(...texts);
			return texts.map((text) => (text.includes('lose') ? 'X' : text.toUpperCase()));
		},
	});
	const options = { force: false, into: true, quiet: false, translatorInto };
	await translatePlanned([{ source, target, to: 'de', from: 'en' }], options, record, newIo().io);
	await record.close();
	return asked;
}

async function check(accepts = false): Promise<string[]> {
	const { io, out } = newIo();
	const options = { names: ['.'], targets: [], format: 'text', accepts } as const;
	await translateCheck(options, await ProjectRecord.open('.'), io);
	return out.text.split('\n').filter((line) => line !== '');
}

const list = (...items: readonly string[]) =>
	`<resources>\n    <string-array name="a">\n${items
		.map((item) => `        <item>${item}</item>\n`)
		.join('')}    </string-array>\n    <string name="s">%s</string>\n</resources>\n`;
const write = (path: string, ...items: readonly string[]) => writeFile(path, list(...items));
const german = () => readFile(target, 'utf8');

test('items of an array that are new or changed are translated, and the others go with their sources', async () => {
	await write(source, 'Red one', 'Green one', '7', 'Blue one');
	await write(target, 'Rot', 'Grün', '7', 'Blau');
	assert.deepEqual(await translated(), []);
	// In the middle, at the end, and another number.
	await write(source, 'Red one', 'Black one', 'Green one', '8', 'Blue one', 'Last one');
	const found = await check();
	assert.deepEqual(
		found.map((line) => line.split(' (de)')[0]),
		[
			"res/values/strings.xml:4: missing: a.1 'Black one' has no translation in res/values-de/strings.xml",
			"res/values/strings.xml:8: missing: a.5 'Last one' has no translation in res/values-de/strings.xml",
		],
	);
	assert.deepEqual(await translated(), ['Black one', 'Last one']);
	assert.equal(await german(), list('Rot', 'BLACK ONE', 'Grün', '8', 'Blau', 'LAST ONE'));
	assert.deepEqual([await check(), await translated()], [[], []]);
	// Changed, taken out, and moved.
	await write(source, 'Red one', 'White one', 'Green one', '8', 'Blue one', 'Last one');
	assert.match((await check()).join(), /strings\.xml:4: stale: a\.1 has changed to 'White one'/);
	assert.deepEqual(await translated(), ['White one']);
	await write(source, 'Blue one', 'Red one', '8', 'Last one');
	assert.deepEqual(await translated(), []);
	assert.equal(await german(), list('Blau', 'Rot', '8', 'LAST ONE'));
	assert.deepEqual(await check(), []);
});

test('translations that a person has changed go with their sources as well', async () => {
	await write(source, 'Red one', 'Green one');
	await write(target, 'Rot', 'Grün');
	await translated();
	await write(target, 'Rot', 'Hellgrün');
	await write(source, 'Black one', 'Red one', 'Green one');
	assert.deepEqual(await translated(), ['Black one']);
	assert.equal(await german(), list('BLACK ONE', 'Rot', 'Hellgrün'));
});

test('an array whose new item is refused stays as it is, and a check tells of it', async () => {
	await write(source, 'Red one', 'Green one');
	await write(target, 'Rot', 'Grün');
	await translated();
	await write(source, 'Red one', 'lose %s', 'Green one');
	await translated();
	assert.equal(await german(), list('Rot', 'Grün'));
	assert.match((await check()).join(), /missing: a\.1 'lose %s' has no/);
	await write(source, 'Red one', 'Black one', 'Green one');
	await translated();
	assert.equal(await german(), list('Rot', 'BLACK ONE', 'Grün'));
});

test('without a record items are compared by their places, and a different number of them is told of', async () => {
	await write(source, 'Red one', 'Green one');
	await write(target, 'Rot', '');
	assert.deepEqual(await translated(), ['Green one']);
	assert.equal(await german(), list('Rot', 'GREEN ONE'));
	await rm('.nearglot', { recursive: true });
	await write(source, 'Red one', 'Black one', 'Green one');
	assert.deepEqual(await translated(), []);
	assert.equal(await german(), list('Rot', 'GREEN ONE'));
	assert.match((await check()).join(), /strings\.xml:2: missing: a 'Red one' has no/);
});
