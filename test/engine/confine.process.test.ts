/** Native code in a confined process writes to its folders only, starts no program and reaches no network. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();

test('a confined process keeps its own folders and loses the rest, for native code as well', {
	skip: process.platform === 'linux' ? false : 'the system is not Linux',
}, (context) => {
	const [own, other] = ['own', 'other'].map((name) => join(folder, name));
	assert.ok(own && other);
	for (const path of [own, other]) mkdirSync(path);
	writeFileSync(join(other, 'kept'), 'kept');
	const program = fileURLToPath(new URL('confinedProgram.ts', import.meta.url));
	const ran = spawnSync(
		process.execPath,
		['--disable-warning=ExperimentalWarning', program, own, other],
		{ encoding: 'utf8' },
	);
	assert.equal(ran.status, 0, ran.stderr);
	const { isConfined, ...results } = JSON.parse(ran.stdout);
	if (!isConfined) return context.skip('this kernel has no Landlock');
	assert.deepEqual(results, {
		own: 'done',
		ownNatively: 'done',
		read: 'kept',
		write: 'EACCES',
		truncate: 'EACCES',
		remove: 'EACCES',
		carryOff: 'EACCES',
		natively: 'refused',
		null: 'done',
		command: 'refused',
		connection: 'EACCES',
		privileges: '1',
	});
	assert.deepEqual(readdirSync(other), ['kept']);
	assert.equal(readFileSync(join(other, 'kept'), 'utf8'), 'kept');
});
