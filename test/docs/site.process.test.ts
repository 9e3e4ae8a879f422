/** The site is built without a network, and every page of it is there. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { documents, root } from './blocks.ts';

const folder = temporaryFolder('site');
after(() => rmSync(folder, { recursive: true, force: true }));

test('the site has every page, finds words in them, and names no other host for what it loads', () => {
	const program = join(root, 'node_modules/vitepress/bin/vitepress.js');
	const built = spawnSync(process.execPath, [program, 'build', 'docs', '--outDir', folder], {
		cwd: root,
		encoding: 'utf8',
		env: { ...process.env, HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' },
	});
	assert.equal(built.status, 0, built.stdout + built.stderr);
	for (const name of documents.filter((each) => each.startsWith('docs/'))) {
		const page = name.slice(5).replace(/\.md$/, '.html');
		assert.ok(existsSync(join(folder, page)), page);
	}
	const start = readFileSync(join(folder, 'index.html'), 'utf8');
	const loaded = [...start.matchAll(/(?:src|href)="(https?:[^"]+)"/g)].map(
		([, address = '']) => address,
	);
	assert.deepEqual(
		loaded.filter((address) => !address.startsWith('https://github.com/nearglot/')),
		[],
	);
	const chunks = readdirSync(join(folder, 'assets/chunks'));
	assert.ok(
		chunks.some((name) => name.startsWith('@localSearchIndex')),
		String(chunks),
	);
});
