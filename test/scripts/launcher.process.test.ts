/** Which Nodes the launcher takes, and what it says to others. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** An installed command line whose server only says that it began. */
const folder = temporaryFolder('launcher');
for (const name of ['bin', 'dist']) mkdirSync(join(folder, name));
copyFileSync(join(import.meta.dirname, '../../bin/nearglot.cjs'), join(folder, 'bin/nearglot.cjs'));
writeFileSync(join(folder, 'dist/server.cjs'), 'console.log("began")');
writeFileSync(
	join(folder, 'another.cjs'),
	`const versions = { ...process.versions, node: process.env.ANOTHER };
Object.defineProperty(process, 'versions', { value: versions });
Object.defineProperty(process, 'version', { value: 'v' + versions.node });`,
);

/** Starts it as a Node of that version would. */
const startedBy = (version: string) =>
	spawnSync(
		process.execPath,
		['--require', join(folder, 'another.cjs'), join(folder, 'bin/nearglot.cjs')],
		{ env: { ...process.env, ANOTHER: version }, encoding: 'utf8' },
	);

test('a Node that has all the server uses runs it', () => {
	for (const version of ['22.19.0', '24.0.0', '25.1.0']) {
		const { status, stdout } = startedBy(version);
		assert.deepEqual([status, stdout.trim()], [0, 'began'], version);
	}
});

test('others say which one is needed: Node 23 has node:sqlite only in part, or behind a flag', () => {
	for (const version of ['20.19.0', '22.18.0', '23.0.0', '23.9.0', '23.11.1']) {
		const { status, stdout, stderr } = startedBy(version);
		assert.deepEqual([status, stdout], [1, ''], version);
		assert.match(stderr, new RegExp(`22\\.19 or newer, and not 23; this is v${version}`));
	}
});
