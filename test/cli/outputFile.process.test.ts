/** What `--out` leaves behind: whole files where they lie, devices and links that stay what they are. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
	chmod,
	link,
	lstat,
	mkdir,
	readdir,
	readFile,
	readlink,
	stat,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { UsageError } from '../../server/cli/command.ts';
import { checkTarget, writeOutput } from '../../server/cli/outputFile.ts';
import { needsFileLinks, needsLinux, needsModes } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const posix = { skip: needsFileLinks || needsModes };

let folder = '';
beforeEach(() => {
	folder = temporaryFolder('out');
});

test(
	'a file is new or replaced whole, keeps its mode, and leaves nothing beside it',
	posix,
	async () => {
		const path = join(folder, 'o.md');
		await writeOutput(path, 'one');
		await chmod(path, 0o640);
		await link(path, join(folder, 'other name'));
		await writeOutput(path, 'two');
		assert.equal(await readFile(path, 'utf8'), 'two');
		assert.equal((await stat(path)).mode & 0o777, 0o640);
		assert.equal(
			await readFile(join(folder, 'other name'), 'utf8'),
			'one',
			'it was not written into',
		);
		assert.deepEqual((await readdir(folder)).sort(), ['o.md', 'other name']);
	},
);

test('links stay, also those to links and to nothing', posix, async () => {
	await mkdir(join(folder, 'there'));
	await writeFile(join(folder, 'there/real.md'), 'old');
	await symlink('there/real.md', join(folder, 'near'));
	await symlink('near', join(folder, 'far'));
	await symlink('there/none.md', join(folder, 'dangling'));
	await checkTarget(join(folder, 'far'), true);
	await writeOutput(join(folder, 'far'), 'new');
	await checkTarget(join(folder, 'dangling'), false);
	await writeOutput(join(folder, 'dangling'), 'made');
	assert.equal(await readlink(join(folder, 'far')), 'near');
	assert.equal(await readlink(join(folder, 'near')), 'there/real.md');
	assert.equal(await readFile(join(folder, 'there/real.md'), 'utf8'), 'new');
	assert.equal(await readFile(join(folder, 'there/none.md'), 'utf8'), 'made');
	assert.deepEqual((await readdir(join(folder, 'there'))).sort(), ['none.md', 'real.md']);
	await symlink('gone/none.md', join(folder, 'away'));
	await assert.rejects(checkTarget(join(folder, 'away'), true), UsageError);
});

test('a pipe is written into and stays', posix, async () => {
	const path = join(folder, 'pipe');
	assert.equal(spawnSync('mkfifo', [path]).status, 0);
	const reader = spawn('cat', [path]);
	let heard = '';
	reader.stdout.setEncoding('utf8').on('data', (text: string) => {
		heard += text;
	});
	const ended = once(reader, 'close');
	await checkTarget(path, false);
	await writeOutput(path, 'x'.repeat(200_000));
	await ended;
	assert.equal(heard.length, 200_000);
	assert.ok((await lstat(path)).isFIFO());
	assert.deepEqual(await readdir(folder), ['pipe']);
});

test('a device that is full is an error with its name', {
	skip: needsLinux,
}, async () => {
	const path = join(folder, 'full');
	await symlink('/dev/full', path);
	await assert.rejects(writeOutput(path, 'text'), {
		code: 'disk_full',
		message: `${path} cannot be written: there is no space left on its disk. Free some space and try again.`,
	});
	assert.ok((await stat(path)).isCharacterDevice());
});

test('where nothing can be made the file is named, not its draft', posix, async () => {
	const path = join(folder, 'none', 'o.md');
	await assert.rejects(writeOutput(path, 'text'), ({ message }: Error) => {
		assert.ok(message.startsWith(`${path} cannot be written: `), message);
		assert.doesNotMatch(message, /\.new/);
		return true;
	});
});
