/** Folders of Windows: files of OneDrive that are elsewhere still, and deduplicated ones, are listed like links. */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { sourceFiles } from '../../server/cli/sourceFiles.ts';
import { walkFiles } from '../../server/lsp/workspace/walkFiles.ts';
import { filesIn } from '../../server/services/builtFiles.ts';
import { listFolder } from '../../server/store/listFolder.ts';
import { sources } from '../architecture/sources.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let folder = '';
before(async () => {
	folder = temporaryFolder('listed');
	await mkdir(join(folder, 'below'));
	await writeFile(join(folder, 'a.md'), '# One\n');
	await writeFile(join(folder, 'below', 'b.md'), '# Two\n');
	await symlink(folder, join(folder, 'below', 'up'), 'junction');
});

/** As Windows lists what has a reparse point, whatever it is. */
function listAllAsLinks(): Disposable {
	const { readdir } = fs.promises;
	const asLinks = async (...args: Parameters<typeof readdir>) => {
		const found = (await Reflect.apply(readdir, fs.promises, args)) as unknown[];
		return found.map((entry) =>
			entry instanceof fs.Dirent
				? Object.assign(Object.create(entry), {
						isFile: () => false,
						isDirectory: () => false,
						isSymbolicLink: () => true,
					})
				: entry,
		);
	};
	Object.assign(fs.promises, { readdir: asLinks });
	syncBuiltinESMExports();
	return {
		[Symbol.dispose]() {
			Object.assign(fs.promises, { readdir });
			syncBuiltinESMExports();
		},
	};
}

/** What each walker finds. */
async function found() {
	const { files } = await sourceFiles([folder], () => true, AbortSignal.timeout(60_000));
	const walked: string[] = [];
	for await (const { path } of walkFiles(folder)) walked.push(path);
	return {
		listed: await listFolder(folder),
		below: await listFolder(join(folder, 'below')),
		...{ files, walked, made: await filesIn(folder).then((all) => all.map(({ path }) => path)) },
	};
}

test('what is listed like a link and is none is a file or a folder, and links stay links', async () => {
	const usual = await found();
	assert.deepEqual(usual.below, [
		{ name: 'b.md', kind: 'file' },
		{ name: 'up', kind: 'link' },
	]);
	assert.deepEqual(usual.walked, ['a.md', 'below/b.md']);
	assert.deepEqual(usual.made, ['a.md', 'below/b.md']);
	assert.equal(usual.files.length, 2);
	using _windows = listAllAsLinks();
	assert.deepEqual(await found(), usual);
});

test('folders are asked for the kinds of their entries in one place', () => {
	const others = ['server', 'extension']
		.flatMap((part) => sources(part))
		.filter(
			({ path, text }) => text.includes('withFileTypes') && path !== 'server/store/listFolder.ts',
		);
	assert.deepEqual(
		others.map(({ path }) => path),
		[],
	);
});
