/** Neovim gets hovers and code actions from the same front over stdio, with nothing of VS Code. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFakeDaemon } from '../support/fakeDaemon.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const found = spawnSync('nvim', ['--version'], { encoding: 'utf8' }).status === 0;
const root = join(import.meta.dirname, '..', '..');

test('Neovim shows a hover and applies a code action', {
	skip: found ? false : 'nvim is not installed',
	timeout: 120_000,
}, async () => {
	const folder = temporaryFolder('nvim');
	const home = join(folder, 'home');
	const daemon = await startFakeDaemon(home);
	try {
		const file = join(folder, 'a.py');
		writeFileSync(file, '# Open the file\n# and read a line.\nprint("x")\n');
		const output = join(folder, 'out.jsonl');
		const child = spawn(
			'nvim',
			[
				'--headless',
				'-u',
				'NONE',
				'-i',
				'NONE',
				'-n',
				'-c',
				`luafile ${join(import.meta.dirname, 'neovim.lua')}`,
			],
			{
				cwd: folder,
				stdio: 'ignore',
				env: {
					...process.env,
					HOME: folder,
					XDG_STATE_HOME: folder,
					XDG_CACHE_HOME: folder,
					NEARGLOT_HOME: home,
					LSP_NODE: process.execPath,
					LSP_SERVER: join(root, 'server', 'main.ts'),
					NV_FILE: file,
					NV_OUT: output,
				},
			},
		);
		const timer = setTimeout(() => child.kill('SIGKILL'), 100_000);
		await new Promise((resolve) => child.once('exit', resolve));
		clearTimeout(timer);
		const told = new Map(
			readFileSync(output, 'utf8')
				.trim()
				.split('\n')
				.map((line) => JSON.parse(line) as { name: string; value: unknown })
				.map(({ name, value }) => [name, value]),
		);
		const hover = told.get('hover') as { contents: { value: string } };
		assert.match(hover.contents.value, /\\\[de\\\] Open the file and read a line\./);
		assert.match(hover.contents.value, /English → German/);
		assert.deepEqual(told.get('titles'), [
			'Translate comment to German',
			'Translate comment to French',
		]);
		assert.deepEqual(told.get('lines'), ['# [de] Open the file and read a line.', 'print("x")']);
	} finally {
		await daemon.close();
	}
});
